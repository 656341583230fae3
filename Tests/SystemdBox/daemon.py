"""A daemon of one's own, without systemd: the release build on folders that are thrown away."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

from box import RELEASE, wait_for


class Daemon:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="nightlatch-test.")
        self.folders = ["--user"]
        for name in ("config", "state", "runtime"):
            os.makedirs(os.path.join(self.folder, name), mode=0o700)
            self.folders += ["--" + name, os.path.join(self.folder, name)]
        self.socket = os.path.join(self.folder, "runtime", "control.sock")
        self.process = None

    def write(self, name, text):
        """A file of the configuration."""
        path = os.path.join(self.folder, "config", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def job(self, name, text):
        self.write("jobs.d/%s.toml" % name, text)

    def start(self, *under):
        """Starts it, under another program if one is given; returns when it answers."""
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [*under, os.path.join(RELEASE, "nightlatchd"), *self.folders], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
        wait_for("the daemon's answer", lambda: self.answers() or self.has_ended())

    def answers(self):
        return self.nightlatch("status") is not None

    def has_ended(self):
        if self.process.poll() is None:
            return False
        raise AssertionError("nightlatchd ended with %d:\n%s" % (self.process.returncode, self.log()))

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def nightlatch(self, *arguments):
        """What the tool answers, or None if it ends in an error."""
        command = [os.path.join(RELEASE, "nightlatch"), *arguments, *self.folders, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def stop(self):
        """Ends it as an administrator would; returns its exit status."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        return self.process and self.process.wait(30)

    def remove(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder)
