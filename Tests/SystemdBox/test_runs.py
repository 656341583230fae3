#!/usr/bin/env python3
"""What a run gets, and what becomes of it: tokens, exit statuses, time limits, output."""
import os
import signal
import subprocess
import unittest

from authcache import Session
from box import RELEASE, require, require_release, wait_for
from daemon import Daemon

PROVIDER = 'kind = "oidc"\nissuer = "https://login.example"\nclient_id = "x"\nscopes = ["openid"]\n'
TOKEN = "token-7f3a9c"


class RunTests(unittest.TestCase):
    def setUp(self):
        require_release()
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        # Nobody but a person starts a phase: the tests publish by themselves.
        self.daemon.write("nightlatch.toml", '[foreground]\nwhen = "manual"\n')
        self.daemon.write("providers.d/work.toml", PROVIDER)
        self.session = Session(self.daemon.path("runtime"), "work")
        self.out = self.daemon.path("out")

    def job(self, script, more="", auth=None):
        text = "shell = '''%s'''\n%s\n" % (script, more)
        if auth is not None:
            text += '[auth]\nprovider = "work"\nrequires = "verified"\n' + auth
        self.daemon.job("org.example.job", text)

    def run_job(self):
        return self.daemon.run_job("org.example.job")

    def attempts(self, run):
        return [(attempt.get("outcome"), attempt.get("reason")) for attempt in self.daemon.nightlatch("why", run)["attempts"]]

    # Tokens

    def test_a_token_by_file_is_for_the_run_alone_and_gone_after_it(self):
        self.job('stat -c "%%a %%u" "$NIGHTLATCH_TOKEN_FILE" "${NIGHTLATCH_TOKEN_FILE%%/*}" > %s; cat "$NIGHTLATCH_TOKEN_FILE" >> %s; '
                 'echo " $NIGHTLATCH_AUTH_STATE $NIGHTLATCH_USER_ID $NIGHTLATCH_PROVIDER $NIGHTLATCH_TOKEN_FILE" >> %s'
                 % (self.out, self.out, self.out), auth="")
        self.session.publish(TOKEN)
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["token_generation"]), ("succeeded", 1))
        lines = self.daemon.read("out").splitlines()
        self.assertEqual(lines[:2], ["400 %d" % os.getuid(), "700 %d" % os.getuid()])
        token, state, user, provider, path = lines[2].split()
        self.assertEqual((token, state, user, provider), (TOKEN, "authenticated", "user-1", "work"))
        self.assertTrue(path.startswith(self.daemon.path("runtime/runs/") + run["run"]), path)
        self.assertEqual(os.listdir(self.daemon.path("runtime/runs")), [])
        self.assertNotIn(TOKEN, self.daemon.log())

    def test_a_token_by_descriptor_is_sealed_and_on_no_file_system(self):
        self.job('readlink /proc/self/fd/$NIGHTLATCH_TOKEN_FD > %s; echo x >&$NIGHTLATCH_TOKEN_FD || echo refused >> %s; cat <&3 >> %s; '
                 'env >> %s' % (self.out, self.out, self.out, self.out), auth='deliver = "fd"\n')
        self.session.publish(TOKEN)
        self.daemon.start()
        self.assertEqual(self.run_job()["state"], "succeeded")
        out = self.daemon.read("out")
        self.assertIn("memfd:", out)
        self.assertIn("refused", out)
        self.assertEqual(out.count(TOKEN), 1, "it is read once, and in no variable")
        self.assertNotIn("NIGHTLATCH_TOKEN_FILE", out)

    def test_a_token_in_the_environment_only_when_the_file_says_so(self):
        self.job('echo "$MY_TOKEN" > %s' % self.out, auth='deliver = "env:MY_TOKEN"\n')
        self.session.publish(TOKEN)
        self.daemon.start()
        self.assertEqual(self.run_job()["state"], "succeeded")
        self.assertEqual(self.daemon.read("out"), TOKEN + "\n")

    def test_a_job_that_leaves_files_beside_its_token_still_gets_the_next_one(self):
        self.job('folder=$(dirname "$NIGHTLATCH_TOKEN_FILE"); touch "$folder/mine"; mkdir "$folder/deep"; touch "$folder/deep/er"; test "$NIGHTLATCH_ATTEMPT" = 2 || exit 75',
                 more='[retry]\ninitial = "10ms"\n', auth="")
        self.session.publish(TOKEN)
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["attempt"]), ("succeeded", 2), self.daemon.log())
        self.assertEqual(os.listdir(self.daemon.path("runtime/runs")), [])

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

    # Adopted runs

    def outlive(self, run):
        """Kills the daemon under the run and starts another, which finds the run alive."""
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.daemon.start()
        return self.state(run)

    def state(self, run):
        return self.daemon.nightlatch("why", run)["run"]["state"]

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
        tool = os.path.join(RELEASE, "nightlatch")
        reachable = subprocess.run(["setpriv", "--reuid=daemon", "--clear-groups", "test", "-x", tool], check=False)
        require(reachable.returncode == 0, "the user daemon can't reach " + tool)
        # The system's daemon lets everybody connect.
        self.daemon.folders[0] = "--system"
        for name in ("", "runtime"):
            os.chmod(self.daemon.path(name), 0o755)
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

    # Nothing piles up

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

    def test_the_tool_hands_out_the_cached_token(self):
        self.session.publish(TOKEN, lifetime=600)
        self.daemon.start()
        self.assertEqual(self.daemon.tool("token", "work"), (0, TOKEN + "\n", ""))
        status, output, errors = self.daemon.tool("token", "work", "--min-valid", "1h")
        self.assertEqual((status, output), (75, ""))
        self.assertNotIn(TOKEN, errors)

    def test_a_verified_job_waits_while_no_session_is_verified_and_goes_once_it_is(self):
        self.job('cat "$NIGHTLATCH_TOKEN_FILE" > %s' % self.out, auth="")
        self.session.publish(TOKEN, verified=False)
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["reason"], run["attempt"]), ("deferred", "unverified", 0))
        self.assertEqual(self.daemon.read("out"), "")
        self.assertEqual([entry["run"] for entry in self.daemon.nightlatch("queue")["entries"]], [run["run"]])
        self.session.publish(TOKEN + "-2")
        wait_for("the drain", lambda: self.daemon.nightlatch("why", run["run"])["run"]["state"] == "succeeded")
        self.assertEqual(self.daemon.read("out"), TOKEN + "-2")

    def test_without_a_session_nothing_verified_runs(self):
        self.job("echo ran > %s" % self.out, auth='on_unauthenticated = "defer"\n')
        self.daemon.start()
        self.assertEqual(self.run_job()["state"], "deferred")
        self.assertEqual(self.daemon.read("out"), "")

    def test_an_unreadable_token_file_defers_the_run_and_says_why(self):
        self.job("echo ran > %s" % self.out, auth="")
        self.session.publish(TOKEN)
        os.unlink(self.daemon.path("runtime/tokens/work"))
        os.mkdir(self.daemon.path("runtime/tokens/work"))
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], self.daemon.read("out")), ("deferred", ""))
        self.assertIn("tokens/work", run["reason"])
        # The next token is told from the one that could not be read by its number.
        os.rmdir(self.daemon.path("runtime/tokens/work"))
        self.session.publish(TOKEN)
        wait_for("the drain", lambda: self.daemon.read("out") == "ran\n")

    def test_a_token_of_another_moment_than_the_snapshot_is_not_handed_over(self):
        self.job("echo ran > %s" % self.out, auth="")
        self.session.publish(TOKEN)
        self.session.publish("never written", token_file=False)
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], self.daemon.read("out")), ("deferred", ""))
        self.assertIn("not the one that the auth cache describes", run["reason"])

    # Exit statuses

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

    def test_77_makes_the_token_suspect_and_the_next_one_is_tried_once(self):
        self.job('echo "$NIGHTLATCH_ATTEMPT $(cat "$NIGHTLATCH_TOKEN_FILE")" >> %s; exit 77' % self.out, auth="")
        self.session.publish("first")
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["reason"], run["attempt"]), ("deferred", "token-refused", 1))
        provider, = self.daemon.nightlatch("status")["providers"]
        self.assertEqual(provider["auth_state"], "authenticatedUnverified")
        self.session.publish("second")
        wait_for("the verdict", lambda: self.daemon.nightlatch("why", run["run"])["run"]["state"] == "failed")
        self.assertEqual(self.daemon.read("out").splitlines(), ["1 first", "2 second"])

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

    # What can't be started

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

    def test_a_job_of_another_user_runs_as_that_user_and_owns_its_token(self):
        require(os.getuid() == 0, "needs root")
        self.job('id -un; id -Gn; stat -c "%U %a" "$NIGHTLATCH_TOKEN_FILE" "${NIGHTLATCH_TOKEN_FILE%/*}"; cat "$NIGHTLATCH_TOKEN_FILE"; echo; echo $HOME', more='user = "daemon"', auth="")
        os.chmod(self.daemon.folder, 0o755)
        os.chmod(self.daemon.path("runtime"), 0o755)
        self.session.publish(TOKEN)
        self.daemon.start()
        run = self.run_job()
        self.assertEqual(run["state"], "succeeded", self.daemon.log())
        lines = [line.split(": ", 1)[1] for line in self.daemon.log().splitlines() if line.startswith("org.example.job: ")]
        self.assertEqual(lines, ["daemon", "daemon", "daemon 400", "root 710", TOKEN, "/usr/sbin"])

    # Limits

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

    def write_script(self, script, more=""):
        path = self.daemon.path("script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        self.daemon.job("org.example.job", 'command = ["/bin/sh", "%s"]\n%s' % (path, more))

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
