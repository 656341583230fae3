#!/usr/bin/env python3
"""The daemon is killed, and now and then stopped, at random moments while jobs are due several times a second and a
client asks for more; afterwards the jobs' own log and the ledger must tell the same story: no due lost, none run twice
without an interruption in between, nothing forgotten that was answered.

usage: test_kills.py [--seconds N] [--seed N] [unittest's options]
"""
import argparse
import collections
import contextlib
import json
import os
import random
import signal
import socket
import sqlite3
import sys
import threading
import time
import unittest

from box import require_release, wait_for
from daemon import Daemon
from servicemanager import NotifySocket

# Appended in one write each: what two processes write does not mix.
LINES = 'echo "begin $NIGHTLATCH_RUN $NIGHTLATCH_ATTEMPT $NIGHTLATCH_JOB" >> %s; %s'
END = 'echo "end $NIGHTLATCH_RUN $NIGHTLATCH_ATTEMPT $NIGHTLATCH_JOB" >> %s'
# name: (every in ms, what the job does between its two lines, the rest of its file, what it has in [schedule])
JOBS = {
    "each": (200, "", 'overlap = "allow"', 'missed = "all"\nmissed_limit = 10000'),
    "once": (200, "", "", ""),
    "skip": (200, "", 'overlap = "allow"', 'missed = "skip"'),
    "slow": (700, "sleep 0.5;", 'overlap = "queue"', ""),
    "long": (1900, "sleep 1.5;", 'overlap = "allow"\non_interrupted = "give-up"', ""),
    "temporary": (500, 'test "$NIGHTLATCH_ATTEMPT" -ge 2 || exit 75;', 'overlap = "allow"', ""),
    "deferred": (300, "", "", ""),
    # Only when somebody asks.
    "asked": (None, "", 'overlap = "allow"', ""),
}
EXTRA = {
    "temporary": '[retry]\ninitial = "100ms"\nmax = "100ms"\nattempts = 100\n',
    "deferred": '[auth]\nprovider = "work"\nrequires = "verified"\non_unauthenticated = "defer"\n',
}
# Dues of these are merged in the queue, or behind a run that waits: one may be counted twice there, none left out.
MERGING = ("deferred", "slow", "once", "temporary")
PROVIDER = 'kind = "oidc"\nissuer = "http://127.0.0.1:1"\nclient_id = "x"\nscopes = ["openid"]\n'
FINAL = ("succeeded", "failed", "timed-out", "interrupted", "skipped", "coalesced", "expired", "cancelled", "quarantined")

options = argparse.Namespace(seconds=45, seed=None)


