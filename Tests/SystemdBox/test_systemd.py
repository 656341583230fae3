#!/usr/bin/env python3
"""Nightlatch under a real systemd: started, watched, killed, reloaded and stopped as an administrator's would be."""
import os
import re
import shutil
import signal
import subprocess
import unittest

from box import ROOT, Box, require, require_release, wait_for

JOB = "org.example.job"
BOX = None


def setUpModule():
    global BOX
    require(os.getuid() == 0, "needs root, to boot a systemd in namespaces")
    for tool in ("unshare", "nsenter", "ip", "findmnt"):
        require(shutil.which(tool), "needs " + tool)
    require(os.path.exists("/lib/systemd/systemd"), "needs systemd installed")
    for probe in (["unshare", "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--fork", "mount", "--make-rprivate", "/"],
                  ["findmnt", "--types", "cgroup2"]):
        done = subprocess.run(probe, capture_output=True, text=True, check=False)
        require(done.returncode == 0, "needs `%s`: %s" % (" ".join(probe), done.stderr.strip()))
    require_release()
    BOX = Box()
    unittest.addModuleCleanup(BOX.down)
    BOX.install()


def message_id(name):
    """The identifier of an event, by its name in the message catalog."""
    with open(os.path.join(ROOT, "systemd/nightlatch.catalog"), encoding="utf-8") as file:
        return re.search(r"^# %s\n-- ([0-9a-f]{32})$" % name, file.read(), re.M)[1]


class BoxTest(unittest.TestCase):
    def setUp(self):
        BOX.reset()

    def runs(self, job=JOB):
        return BOX.json("runs", job)["runs"]

    def states(self, job=JOB):
        return [run["state"] for run in self.runs(job)]

    def verdict(self, job=JOB):
        """Waits until the job's newest run has ended for good; returns it."""
        final = {"succeeded", "failed", "timed-out", "interrupted", "skipped", "expired", "cancelled", "quarantined"}
        return wait_for("a verdict for " + job, lambda: next((run for run in self.runs(job) if run["state"] in final), None))

    def marks(self):
        return BOX.read("/run/test/marks").split()


class InstallTests(BoxTest):
    def test_the_units_verify(self):
        output = BOX.shell(
            "systemd-analyze verify --man=no /usr/lib/systemd/system/nightlatchd.service"
            " /usr/lib/systemd/system/nightlatchd.socket /usr/lib/systemd/system/nightlatch-publish.service"
            " /usr/lib/systemd/system/nightlatch-foreground@.service"
            " /usr/lib/systemd/system/nightlatch-publish@.service 2>&1")
        self.assertNotIn("nightlatch", output)

    def test_the_runtime_folders_are_what_tmpfiles_says(self):
        listing = BOX.shell("stat --format '%n %a %U:%G' /run/nightlatch /run/nightlatch/*/").split("\n")
        self.assertIn("/run/nightlatch 755 root:root", listing)
        self.assertIn("/run/nightlatch/auth/ 2750 root:nightlatch", listing)
        self.assertIn("/run/nightlatch/tokens/ 700 root:root", listing)

    def test_the_catalog_explains_every_event(self):
        known = BOX.run("journalctl", "--dump-catalog")
        with open(os.path.join(ROOT, "systemd/nightlatch.catalog"), encoding="utf-8") as file:
            identifiers = re.findall(r"^-- ([0-9a-f]{32})$", file.read(), re.M)
        self.assertEqual(len(set(identifiers)), len(identifiers))
        for identifier in identifiers:
            self.assertIn(identifier, known)

    def test_uninstall_leaves_nothing_but_configuration(self):
        staging = "/tmp/staging"
        make = "make --no-print-directory -C '%s' DESTDIR=%s PREFIX=/opt/nl " % (ROOT, staging)
        BOX.shell(make + "install > /dev/null")
        self.assertIn("/opt/nl/lib/nightlatch/nightlatchd", BOX.read(staging + "/opt/nl/lib/systemd/system/nightlatchd.service"))
        BOX.shell(make + "uninstall > /dev/null")
        left = BOX.shell("find %s -type f; rm -rf %s" % (staging, staging))
        self.assertEqual(left, "")


