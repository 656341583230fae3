#!/usr/bin/env python3
"""The agent is killed before each system call of one refresh that touches a session's files or the network, one call
after the other, until the refresh completes untouched. After each kill the store must open and hold the old session or
the new one, and the next refresh must succeed: inside the reuse window nothing may be lost."""
import collections
import os
import re
import shutil
import subprocess
import unittest

from box import require, require_release
from sessionworld import SessionWorld

# What a refresh does to its files and to the network, from the lock to the publication.
CALLS = (
    "openat", "read", "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "link", "linkat",
    "unlink", "unlinkat", "mkdir", "ftruncate", "fallocate", "lseek", "close", "flock", "utimensat",
    "socket", "connect", "sendto", "recvfrom", "fchmod", "fchown",
)


class SystemCallTests(unittest.TestCase):
    def setUp(self):
        require_release()
        require(shutil.which("strace"), "needs strace")
        probe = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
        require(probe.returncode == 0, "strace may not trace here: " + probe.stderr.strip())
        self.world = SessionWorld(window=60, access_lifetime=300)
        self.addCleanup(self.world.remove)
        self.world.log_in()

    def test_killed_before_each_system_call_of_a_refresh_the_store_is_whole(self):
        points = self.points()
        old = new = 0
        for call, number in points:
            before = self.world.token()
            killed = self.refresh_killed_at(call, number)
            # The path may differ by a call or two when the machine is busy; the one that is never reached kills nobody.
            if not killed:
                continue
            status, output = self.world.agent("publish", "work")
            self.assertEqual(status, 0, "%s %d: the store does not open:\n%s" % (call, number, output))
            self.assertNotEqual(self.world.token(), "")
            if self.world.token() == before:
                old += 1
            else:
                new += 1
            status, output = self.world.agent("refresh", "work")
            self.assertEqual(status, 0, "%s %d: the session is lost:\n%s" % (call, number, output))
        print("\n%d kills at %s: the old session %d times, the new one %d times" % (
            old + new, dict(collections.Counter(call for call, _ in points)), old, new), flush=True)
        self.assertGreater(old, 20)
        self.assertGreater(new, 10)
        self.assertEqual({status for _, _, status, _ in self.world.spends()}, {200}, "the server refused a token")

    def points(self):
        """Each call of an undisturbed refresh from its lock on, and which of its name it is in its thread."""
        trace = self.world.daemon.path("trace")
        with self.world.launch("refresh", "work", under=self.strace(trace, "trace=" + ",".join(CALLS))) as process:
            output = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, 0, output)
        with open(trace, encoding="utf-8", errors="replace") as file:
            lines = [re.match(r"(\d+) +(\w+)\((.*)", line) for line in file]
        lines = [line for line in lines if line and "resumed" not in line[0]]
        begun, points, counts = False, [], collections.Counter()
        for line in lines:
            counts[line[1], line[2]] += 1
            begun = begun or (line[2] == "openat" and "work.lock" in line[3])
            if begun and line[1] == lines[0][1]:
                points.append((line[2], counts[line[1], line[2]]))
        self.assertTrue(begun, "strace saw no lock, so the test proves nothing")
        return points

    def refresh_killed_at(self, call, number):
        inject = "inject=%s:signal=KILL:when=%d" % (call, number)
        under = self.strace("/dev/null", "trace=" + call, "-e", inject)
        with self.world.launch("refresh", "work", under=under) as process:
            output = process.communicate(timeout=60)[0]
            # strace ends the way its child did.
            self.assertIn(process.returncode, (0, -9), output)
            return process.returncode != 0

    @staticmethod
    def strace(trace, filter_, *more):
        return ["strace", "-f", "-qq", "-o", trace, "-e", filter_, *more]


if __name__ == "__main__":
    unittest.main()