class KillTests(unittest.TestCase):
    def setUp(self):
        require_release()
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        self.notify = NotifySocket(self.daemon.folder)
        self.addCleanup(self.notify.close)
        self.log = self.daemon.path("lines")
        self.kills = collections.Counter()
        self.stops = 0
        self.is_over = threading.Event()
        # The runs that the daemon has said it took.
        self.answered = []

    def test_no_due_is_lost_or_run_twice_whenever_the_daemon_is_killed(self):
        seed = random.randrange(1 << 32) if options.seed is None else options.seed
        print("\nseed %d, %d s" % (seed, options.seconds), flush=True)
        self.random = random.Random(seed)
        self.write_jobs(scheduled=True)
        end = time.monotonic() + options.seconds
        client = threading.Thread(target=self.ask)
        client.start()
        try:
            while time.monotonic() < end:
                self.launch()
                moment = self.random.choice((self.early, self.ready, self.random_moment, self.after_a_line))
                moment()
                (self.stop if self.random.random() < 0.1 else self.kill)(moment.__name__)
        finally:
            self.is_over.set()
            client.join()
        self.settle()
        runs, attempts = self.read_ledger()
        lines = self.read_lines()
        print("%d kills %s; %d dues, %d attempts, %d lines" % (
            sum(self.kills.values()), dict(self.kills), len(runs), len(attempts), len(lines)), flush=True)
        print("%d requests answered, %d stops" % (len(self.answered), self.stops), flush=True)
        self.assertGreater(len(self.answered), 0)
        self.assertEqual([run for run in self.answered if int(run, 16) not in runs], [], "answered and forgotten")
        self.check_every_attempt(runs, attempts, lines)
        self.check_every_due(runs)
        self.check_that_all_is_settled(runs)

    # The daemon's lives.

    def write_jobs(self, scheduled):
        self.daemon.write("nightlatch.toml", '[foreground]\nwhen = "manual"\n')
        self.daemon.write("providers.d/work.toml", PROVIDER)
        for name, (every, work, more, schedule) in JOBS.items():
            script = LINES % (self.log, work) + END % self.log
            text = "shell = '%s'\n%s\n" % (script, more)
            if scheduled and every:
                text += '[schedule]\nevery = "%dms"\n%s\n' % (every, schedule)
            self.daemon.job(name, text + EXTRA.get(name, ""))

    def launch(self):
        self.notify.clear()
        self.daemon.launch(env=self.notify.environment())

    def early(self):
        """Somewhere between its start and the first run."""
        time.sleep(self.random.uniform(0, 0.1))

    def ready(self):
        self.notify.wait_for("READY")

    def random_moment(self):
        time.sleep(self.random.uniform(0, 2))

    def after_a_line(self):
        """At the moment at which a job has just written something."""
        self.notify.wait_for("READY")
        time.sleep(self.random.uniform(0, 0.5))
        size = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        limit = time.monotonic() + 5
        while time.monotonic() < limit:
            if os.path.exists(self.log) and os.path.getsize(self.log) > size:
                return

    def kill(self, moment):
        self.assertIsNone(self.daemon.process.poll(), "it ended by itself:\n" + self.daemon.log()[-2000:])
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.kills[moment] += 1

    def stop(self, _):
        """As a person would. It may come before the daemon listens to signals, but not after it is ready."""
        self.assertIsNone(self.daemon.process.poll(), "it ended by itself:\n" + self.daemon.log()[-2000:])
        statuses = (0,) if "READY" in self.said() else (0, -signal.SIGTERM)
        self.daemon.process.terminate()
        status = self.daemon.process.wait(30)
        self.assertIn(status, statuses, self.daemon.log()[-2000:])
        self.stops += 1

    def said(self):
        """What the present daemon has told its manager so far."""
        with contextlib.suppress(AssertionError):
            self.notify.wait(lambda _: False, seconds=0)
        return {name for message in self.notify.messages for name in message}

    def ask(self):
        """A client that asks for runs, one after the other, whenever somebody answers."""
        call = json.dumps({"method": "org.nightlatch.Control.RunJob", "parameters": {"job": "asked", "wait": False}})
        while not self.is_over.wait(0.02):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(5)
                peer.connect(self.daemon.socket)
                peer.sendall(call.encode() + b"\0")
                answer = b""
                while chunk := peer.recv(65536):
                    answer += chunk
                    if answer.endswith(b"\0"):
                        break
                if answer.endswith(b"\0") and "run" in (reply := json.loads(answer[:-1]).get("parameters", {})):
                    self.answered.append(reply["run"]["run"])

    def settle(self):
        """A last life in which nothing new is due and everything that is open comes to its end."""
        self.write_jobs(scheduled=True)
        self.launch()
        self.notify.wait_for("READY")
        # Long enough for the last catch-up; then the triggers go away.
        time.sleep(1)
        self.write_jobs(scheduled=False)
        self.assertEqual(self.daemon.tool("reload")[0], 0)
        wait_for("the last run's end", lambda: not self.open_runs(), 30)
        self.daemon.process.terminate()
        self.assertEqual(self.daemon.process.wait(30), 0, self.daemon.log()[-2000:])

    def open_runs(self):
        status = self.daemon.nightlatch("status")
        return status["running"] + status["waiting"]

    # What they left behind.

    def read_ledger(self):
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % self.daemon.path("state/ledger.db"), uri=True)) as ledger:
            ledger.row_factory = sqlite3.Row
            self.assertEqual(ledger.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            runs = {row["id"] + (1 << 63): row for row in ledger.execute("SELECT * FROM runs")}
            attempts = {(row["run"] + (1 << 63), row["number"]): row for row in ledger.execute("SELECT * FROM attempts")}
        return runs, attempts

    def read_lines(self):
        """(what, run, attempt) in the order in which they were written."""
        with open(self.log, encoding="ascii") as file:
            lines = [line.split() for line in file]
        return [(what, int(run, 16), int(attempt)) for what, run, attempt, _ in lines]

    # What must be true.

    def check_every_attempt(self, runs, attempts, lines):
        counts = collections.Counter(lines)
        self.assertEqual([line for line, count in counts.items() if count > 1], [], "executed twice")
        latest = {}
        for what, run, attempt in lines:
            story = [(row["number"], row["outcome"], row["reason"]) for (id, _), row in attempts.items() if id == run]
            self.assertIn(run, runs, "executed without a row in the ledger")
            self.assertIn((run, attempt), attempts, "an attempt that the ledger doesn't know: %r" % story)
            self.assertGreaterEqual(attempt, latest.get(run, 0), "an attempt went on after the next had begun: %r" % story)
            latest[run] = attempt
        for (run, number), row in attempts.items():
            if number < runs[run]["attempt"]:
                self.assertIn(row["outcome"], ("interrupted", "temporary"), "followed by another attempt")
            if row["outcome"] == "succeeded":
                self.assertEqual(counts["begin", run, number], 1)
                self.assertEqual(counts["end", run, number], 1)
            if runs[run]["state"] in ("skipped", "coalesced"):
                self.fail("run %x was %s and has an attempt" % (run, runs[run]["state"]))
        for run, row in runs.items():
            self.assertEqual(
                sorted(number for id, number in attempts if id == run), list(range(1, row["attempt"] + 1)))

    def check_every_due(self, runs):
        """Interval dues are anchored: from the first on there is one every so many microseconds, in a row of its
        own or covered by a later one."""
        for name, (every, _, _, _) in JOBS.items():
            if not every:
                continue
            rows = sorted((int(row["due_key"].split(":")[2]), row["covers"]) for row in runs.values() if row["job"] == name)
            self.assertGreater(len(rows), 5, name)
            length = every * 1000
            for (before, _), (due, covers) in zip(rows, rows[1:]):
                steps, rest = divmod(due - before, length)
                self.assertEqual(rest, 0, "%s: the cadence moved" % name)
                if name in MERGING:
                    self.assertLessEqual(steps, 1 + covers, "%s: dues are lost before %d" % (name, due))
                else:
                    self.assertEqual(steps, 1 + covers, "%s: dues are lost or counted twice before %d" % (name, due))

    def check_that_all_is_settled(self, runs):
        for run, row in runs.items():
            states = FINAL + (("deferred",) if row["job"] == "deferred" else ())
            self.assertIn(row["state"], states, "run %x of %s" % (run, row["job"]))
            if row["state"] == "quarantined":
                # Attempts that a stop cut off don't count.
                self.assertEqual(len(row["interruptions"].split(",")), 3)
                self.assertGreaterEqual(row["attempt"], 3)
        self.assertLessEqual(sum(row["state"] == "deferred" for row in runs.values()), 1)
        self.assertEqual(self.daemon.processes(), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seconds", type=float, default=options.seconds)
    parser.add_argument("--seed", type=int)
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
