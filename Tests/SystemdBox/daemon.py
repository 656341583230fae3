"""A daemon of one's own, without systemd: the release build on folders that are thrown away."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

from box import RELEASE, wait_for


class Daemon:
    def __init__(self, folder=None):
        self.folder = folder or tempfile.mkdtemp(prefix="nightlatch-test.")
        self.folders = ["--user"]
        for name in ("config", "state", "runtime"):
            os.makedirs(os.path.join(self.folder, name), mode=0o700, exist_ok=True)
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
        self.launch(*under)
        wait_for("the daemon's answer", lambda: self.answers() or self.has_ended())

    def launch(self, *under, **options):
        """Starts it and waits for nothing. Its log goes on where an earlier one of the same folders ended."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*under, os.path.join(RELEASE, "nightlatchd"), *self.folders], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, **options)
        return self.process

    def answers(self):
        return self.nightlatch("status") is not None

    def has_ended(self):
        if self.process.poll() is None:
            return False
        raise AssertionError("nightlatchd ended with %d:\n%s" % (self.process.returncode, self.log()))

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, *names):
        """A file below the folder; empty while there is none."""
        try:
            with open(self.path(*names), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def tool(self, *arguments):
        """The tool's exit status, output and error output."""
        done = subprocess.run(
            [os.path.join(RELEASE, "nightlatch"), *arguments, *self.folders], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout, done.stderr

    def tool_for_all(self):
        """A copy of the tool, beside the agent that some of its commands become: not every user can look into the folder
        that the build is in, such as /root."""
        os.chmod(self.folder, 0o755)
        shutil.copy(os.path.join(RELEASE, "nightlatch-foreground"), self.folder)
        return shutil.copy(os.path.join(RELEASE, "nightlatch"), self.folder)

    def run_job(self, job):
        """Runs the job now and returns its run as it ended, or entered the queue."""
        return json.loads(self.tool("run", job, "--wait", "--json")[1])

    def runs(self, job):
        """The job's runs, newest first."""
        return self.nightlatch("runs", job, "--limit", "1000")["runs"]

    def processes(self):
        """The processes that its runs have started, wherever they fled to: none hides its environment here."""
        mark = ("NIGHTLATCH_RUNTIME=" + self.path("runtime")).encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % name, "rb") as file:
                    if mark in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                continue
        return found

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
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        shutil.rmtree(self.folder)
