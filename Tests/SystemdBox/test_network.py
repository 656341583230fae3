#!/usr/bin/env python3
"""What the daemon asks of the network while it decides a thousand dues, seen by strace."""
import os
import re
import shutil
import subprocess
import unittest

from box import require, require_release, wait_for
from daemon import Daemon

JOBS = 20
DUES = 1000
PROVIDER = 'kind = "oidc"\nissuer = "https://login.example"\nclient_id = "x"\nscopes = ["openid"]\n'
JOB = """
command = ["/bin/true"]
[schedule]
every = "100ms"
[auth]
provider = "work"
requires = "%s"
on_not_ready = "%s"
on_unauthenticated = "%s"
"""


class NetworkTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require_release()
        require(shutil.which("strace"), "needs strace")
        probe = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
        require(probe.returncode == 0, "strace may not trace here: " + probe.stderr.strip())

    def test_a_thousand_gated_dues_open_no_internet_socket(self):
        daemon = Daemon()
        self.addCleanup(daemon.remove)
        # Only a person may start a phase: the agent is the one program that may use the network.
        daemon.write("nightlatch.toml", '[foreground]\nwhen = "manual"\n')
        daemon.write("providers.d/work.toml", PROVIDER)
        for number in range(JOBS):
            closed = ("defer", "skip")[number // 2 % 2]
            daemon.job("org.example.job%d" % number, JOB % (("verified", "session")[number % 2], closed, closed))
        trace = os.path.join(daemon.folder, "trace")
        daemon.start("strace", "-f", "-e", "trace=network", "-o", trace)
        wait_for("%d decided dues" % DUES, lambda: self.decided(daemon) >= DUES, seconds=120)
        self.assertEqual(daemon.stop(), 0)
        with open(trace, encoding="utf-8", errors="replace") as file:
            calls = file.read()
        self.assertIn("AF_UNIX", calls, "strace saw nothing, so the test proves nothing")
        # A socket of that family, or an address; asking the kernel for routes over AF_NETLINK names it as well.
        self.assertEqual(re.findall(r"^.*\b(?:socket\(|sa_family=)AF_INET6?\b.*$", calls, re.M), [])

    def decided(self, daemon):
        """How many dues have a place in the ledger."""
        answer = daemon.nightlatch("runs", "--limit", str(2 * DUES))
        return len(answer["runs"]) if answer else 0


if __name__ == "__main__":
    unittest.main()
