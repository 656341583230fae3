#!/usr/bin/env python3
"""What becomes of a run: exit statuses, time limits, output, and what it leaves behind."""
import os
import signal
import unittest

from box import wait_for
from runcase import RunCase


class RunTests(RunCase):
    def test_runs_leave_no_descriptor_no_zombie_and_no_memory_behind(self):
        self.daemon.job("org.example.quick", 'shell = "echo $NIGHTLATCH_RUN; (setsid true &)"\n[schedule]\nevery = "10ms"\n')
        self.daemon.start()
        self.run_until(200)
        before = self.resident()
        self.run_until(1000)
        growth = self.resident() - before
        os.unlink(self.daemon.path("config/jobs.d/org.example.quick.toml"))
        self.daemon.tool("reload")
        wait_for("the last end", lambda: self.daemon.nightlatch("status")["running"] == 0)
        idle = len(os.listdir("/proc/%d/fd" % self.daemon.process.pid))
        wait_for("its children's end", lambda: not self.children())
        print("\n%d KiB more after 800 more runs; %d descriptors" % (growth, idle))
        self.assertLess(growth, 4 << 10, "KiB")
        self.assertLess(idle, 40)

    def run_until(self, count):
        wait_for("%d runs" % count, lambda: self.daemon.log().count("org.example.quick succeeded") >= count, 120)

    def children(self):
        with open("/proc/%d/task/%d/children" % (self.daemon.process.pid, self.daemon.process.pid), encoding="ascii") as file:
            return file.read().split()

    def test_75_is_tried_again(self):
        self.job('test "$NIGHTLATCH_ATTEMPT" = 3 || exit 75', more='[retry]\ninitial = "10ms"\n')
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["attempt"]), ("succeeded", 3))
        self.assertEqual(self.attempts(run["run"]), [("temporary", "exit-75")] * 2 + [("succeeded", None)])

    def test_75_is_given_up_after_five_attempts(self):
        self.job("exit 75", more='[retry]\ninitial = "1ms"\n')
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["attempt"], run["exit_code"]), ("failed", 5, 75))

    def test_77_of_a_job_without_a_token_is_a_failure_like_any_other(self):
        self.job("exit 77")
        self.daemon.start()
        self.assertEqual(self.run_job()["state"], "failed")

    def test_a_failure_is_recorded_with_its_status_or_signal(self):
        self.job("exit 3")
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["exit_code"]), ("failed", 3))
        self.job("kill -SEGV $$")
        self.daemon.tool("reload")
        run = self.run_job()
        self.assertEqual((run["state"], run["signal"]), ("failed", signal.SIGSEGV))

    def test_what_cant_be_started_fails_with_a_sentence(self):
        not_executable = self.daemon.path("not-executable")
        with open(not_executable, "w", encoding="ascii"):
            pass
        table = (
            ("missing", 'command = ["/nonexistent/program"]', "no such file"),
            ("nowhere", 'command = ["nonexistent-program"]', "no such executable in"),
            ("plain", 'command = ["%s"]' % not_executable, "not an executable"),
            ("folder", 'command = ["/usr"]', "not an executable"),
            ("user", 'command = ["/bin/true"]\nuser = "nobody-such"', "no such user"),
            ("place", 'command = ["/bin/true"]\nworking_directory = "/nonexistent"', "/nonexistent"))
        for name, text, _ in table:
            self.daemon.job("org.example." + name, text + "\n")
        self.daemon.start()
        for name, _, words in table:
            with self.subTest(name):
                run = self.daemon.run_job("org.example." + name)
                self.assertEqual((run["state"], run["attempt"]), ("failed", 1))
                self.assertIn(words, run["reason"])
                self.assertEqual(self.attempts(run["run"])[0][0], "not-started")

    def test_the_time_limit_ends_a_run_that_ignores_sigterm_and_all_it_started(self):
        # A child in a session of its own, and a grandchild of it that has lost its parent.
        self.write_script("trap '' TERM\nsetsid sh -c 'trap \"\" TERM; (setsid sleep 1000 &); echo began > %s; sleep 1000' &\n"
                          "while :; do sleep 0.1; done\n" % self.out, '[limits]\ntime_limit = "500ms"\ngrace = "100ms"\n')
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["reason"], run["signal"]), ("timed-out", "time-limit", signal.SIGKILL))
        self.assertEqual(self.daemon.read("out"), "began\n")
        wait_for("the end of its processes", lambda: not self.daemon.processes())

    def test_a_run_that_ends_leaves_no_process_behind(self):
        self.write_script("setsid sleep 1000 &\n(setsid sleep 1000 &)\nsleep 1000 &\nexit 0\n")
        self.daemon.start()
        self.assertEqual(self.run_job()["state"], "succeeded")
        wait_for("the end of its processes", lambda: not self.daemon.processes())

    def test_a_flood_of_output_stays_bounded_and_delays_nobody(self):
        self.daemon.job("org.example.flood", 'shell = "yes"\n[limits]\ntime_limit = "1min"\n')
        self.daemon.job("org.example.endless-line", 'shell = "tr \'\\\\0\' x < /dev/zero"\n[limits]\ntime_limit = "1min"\n')
        self.daemon.job("org.example.small", 'command = ["/bin/true"]\n[schedule]\nevery = "100ms"\n')
        self.daemon.start()
        before = self.resident()
        for name in ("flood", "endless-line"):
            self.daemon.tool("run", "org.example." + name)
        size = os.path.getsize(self.daemon.path("log"))
        wait_for("the flood", lambda: os.path.getsize(self.daemon.path("log")) > size + (2 << 20))
        begun = len(self.daemon.runs("org.example.small"))
        wait_for("others' runs beside it", lambda: len(self.daemon.runs("org.example.small")) >= begun + 20)
        latenesses = sorted(run["lateness_usec"] for run in self.daemon.runs("org.example.small")[1:20])
        growth = self.resident() - before
        for name in ("flood", "endless-line"):
            self.assertEqual(self.daemon.tool("cancel", "org.example." + name)[0], 0)
        print("\nbeside a flood: median lateness %d us, the greatest %d us; the daemon grew by %d KiB" % (
            latenesses[len(latenesses) // 2], latenesses[-1], growth))
        self.assertLess(growth, 16 << 10, "KiB")
        wait_for("the end of its processes", lambda: not self.daemon.processes())

    def resident(self):
        """KiB of memory that are the daemon's own."""
        with open("/proc/%d/status" % self.daemon.process.pid, encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


if __name__ == "__main__":
    unittest.main()