class StartTests(BoxTest):
    def test_start_returns_when_the_daemon_is_ready_and_not_before(self):
        BOX.job(JOB, 'command = ["/bin/true"]\n[schedule]\ncalendar = "hourly"\n')
        BOX.start()
        self.assertEqual(BOX.show("ActiveState"), "active")
        ready = BOX.journal("MESSAGE_ID=" + message_id("daemon started"))
        self.assertEqual(len(ready), 1)
        said = int(ready[0].get("_SOURCE_MONOTONIC_TIMESTAMP", ready[0]["__MONOTONIC_TIMESTAMP"]))
        started, active = (int(BOX.show(name + "TimestampMonotonic")) for name in ("ExecMainStart", "ActiveEnter"))
        # The journal's own stamp is taken a moment after the message was sent.
        self.assertLess(started, said)
        self.assertLess(started, active)
        self.assertEqual([job["job"] for job in self.jobs()], [JOB])
        self.assertNotEqual(BOX.show("StatusText"), "")

    def test_a_daemon_that_can_not_open_its_ledger_never_becomes_active(self):
        BOX.shell("mkdir -p -m 700 /var/lib/nightlatch/ledger.db")
        BOX.write("/run/systemd/system/nightlatchd.service.d/once.conf", "[Service]\nRestart=no\nTimeoutStartSec=15s\n")
        BOX.run("systemctl", "daemon-reload")
        status, _ = BOX.run("systemctl", "start", "nightlatchd.service", check=False)
        self.assertNotEqual(status, 0)
        self.assertEqual(BOX.show("ActiveEnterTimestampMonotonic"), "0")
        self.assertIn("ledger.db", BOX.run("journalctl", "--unit=nightlatchd.service", "--output=cat"))

    def test_a_call_on_the_socket_starts_the_daemon(self):
        BOX.run("systemctl", "start", "nightlatchd.socket")
        self.assertEqual(BOX.show("ActiveState"), "inactive")
        self.assertEqual(self.jobs(), [])
        self.assertEqual(BOX.show("ActiveState"), "active")

    def test_a_second_daemon_on_the_same_folder_says_so_and_ends(self):
        BOX.start()
        first = BOX.main_pid()
        status, output = BOX.run("/usr/lib/nightlatch/nightlatchd", check=False)
        self.assertNotEqual(status, 0)
        self.assertIn("/var/lib/nightlatch", output)
        self.assertEqual((BOX.main_pid(), BOX.show("ActiveState")), (first, "active"))

    def jobs(self):
        return BOX.json("list")["jobs"]


class JournalTests(BoxTest):
    def test_a_verdict_and_the_output_are_in_the_journal_under_the_job(self):
        BOX.job(JOB, 'shell = "echo hello from the run"\n[schedule]\nafter_start = "0s"\n')
        BOX.start()
        run = self.verdict()
        self.assertEqual(run["state"], "succeeded")
        match = "NIGHTLATCH_JOB=" + JOB
        verdicts = BOX.journal(match, "MESSAGE_ID=" + message_id("run succeeded"))
        self.assertEqual(len(verdicts), 1)
        entry = verdicts[0]
        self.assertEqual(
            (entry["NIGHTLATCH_RUN"], entry["NIGHTLATCH_ATTEMPT"], entry["NIGHTLATCH_VERDICT"], entry["NIGHTLATCH_EXIT_STATUS"]),
            (run["run"], "1", "succeeded", "0"))
        self.assertIn("hello from the run", [entry["MESSAGE"] for entry in BOX.journal(match)])
        self.assertIn("nothing more will happen to it", BOX.run("journalctl", "--catalog", match))

    def test_a_failure_says_how_it_ended(self):
        BOX.job(JOB, 'shell = "exit 3"\n[schedule]\nafter_start = "0s"\n')
        BOX.start()
        self.assertEqual(self.verdict()["exit_code"], 3)
        entry = BOX.journal("MESSAGE_ID=" + message_id("run failed"))[0]
        self.assertEqual(entry["NIGHTLATCH_EXIT_STATUS"], "3")


