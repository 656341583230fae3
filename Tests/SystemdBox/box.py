"""What the system tests share: a box, the daemon in it, and ways of waiting for things."""
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# NIGHTLATCH_PROGRAMS names another folder with the three programs, a debug build for instance.
RELEASE = os.environ.get("NIGHTLATCH_PROGRAMS") or os.path.join(ROOT, ".build/release")


def require(condition, reason):
    if not condition:
        raise unittest.SkipTest(reason)


def require_release():
    names = ("nightlatchd", "nightlatch", "nightlatch-foreground")
    missing = [name for name in names if not os.path.exists(os.path.join(RELEASE, name))]
    require(not missing, "needs the release build (make release): no " + ", ".join(missing))


def wait_for(what, condition, seconds=30):
    """Asks again until `condition()` is true and returns its value; fails after a bounded time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("waited %d s in vain for %s" % (seconds, what))
        time.sleep(0.05)


class Box:
    """A real systemd in namespaces (see sdbox) with Nightlatch installed by `make install`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="nightlatch-box.", dir="/var/tmp")
        self.sdbox("up")

    def sdbox(self, verb, *command, **options):
        return subprocess.run(
            [os.path.join(HERE, "sdbox"), verb, self.folder, *command], check=options.pop("check", True),
            env={**os.environ, "SDBOX_KEEP": ROOT}, stdout=subprocess.PIPE, stderr=options.pop("stderr", subprocess.STDOUT), **options)

    def down(self):
        self.sdbox("down")

    def run(self, *command, check=True, text=None):
        """Runs a command in the box; returns its output. Without `check`, its status and its output."""
        done = self.sdbox("run", *command, check=False, input=text and text.encode())
        output = done.stdout.decode(errors="replace")
        if not check:
            return done.returncode, output
        if done.returncode != 0:
            raise AssertionError("%s ended with %d:\n%s" % (" ".join(command), done.returncode, output))
        return output

    def shell(self, script):
        return self.run("sh", "-ec", script)

    def write(self, path, text):
        self.run("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat > "$1"', "sh", path, text=text)

    def read(self, path):
        status, output = self.run("cat", path, check=False)
        return output if status == 0 else ""

    def install(self):
        """`make install` into a folder of its own, from there into the box, then what a package would run."""
        staging = tempfile.mkdtemp(prefix="nightlatch-install.", dir="/var/tmp")
        try:
            subprocess.run(
                ["make", "--no-print-directory", "-C", ROOT, "install", "DESTDIR=" + staging], check=True,
                stdout=subprocess.DEVNULL)
            packed = subprocess.run(["tar", "c", "-C", staging, "--owner=0", "--group=0", "."], check=True, stdout=subprocess.PIPE)
            # In place over the root folder, whose own mode is not the archive's business.
            self.sdbox("run", "tar", "x", "-C", "/", "--no-overwrite-dir", input=packed.stdout)
        finally:
            shutil.rmtree(staging)
        self.shell("systemd-sysusers; systemd-tmpfiles --create; journalctl --update-catalog; systemctl daemon-reload")

    # The daemon.

    def job(self, name, text):
        self.write("/etc/nightlatch/jobs.d/%s.toml" % name, text)

    def nightlatch(self, *arguments, check=True):
        return self.run("nightlatch", *arguments, check=check)

    def json(self, *arguments):
        done = self.sdbox("run", "nightlatch", *arguments, "--json", stderr=subprocess.DEVNULL)
        return json.loads(done.stdout)

    def show(self, property_name, unit="nightlatchd.service"):
        return self.run("systemctl", "show", "--value", "--property", property_name, unit).strip()

    def main_pid(self):
        return int(self.show("MainPID"))

    def journal(self, *matches):
        """The entries as dictionaries, oldest first."""
        self.run("journalctl", "--sync")
        output = self.run("journalctl", "--output=json", "--all", "--quiet", *matches)
        return [json.loads(line) for line in output.splitlines() if line.startswith("{")]

    def reset(self):
        """Back to a machine on which Nightlatch was just installed."""
        self.shell(
            "systemctl stop nightlatchd.socket nightlatchd.service nightlatch-publish.service 'nightlatch-foreground@*';"
            "systemctl reset-failed; rm -rf /var/lib/nightlatch /etc/nightlatch /run/test"
            " /run/nightlatch/auth/* /run/nightlatch/tokens/* /run/systemd/system/nightlatchd.service.d;"
            "mkdir -p /etc/nightlatch/jobs.d /etc/nightlatch/providers.d /run/test; chmod 1777 /run/test;"
            "journalctl --rotate --vacuum-time=1us --quiet; systemctl daemon-reload")

    def start(self):
        self.run("systemctl", "start", "nightlatchd.service")
