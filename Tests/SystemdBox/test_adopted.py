#!/usr/bin/env python3
"""Runs that outlive the daemon which started them."""
import os
import signal
import unittest

from authcache import Session
from box import require, wait_for
from runcase import PROVIDER, TOKEN, RunCase


class AdoptedRunTests(RunCase):
    def test_an_adopted_run_leaves_no_token_behind(self):
        self.job('echo began > %s; while test ! -e %s.go; do sleep 0.05; done' % (self.out, self.out), auth="")
        self.session.publish(TOKEN)
        self.daemon.start()
        run = self.daemon.nightlatch("run", "org.example.job")["run"]
        wait_for("the run", lambda: self.daemon.read("out"))
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.daemon.start()
        with open(self.out + ".go", "w", encoding="ascii"):
            pass
        wait_for("its end", lambda: self.daemon.nightlatch("why", run)["run"]["state"] == "failed")
        self.assertEqual(os.listdir(self.daemon.path("runtime/runs")), [])

    def outlive(self, run):
        """Kills the daemon under the run and starts another, which finds the run alive."""
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.daemon.start()
        return self.state(run)

    def test_the_time_limit_holds_for_an_adopted_run_and_all_it_started(self):
        self.write_script("trap '' TERM\nsetsid sleep 1000 &\n(setsid sleep 1000 &)\necho began > %s\nwhile :; do sleep 0.1; done\n" % self.out,
                          '[limits]\ntime_limit = "2s"\ngrace = "100ms"\n')
        self.daemon.start()
        run = self.daemon.nightlatch("run", "org.example.job")["run"]
        wait_for("the run", lambda: self.daemon.read("out"))
        self.assertEqual(self.outlive(run), "running")
        wait_for("its verdict", lambda: self.state(run) == "timed-out")
        self.assertEqual(self.attempts(run), [("timed-out", "time-limit")])
        wait_for("the end of its processes", lambda: not self.daemon.processes())

    def test_an_adopted_run_can_be_cancelled(self):
        self.job("echo began > %s; sleep 1000" % self.out)
        self.daemon.start()
        run = self.daemon.nightlatch("run", "org.example.job")["run"]
        wait_for("the run", lambda: self.daemon.read("out"))
        self.assertEqual(self.outlive(run), "running")
        self.assertEqual(self.daemon.tool("cancel", run)[0], 0)
        wait_for("its verdict", lambda: self.state(run) == "cancelled")
        wait_for("the end of its processes", lambda: not self.daemon.processes())

    def test_a_run_of_another_user_may_have_its_token_again_even_when_adopted(self):
        require(os.getuid() == 0, "needs root")
        tool = self.daemon.tool_for_all()
        # The system's daemon lets everybody connect.
        self.daemon.folders[0] = "--system"
        os.chmod(self.daemon.path("runtime"), 0o755)
        os.mkdir(self.out, 0o777)
        os.chmod(self.out, 0o777)
        ask = " ".join([tool, "token", "%s", *self.daemon.folders])
        self.write_script("cd %s\necho > began\nuntil test -e go; do sleep 0.05; done\n%s > own\n%s > other 2> refusal\nexit 0\n" % (
            self.out, ask % "work", ask % "home"), 'user = "daemon"\n[auth]\nprovider = "work"\nrequires = "verified"\n')
        os.chmod(self.daemon.path("script"), 0o755)
        self.daemon.write("providers.d/home.toml", PROVIDER)
        Session(self.daemon.path("runtime"), "home").publish("another")
        self.session.publish(TOKEN)
        self.daemon.start()
        run = self.daemon.nightlatch("run", "org.example.job")["run"]
        wait_for("the run", lambda: os.path.exists(self.daemon.path("out/began")))
        self.assertEqual(self.outlive(run), "running")
        with open(self.daemon.path("out/go"), "w", encoding="ascii"):
            pass
        wait_for("its end", lambda: self.state(run) == "failed")
        self.assertEqual(self.daemon.read("out/own"), TOKEN + "\n")
        self.assertEqual(self.daemon.read("out/other"), "")
        self.assertIn("runs of jobs with this provider", self.daemon.read("out/refusal"))

    def test_a_run_whose_file_went_away_with_its_daemon_is_ended(self):
        self.job("echo began > %s; sleep 1000" % self.out)
        self.daemon.start()
        run = self.daemon.nightlatch("run", "org.example.job")["run"]
        wait_for("the run", lambda: self.daemon.read("out"))
        os.unlink(self.daemon.path("config/jobs.d/org.example.job.toml"))
        self.outlive(run)
        wait_for("its verdict", lambda: self.state(run) == "cancelled")
        wait_for("the end of its processes", lambda: not self.daemon.processes())

    def test_what_is_left_of_a_run_whose_leader_died_with_the_daemon_is_ended_before_it_is_started_again(self):
        self.write_script("setsid sh -c 'echo $$ >> %s; exec sleep 1000' &\nwait\n" % self.out)
        self.daemon.start()
        run = self.daemon.nightlatch("run", "org.example.job")["run"]
        wait_for("the run", lambda: self.daemon.read("out"))
        stray = int(self.daemon.read("out"))
        leader = next(pid for pid in self.daemon.processes() if os.getsid(pid) == pid and pid != stray)
        self.daemon.process.kill()
        self.daemon.process.wait()
        os.kill(leader, signal.SIGKILL)
        self.daemon.start()
        wait_for("the second attempt", lambda: self.daemon.read("out").count("\n") == 2)
        self.assertNotIn(stray, self.daemon.processes())
        self.assertEqual(self.attempts(run), [("interrupted", "crash"), (None, None)])


if __name__ == "__main__":
    unittest.main()