class WatchdogTests(BoxTest):
    def test_a_loop_that_stands_still_is_restarted(self):
        BOX.write("/run/systemd/system/nightlatchd.service.d/soon.conf", "[Service]\nWatchdogSec=2s\nTimeoutAbortSec=2s\n")
        BOX.run("systemctl", "daemon-reload")
        BOX.start()
        stopped = BOX.main_pid()
        BOX.run("kill", "-STOP", str(stopped))
        wait_for("another daemon", lambda: BOX.show("ActiveState") == "active" and BOX.main_pid() not in (0, stopped))
        self.assertEqual(BOX.show("NRestarts"), "1")
        self.assertIn("Watchdog timeout", BOX.run("journalctl", "--unit=nightlatchd.service", "--output=cat"))

    def test_a_loop_that_moves_is_left_alone(self):
        BOX.write("/run/systemd/system/nightlatchd.service.d/soon.conf", "[Service]\nWatchdogSec=1s\n")
        BOX.run("systemctl", "daemon-reload")
        BOX.start()
        pinged = BOX.show("WatchdogTimestampMonotonic")
        wait_for("three pings", lambda: int(BOX.show("WatchdogTimestampMonotonic")) > int(pinged) + 1_200_000)
        self.assertEqual(BOX.show("NRestarts"), "0")


class CrashTests(BoxTest):
    # The first attempt lasts until it is killed, the second ends.
    STUBBORN = (
        'shell = "echo $NIGHTLATCH_ATTEMPT >> /run/test/marks; [ $NIGHTLATCH_ATTEMPT -gt 1 ] || exec sleep infinity"\n'
        '[schedule]\nafter_start = "0s"\n[limits]\ntime_limit = "1h"\n')

    def test_a_run_under_a_killed_daemon_is_interrupted_and_rerun_once(self):
        BOX.job(JOB, self.STUBBORN)
        BOX.start()
        wait_for("the first attempt", lambda: self.marks() == ["1"])
        first = BOX.main_pid()
        # A due of its own belongs to each start of the daemon; this test is about the one that was cut off.
        BOX.job(JOB, self.STUBBORN.replace('after_start = "0s"', 'calendar = "2099-01-01"'))
        BOX.run("kill", "-KILL", str(first))
        wait_for("the restart", lambda: BOX.show("ActiveState") == "active" and BOX.main_pid() not in (0, first))
        run = self.verdict()
        self.assertEqual((run["state"], run["attempt"]), ("succeeded", 2))
        self.assertEqual(self.marks(), ["1", "2"])
        self.assertEqual(len(self.runs()), 1)
        attempts = BOX.json("why", run["run"])["attempts"]
        self.assertEqual([attempt["outcome"] for attempt in attempts], ["interrupted", "succeeded"])
        self.assertEqual(len(BOX.journal("MESSAGE_ID=" + message_id("run interrupted"))), 1)

    def test_no_process_of_a_run_survives_its_daemon(self):
        BOX.job(JOB, 'shell = "sleep 12345 & exec sleep 12345"\non_interrupted = "give-up"\n[schedule]\nafter_start = "0s"\n[limits]\ntime_limit = "1h"\n')
        BOX.start()
        wait_for("both processes", lambda: BOX.run("pgrep", "-fc", "^sleep 12345", check=False)[1].strip() == "2")
        BOX.run("kill", "-KILL", str(BOX.main_pid()))
        wait_for("their end", lambda: BOX.run("pgrep", "-f", "^sleep 12345", check=False)[0] == 1)


class StopTests(BoxTest):
    def test_stopping_lets_a_run_end_within_its_grace(self):
        BOX.job(JOB, (
            'shell = "trap \\"echo ended >> /run/test/marks; exit 0\\" TERM; echo begun >> /run/test/marks;'
            ' while :; do sleep 0.1; done"\n[schedule]\nafter_start = "0s"\n[limits]\ntime_limit = "1h"\n'))
        BOX.start()
        wait_for("the run", lambda: self.marks() == ["begun"])
        BOX.run("systemctl", "stop", "nightlatchd.service")
        self.assertEqual(self.marks(), ["begun", "ended"])
        self.assertEqual((BOX.show("Result"), BOX.show("ExecMainStatus")), ("success", "0"))
        self.assertEqual(len(BOX.journal("MESSAGE_ID=" + message_id("daemon stopping"))), 1)

    def test_an_idle_daemon_stops_with_zero(self):
        BOX.start()
        BOX.run("systemctl", "stop", "nightlatchd.service")
        self.assertEqual((BOX.show("Result"), BOX.show("ExecMainStatus")), ("success", "0"))


