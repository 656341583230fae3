#!/usr/bin/env python3
"""The agent, or the daemon, or both are killed at random points of refreshes, or the network loses answers, against
django-oauth-toolkit, which takes a second use of a refresh token for theft and ends the session. Needs the tests' virtual
environment.

usage: test_refresh_kills.py [--count N] [--seed N] [unittest's options]

With a reuse window no session may be lost. Without one only those whose answer never reached the disk, and each of
them must be labelled `lostRotation`; the server's own log is the judge of both.
"""
import argparse
import collections
import contextlib
import os
import random
import signal
import sys
import time
import unittest

from box import require_release, wait_for
from sessionworld import SessionWorld

options = argparse.Namespace(count=40, seed=None)
VICTIMS = ("agent", "agent", "daemon", "both")
# One in so many answers is held back by the proxy until the kill: the server has rotated for certain.
HELD_BACK = 10


class RefreshKillTests(unittest.TestCase):
    def setUp(self):
        require_release()

    def test_with_a_reuse_window_no_session_is_lost(self):
        self.tell(window=30, access_lifetime=300)
        self.assertEqual(self.lost, [])
        repeated = [tries for tries in self.tokens().values() if len(tries) > 1]
        self.assertTrue(repeated, "no kill hit a refresh between its sending and its answer, so nothing is proven")
        self.assertEqual({status for tries in repeated for _, status, _ in tries}, {200})

    def test_without_one_only_what_never_arrived_is_lost_and_says_so(self):
        # The last attempt is made when the access token has expired: soon.
        self.tell(window=0, access_lifetime=1)
        refused = {token: tries for token, tries in self.tokens().items() if any(status != 200 for _, status, _ in tries)}
        self.assertTrue(self.lost, "no kill hit a refresh between its sending and its answer, so nothing is proven")
        self.assertEqual(len(refused), len(self.lost), "the server ended another number of sessions than were lost here")
        for token, tries in refused.items():
            # Rotated once, for a process that was killed before it could store the answer; then the last attempt.
            self.assertEqual([(status, error) for _, status, error in tries], [(200, None), (400, "invalid_grant")], token)
        for begin, end in self.lost:
            inside = [token for token, tries in refused.items() if begin <= tries[0][0] and tries[-1][0] <= end]
            self.assertEqual(len(inside), 1, "a session was lost without a kill between its two attempts")

    def test_a_network_that_loses_one_answer_in_twenty_costs_no_session(self):
        seed = random.randrange(1 << 32) if options.seed is None else options.seed
        self.random = random.Random(seed)
        self.world = SessionWorld("django_idp.py", window=10, access_lifetime=300)
        self.addCleanup(self.world.remove)
        self.world.log_in()
        lost = 0
        for number in range(options.count):
            if number % 20 == 0:
                unlucky = number + self.random.randrange(20)
            if number == unlucky:
                lost += 1
                self.world.fault(self.random.choice(("drop_after", "partial")))
            status, output = self.world.agent("refresh", "work")
            self.assertEqual(status, 0, "seed %d, refresh %d:\n%s" % (seed, number, output))
        spends = self.world.spends()
        print("\nseed %d: %d refreshes, %d answers lost, %d spends of %d tokens" % (
            seed, options.count, lost, len(spends), len(self.tokens())), flush=True)
        self.assertGreater(lost, 0)
        self.assertEqual(len(spends), options.count + lost)
        self.assertEqual({status for _, _, status, _ in spends}, {200})

    # The story.

    def tell(self, window, access_lifetime):
        seed = random.randrange(1 << 32) if options.seed is None else options.seed
        print("\nseed %d, %d killed refreshes, reuse window %d s" % (seed, options.count, window), flush=True)
        self.random = random.Random(seed)
        self.world = SessionWorld("django_idp.py", window=window, access_lifetime=access_lifetime)
        self.addCleanup(self.world.remove)
        self.kills, self.lost, self.unhurt = collections.Counter(), [], 0
        begun = time.monotonic()
        self.world.log_in()
        self.duration = self.measure()
        while sum(self.kills.values()) < options.count:
            before = sum(self.kills.values())
            self.kill_one()
            if sum(self.kills.values()) // 100 > before // 100:
                print("%d killed, %d sessions lost" % (sum(self.kills.values()), len(self.lost)), flush=True)
        spends = self.world.spends()
        print("%s killed, %d more refreshes ended before the kill; %d spends of %d tokens reached the server, %d were repetitions; "
              "%d sessions lost; %.0f s" % (
                  dict(self.kills), self.unhurt, len(spends), len(self.tokens()),
                  len(spends) - len(self.tokens()), len(self.lost), time.monotonic() - begun), flush=True)

    def measure(self):
        """How long a refresh takes here, so that the kills fall on all of it."""
        begun = time.monotonic()
        for _ in range(3):
            self.assertEqual(self.world.agent("refresh", "work")[0], 0)
        return (time.monotonic() - begun) / 3

    def kill_one(self):
        begin = time.time()
        victim = self.random.choice(VICTIMS)
        held_back = self.random.randrange(HELD_BACK) == 0
        if held_back:
            self.world.fault("hang_after", seconds=60)
        agent = self.start_phase(victim)
        if held_back:
            self.wait_until_answered()
        else:
            time.sleep(self.random.uniform(0, self.duration * 1.1))
        self.kill(victim, agent)
        if held_back:
            self.world.release()
        if not self.recover(by_daemon=self.random.random() < 0.3):
            session = self.world.session()
            self.assertEqual((session["auth_state"], session["reason"]), ("unauthenticated", "lostRotation"))
            self.lost.append((begin, time.time()))
            self.world.log_in()

    def start_phase(self, victim):
        if victim == "agent":
            return self.world.launch("refresh", "work")
        daemon = self.world.daemon
        if not daemon.process or daemon.process.poll() is not None:
            daemon.start()
        self.assertIsNotNone(daemon.nightlatch("foreground", "work"))
        return None

    def wait_until_answered(self):
        held = lambda: [entry for entry in self.world.proxy.call("/_log")[1]["requests"][-8:] if entry["mode"] == "hang_after"]
        wait_for("the server's answer", lambda: held() and held()[-1]["upstream"])

    def kill(self, victim, agent):
        if victim == "agent":
            self.count_kill(victim, agent)
            return
        daemon = self.world.daemon.process
        agents = self.children(daemon.pid)
        daemon.kill()
        daemon.wait()
        self.kills[victim] += 1
        for pid in agents if victim == "both" else []:
            # It may have ended by itself meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def count_kill(self, victim, agent):
        if agent.poll() is None:
            agent.kill()
            self.kills[victim] += 1
        else:
            self.unhurt += 1
        agent.communicate()

    @staticmethod
    def children(pid):
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
            return [int(child) for child in file.read().split()]

    def recover(self, by_daemon):
        """Refreshes until the session is verified; false if it is over."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            status = self.foreground() if by_daemon else self.world.agent("refresh", "work")[0]
            if status in (0, 77):
                return status == 0
            # Without a window the last attempt waits for the end of the access token.
            self.assertEqual(status, 75)
            time.sleep(0.1)
        raise AssertionError("no refresh came to an end: %s" % self.world.session())

    def foreground(self):
        daemon = self.world.daemon
        if not daemon.process or daemon.process.poll() is not None:
            daemon.start()
        before = self.world.session().get("token_generation", 0)
        status = daemon.tool("foreground", "work", "--wait")[0]
        session = self.world.session()
        if session["auth_state"] == "unauthenticated":
            return 77
        # On a busy machine a token that lives a second may be over before the phase is.
        return 0 if session.get("token_generation", 0) > before else status

    def tokens(self):
        """What became of each refresh token at the server: its attempts, (when, status, error) each."""
        tokens = collections.defaultdict(list)
        for at, token, status, error in self.world.spends():
            tokens[token].append((at, status, error))
        return tokens


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=options.count)
    parser.add_argument("--seed", type=int)
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
