#!/usr/bin/env python3
"""What the daemon asks of the network while it decides a thousand dues, seen by strace."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from box import RELEASE, require, require_release, wait_for

JOBS = 20
DUES = 1000


class NetworkTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require_release()
        require(shutil.which("strace"), "needs strace")
        probe = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
        require(probe.returncode == 0, "strace may not trace here: " + probe.stderr.strip())

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="nightlatch-network.")
        self.addCleanup(shutil.rmtree, self.folder)
        self.folders = []
        for name in ("config", "state", "runtime"):
            os.makedirs(os.path.join(self.folder, name), mode=0o700)
            self.folders += ["--" + name, os.path.join(self.folder, name)]
        self.trace = os.path.join(self.folder, "trace")

    def write(self, name, text):
        path = os.path.join(self.folder, "config", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def nightlatch(self, *arguments):
        command = [os.path.join(RELEASE, "nightlatch"), *arguments, *self.folders, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def start(self):
        command = ["strace", "-f", "-e", "trace=network", "-o", self.trace]
        with open(os.path.join(self.folder, "log"), "wb") as log:
            process = subprocess.Popen(
                [*command, os.path.join(RELEASE, "nightlatchd"), *self.folders],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)

    def test_a_thousand_gated_dues_open_no_internet_socket(self):
        # A person's word alone may start a phase: the agent is the one program that may use the network.
        self.write("nightlatch.toml", '[foreground]\nwhen = "manual"\n')
        self.write("providers.d/work.toml", 'kind = "oidc"\nissuer = "https://login.example"\nclient_id = "x"\nscopes = ["openid"]\n')
        for number in range(JOBS):
            requires = ("verified", "session")[number % 2]
            self.write("jobs.d/org.example.job%d.toml" % number, (
                'command = ["/bin/true"]\n[schedule]\nevery = "100ms"\n'
                '[auth]\nprovider = "work"\nrequires = "%s"\non_not_ready = "%s"\non_unauthenticated = "%s"\n'
                % (requires, *(("defer", "defer") if number % 4 < 2 else ("skip", "skip")))))
        process = self.start()
        wait_for("%d decided dues" % DUES, lambda: self.decided() >= DUES, seconds=120)
        self.end(process)
        with open(self.trace, encoding="utf-8", errors="replace") as file:
            trace = file.read()
        self.assertIn("AF_UNIX", trace, "strace saw nothing, so the test proves nothing")
        internet = re.findall(r"^.*\bAF_INET6?\b.*$", trace, re.M)
        self.assertEqual(internet, [])

    def decided(self):
        answer = self.nightlatch("runs", "--limit", str(2 * DUES))
        return len(runs_of(answer))


def runs_of(answer):
    """The runs in an answer of `nightlatch runs --json`."""
    if answer is None:
        return []
    return answer["runs"] if isinstance(answer, dict) else answer


if __name__ == "__main__":
    unittest.main()