class ReloadTests(BoxTest):
    def test_reload_takes_the_new_and_keeps_the_last_good(self):
        good = 'command = ["/bin/true"]\n[schedule]\ncalendar = "2099-01-01"\n'
        BOX.job("org.example.kept", good)
        BOX.start()
        pid = BOX.main_pid()
        BOX.job("org.example.kept", 'command = ["/bin/true"]\n[schedule]\ncalender = "hourly"\n')
        BOX.job("org.example.new", good)
        BOX.run("systemctl", "reload", "nightlatchd.service")
        self.assertEqual((BOX.show("ActiveState"), BOX.main_pid()), ("active", pid))
        jobs = {job["job"]: job for job in BOX.json("list")["jobs"]}
        self.assertEqual(sorted(jobs), ["org.example.kept", "org.example.new"])
        self.assertIn("calendar", jobs["org.example.kept"]["problem"])
        self.assertIsNone(jobs["org.example.new"].get("problem"))
        self.assertEqual(len(BOX.journal("MESSAGE_ID=" + message_id("reload done"))), 1)


class SessionCase(BoxTest):
    """A session, and the server that it is one of."""

    PROVIDER = 'kind = "oidc"\nissuer = "%s"\nclient_id = "nightlatch"\nscopes = ["openid", "offline_access"]\n'

    def setUp(self):
        super().setUp()
        BOX.run("systemd-run", "--unit=idp", "--collect", "--property=StandardOutput=file:/run/test/idp", "python3", os.path.join(ROOT, "Tests/IdentityServers/idp.py"))
        self.addCleanup(BOX.run, "systemctl", "stop", "idp.service")
        self.base = wait_for("the identity server", lambda: BOX.read("/run/test/idp")).split()[1]
        BOX.write("/etc/nightlatch/providers.d/work.toml", self.PROVIDER % self.base)

    def log_in(self, provider="work"):
        BOX.shell("nightlatch login " + provider + " > /run/test/login 2>&1 & login=$!;"
                  "until curl --silent --fail --data '' %s/test/approve | grep -q ' 1'; do sleep 0.1; done; wait $login" % self.base)

    def settings(self, name, value):
        BOX.run("curl", "--silent", "--fail", "--data", "%s=%s" % (name, value), self.base + "/test/settings")


class SessionTests(SessionCase):
    """The whole pipeline, each program in its own unit."""

    def test_a_deferred_run_drains_after_a_phase_in_its_own_unit(self):
        BOX.start()
        self.settings("access_lifetime", 1)
        self.log_in()
        wait_for("the token's end", lambda: BOX.nightlatch("auth", "work", check=False)[0] == 10)
        self.settings("access_lifetime", 300)
        BOX.job(JOB, (
            'shell = "sed \'s/^/Authorization: Bearer /\' $NIGHTLATCH_TOKEN_FILE | curl --silent --fail --header @- %s/userinfo"\n'
            '[schedule]\nafter_start = "0s"\n[auth]\nprovider = "work"\nrequires = "verified"\n' % self.base))
        BOX.run("systemctl", "restart", "nightlatchd.service")
        self.assertEqual(self.verdict()["state"], "succeeded")
        self.assertEqual(len(BOX.journal("NIGHTLATCH_JOB=" + JOB, "MESSAGE_ID=" + message_id("run deferred"))), 1)
        self.assertIn('"alice"', "".join(entry["MESSAGE"] for entry in BOX.journal("NIGHTLATCH_JOB=" + JOB)))
        phases = BOX.journal("UNIT=nightlatch-foreground@work.service")
        self.assertTrue(phases, "the phase did not run in its own unit")

    def test_nothing_secret_is_readable_or_in_the_journal(self):
        BOX.start()
        self.log_in()
        token = BOX.read("/run/nightlatch/tokens/work")
        self.assertTrue(token.startswith("at_"))
        self.assertNotIn(token, BOX.run("journalctl", "--all", "--output=export"))
        self.assertNotIn(token, BOX.shell("cat /run/nightlatch/auth/work | tr -d '\\000'"))
        readable = BOX.shell(
            "find /var/lib/nightlatch /run/nightlatch/tokens -type f -perm /077 -printf '%p %m\\n'")
        self.assertEqual(readable, "")


