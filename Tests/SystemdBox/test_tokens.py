#!/usr/bin/env python3
"""How a run gets its access token, and when it does not."""
import os
import subprocess
import unittest

from box import RELEASE, require, wait_for
from runcase import PROVIDER, TOKEN, RunCase


class TokenTests(RunCase):
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

    def test_the_tool_hands_out_the_cached_token(self):
        self.session.publish(TOKEN, lifetime=600)
        self.daemon.start()
        self.assertEqual(self.daemon.tool("token", "work"), (0, TOKEN + "\n", ""))
        status, output, errors = self.daemon.tool("token", "work", "--min-valid", "1h")
        self.assertEqual((status, output), (75, ""))
        self.assertNotIn(TOKEN, errors)

    def test_users_and_groups_that_the_file_names_get_the_token_and_nobody_else(self):
        require(os.getuid() == 0, "needs root")
        tool = self.daemon.tool_for_all()
        self.daemon.folders[0] = "--system"
        os.chmod(self.daemon.path("runtime"), 0o755)
        self.daemon.write("providers.d/work.toml", PROVIDER + 'allow_users = ["daemon"]\nallow_groups = ["games"]\n')
        self.session.publish(TOKEN)
        self.daemon.start()

        def ask(user, *groups):
            who = ["setpriv", "--reuid=" + user, "--regid=nogroup", *(groups or ["--clear-groups"])]
            done = subprocess.run([*who, tool, "token", "work", *self.daemon.folders], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

        self.assertEqual(ask("daemon"), (0, TOKEN + "\n"))
        # By a supplementary group of the process, which no user database knows.
        self.assertEqual(ask("nobody", "--groups=games"), (0, TOKEN + "\n"))
        self.assertEqual(ask("nobody"), (77, ""))
        self.assertEqual(ask("nobody", "--groups=mail"), (77, ""))

    def test_what_may_not_be_read_is_not_taken_for_missing(self):
        require(os.getuid() == 0, "needs root")
        tool = self.daemon.tool_for_all()
        os.chmod(self.daemon.path("runtime"), 0o755)
        os.chmod(self.daemon.path("config"), 0o700)
        nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]

        def ask(*arguments):
            done = subprocess.run([*nobody, tool, *arguments, *self.daemon.folders], capture_output=True, text=True, check=False)
            self.assertNotRegex(done.stdout + done.stderr, "[Nn]o provider|is none|is no (file|folder)")
            return done.returncode, done.stdout + done.stderr

        denied = "cannot list '%s': Permission denied" % self.daemon.path("config/providers.d")
        for arguments, status in ((["auth"], 78), (["login"], 78), (["refresh"], 78), (["doctor"], 1), (["doctor", "work"], 1),
                                  (["check"], 1)):
            code, text = ask(*arguments)
            self.assertIn(denied, text, arguments)
            self.assertEqual(code, status, text)
        # What was published says more than a folder that can't be listed.
        self.session.publish(TOKEN)
        os.chmod(self.daemon.path("runtime/auth"), 0o755)
        os.chmod(self.daemon.path("runtime/auth/work"), 0o644)
        self.assertEqual(ask("auth", "work", "--quiet")[0], 0)

    def test_a_token_file_is_published_as_soon_as_it_is_rotated(self):
        def volume(name, token):
            os.makedirs(self.daemon.path("secret/" + name))
            with open(self.daemon.path("secret/%s/token" % name), "w", encoding="ascii") as file:
                file.write(token + "\n")
            os.symlink(name, self.daemon.path("secret/..new"))
            os.rename(self.daemon.path("secret/..new"), self.daemon.path("secret/..data"))

        os.mkdir(self.daemon.path("secret"))
        os.symlink("..data/token", self.daemon.path("secret/token"))
        self.daemon.write("providers.d/work.toml", 'kind = "static"\ntoken_file = "%s"\n' % self.daemon.path("secret/token"))
        self.daemon.start()
        wait_for("the first look", lambda: "does not exist yet" in self.daemon.log())
        given = lambda: self.daemon.tool("token", "work")[1]
        volume("..1", "first")
        wait_for("the first token", lambda: given() == "first\n")
        # After the rest that follows a success, which is half the patience of other waits.
        volume("..2", "second")
        wait_for("the second token", lambda: given() == "second\n", seconds=90)

    def test_the_wait_for_a_token_ends_early_when_nobody_is_logged_in(self):
        self.session.publish(TOKEN, verified=False)
        self.daemon.start()
        self.assertEqual(self.daemon.tool("token", "work")[0], 75)
        # The phase that it asks for finds that the store is empty.
        status, output, errors = self.daemon.tool("token", "work", "--wait", "--timeout", "1h")
        self.assertEqual((status, output), (75, ""))
        self.assertIn("nightlatch login work", errors)
        self.assertIn("refresh started", self.daemon.log())

    def test_a_run_causes_no_refresh_whatever_it_asks(self):
        tool = os.path.join(RELEASE, "nightlatch")
        folders = " ".join(self.daemon.folders)
        # Out of its session, and without its environment, it is still the daemon's descendant.
        hidden = "env -i setsid --fork --wait "
        self.job("".join("%s%s %s work --wait %s; echo $? >> %s; " % (how, tool, verb, folders, self.out)
                         for verb in ("token", "foreground") for how in ("", hidden)),
                 more='[auth]\nprovider = "work"\nrequires = "session"\n')
        self.session.publish(TOKEN, verified=False)
        self.daemon.start()
        self.assertEqual(self.run_job()["state"], "succeeded")
        self.assertEqual(self.daemon.read("out").split(), ["75"] * 4, self.daemon.log())
        self.assertNotIn("refresh started", self.daemon.log())

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

    def test_77_makes_the_token_suspect_and_the_next_one_is_tried_once(self):
        self.job('echo "$NIGHTLATCH_ATTEMPT $(cat "$NIGHTLATCH_TOKEN_FILE")" >> %s; exit 77' % self.out, auth="")
        self.session.publish("first")
        self.daemon.start()
        run = self.run_job()
        self.assertEqual((run["state"], run["reason"], run["attempt"]), ("deferred", "token-refused", 1))
        provider, = self.daemon.nightlatch("status")["providers"]
        self.assertEqual(provider["auth_state"], "authenticatedUnverified")
        self.session.publish("second")
        wait_for("the second refusal",
                 lambda: self.daemon.nightlatch("why", run["run"])["run"].get("reason") == "token-refused-again")
        self.assertEqual(self.daemon.read("out").splitlines(), ["1 first", "2 second"])
        # Parked: the token is left alone, and tried again once a person says so.
        provider, = self.daemon.nightlatch("status")["providers"]
        self.assertEqual(provider["auth_state"], "authenticated")
        self.daemon.nightlatch("reload")
        wait_for("the third attempt", lambda: self.daemon.read("out").splitlines()[2:] == ["3 second"])


if __name__ == "__main__":
    unittest.main()