class DepartureTests(SessionCase):
    """Stopping units, and logind announcing that the machine goes down, while a refresh token is on its way."""

    MANAGER = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")

    def setUp(self):
        super().setUp()
        BOX.start()
        self.log_in()

    def refresh_without_answer(self):
        """A phase in its own unit whose answer does not come before `answer()`."""
        BOX.run("systemctl", "kill", "--signal=STOP", "idp.service")
        self.addCleanup(self.answer)
        BOX.run("systemctl", "start", "--no-block", "nightlatch-foreground@work.service")
        wait_for("the spend", lambda: self.spend() == "open")

    def spend(self):
        return next(provider["spend"] for provider in BOX.json("status")["providers"] if provider["provider"] == "work")

    def answer(self):
        BOX.run("systemctl", "kill", "--signal=CONT", "idp.service", check=False)

    def spends(self):
        return BOX.run("curl", "--silent", "--fail", self.base + "/test/log").count('"grant": "refresh_token"')

    def inhibitors(self):
        listing = BOX.run("systemd-inhibit", "--list", "--no-legend", "--no-pager")
        return [line for line in listing.splitlines() if line.startswith("Nightlatch")]

    def is_going_down(self):
        return BOX.run("busctl", "get-property", *self.MANAGER, "PreparingForShutdown").strip() == "b true"

    def test_stopping_the_unit_waits_for_the_answer(self):
        before = BOX.read("/run/nightlatch/tokens/work")
        self.refresh_without_answer()
        BOX.run("systemctl", "stop", "--no-block", "nightlatch-foreground@work.service")
        wait_for("the stop", lambda: BOX.show("ActiveState", "nightlatch-foreground@work.service") == "deactivating")
        self.answer()
        wait_for("the end", lambda: BOX.show("ActiveState", "nightlatch-foreground@work.service") == "inactive")
        self.assertEqual(BOX.show("Result", "nightlatch-foreground@work.service"), "success")
        self.assertNotEqual(BOX.read("/run/nightlatch/tokens/work"), before)
        self.assertEqual(self.spend(), "settled")

    def test_a_shutdown_waits_for_an_answer_and_nothing_is_sent_meanwhile(self):
        doctor = lambda: BOX.run("/usr/lib/nightlatch/nightlatch-foreground", "doctor", "work", check=False)[1]
        self.assertIn("warning  work: shutdown: logind waits only 5s for a request that may take 30s", doctor())
        with open(os.path.join(ROOT, "systemd/logind.conf.d/nightlatch.conf"), encoding="utf-8") as file:
            BOX.write("/run/systemd/logind.conf.d/nightlatch.conf", file.read().replace("=30", "=60"))
        BOX.run("systemctl", "kill", "--signal=HUP", "systemd-logind.service")
        wait_for("logind's new patience", lambda: "ok       work: shutdown: waits up to 1min for a request" in doctor())
        BOX.write("/etc/nightlatch/providers.d/home.toml", self.PROVIDER % self.base)
        self.log_in("home")
        BOX.nightlatch("reload")
        self.assertEqual(self.inhibitors(), [])
        self.refresh_without_answer()
        self.assertRegex(self.inhibitors()[0], "shutdown:sleep|sleep:shutdown")
        self.assertTrue(self.inhibitors()[0].rstrip().endswith("delay"))

        # It gets as far as the announcement: reaching this target switches nothing off.
        BOX.write("/run/systemd/system/poweroff.target", "[Unit]\nDescription=Nothing\n")
        BOX.run("systemctl", "daemon-reload")
        self.addCleanup(BOX.shell, "systemctl stop poweroff.target; rm /run/systemd/system/poweroff.target; systemctl daemon-reload")
        BOX.run("busctl", "call", *self.MANAGER, "PowerOff", "b", "false")
        self.assertTrue(self.is_going_down())
        status, output = BOX.run("/usr/lib/nightlatch/nightlatch-foreground", "refresh", "home", check=False)
        self.assertEqual(status, 75, output)
        self.assertIn("about to sleep or to shut down", output)
        BOX.nightlatch("foreground", "home")
        self.assertTrue(self.is_going_down(), "it has not waited for the answer")

        self.answer()
        wait_for("the lock's end", lambda: self.inhibitors() == [])
        wait_for("the end of the announcement", lambda: not self.is_going_down())
        self.assertEqual(BOX.show("Result", "nightlatch-foreground@work.service"), "success")
        # The wish that came too early is met when it is over, like everything that waits.
        wait_for("the other refresh", lambda: self.spends() == 2)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    unittest.main()
