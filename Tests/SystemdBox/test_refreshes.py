#!/usr/bin/env python3
"""Refreshes as a whole machine sees them: many at once, one that hangs, wrong clocks, full disks, copied stores, tokens
that a service refuses."""
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from box import RELEASE, require, require_release, wait_for
from sessionworld import SessionWorld

VERIFIED = '[auth]\nprovider = "work"\nrequires = "verified"\n'
MANY = 50


def milliseconds(seconds):
    """Median, 99th percentile and maximum, for people."""
    ordered = sorted(seconds)
    chosen = (ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1])
    return "median %.1f ms, p99 %.1f ms, maximum %.1f ms of %d" % (*(1000 * value for value in chosen), len(ordered))


class RefreshCase(unittest.TestCase):
    def setUp(self):
        require_release()

    def make(self, *arguments, **options):
        world = SessionWorld(*arguments, **options)
        self.addCleanup(world.remove)
        return world

    def job(self, world, name, script, more=VERIFIED):
        world.daemon.job("org.example." + name, "shell = '''%s'''\n%s" % (script, more))

    def expire(self, world):
        """The session as a login of yesterday left it: there, and not verified."""
        world.idp.call("/test/settings", {"access_lifetime": 1})
        world.log_in()
        wait_for("the token's end", lambda: world.session()["auth_state"] == "authenticatedUnverified")
        world.idp.call("/test/settings", {"access_lifetime": 300})


class SingleFlightTests(RefreshCase):
    def setUp(self):
        super().setUp()
        require(os.getuid() == 0, "needs root, to see who waits for the lock")

    def refreshes(self, world):
        """As many `nightlatch refresh` as there may be, each past the point at which it knows what is in the store."""
        command = [os.path.join(RELEASE, "nightlatch"), "refresh", "work", *world.daemon.folders]
        processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                     for _ in range(MANY)]
        for process in processes:
            wait_for("a refresh to reach the lock", lambda process=process: process.poll() is not None or self.has_lock_open(process.pid))
        return processes

    @staticmethod
    def has_lock_open(pid):
        try:
            return any(os.readlink("/proc/%d/fd/%s" % (pid, fd)).endswith("/work.lock") for fd in os.listdir("/proc/%d/fd" % pid))
        except FileNotFoundError:
            return False

    @staticmethod
    def waits_for_an_answer(pid):
        """Whether it has nothing left to do but to wait: it has asked."""
        with open("/proc/%d/wchan" % pid, encoding="ascii") as file:
            return "poll" in file.read()

    def end(self, processes):
        for process in processes:
            output = process.communicate(timeout=120)[0]
            self.assertEqual(process.returncode, 0, output)

    def test_fifty_at_once_spend_once_with_the_daemon_down(self):
        world = self.make(access_lifetime=300)
        world.log_in()
        world.idp.process.send_signal(signal.SIGSTOP)
        processes = self.refreshes(world)
        world.idp.process.send_signal(signal.SIGCONT)
        self.end(processes)
        self.assertEqual(len(world.spends()), 1)
        # All of them are over, and the next one is a refresh of its own.
        self.assertEqual(world.agent("refresh", "work")[0], 0)
        self.assertEqual([status for _, _, status, _ in world.spends()], [200, 200])

    def test_fifty_at_once_and_a_phase_of_the_daemon_spend_once(self):
        world = self.make(when="auto")
        self.expire(world)
        self.job(world, "job", "cat $NIGHTLATCH_TOKEN_FILE > %s" % world.daemon.path("out"))
        world.idp.process.send_signal(signal.SIGSTOP)
        world.daemon.start()
        run = world.daemon.run_job("org.example.job")
        self.assertEqual((run["state"], run["reason"]), ("deferred", "unverified"))
        wait_for("the daemon's phase", lambda: world.daemon.nightlatch("status")["providers"][0]["phase"] == "running")
        waiting = [subprocess.Popen(
            [os.path.join(RELEASE, "nightlatch"), "foreground", "work", "--wait", *world.daemon.folders],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(10)]
        for process in waiting:
            wait_for("a question to the daemon", lambda process=process: self.waits_for_an_answer(process.pid))
        processes = self.refreshes(world)
        world.idp.process.send_signal(signal.SIGCONT)
        self.end(processes + waiting)
        wait_for("the drain", lambda: world.daemon.read("out") != "")
        self.assertEqual(world.daemon.read("out"), world.token())
        self.assertEqual(len(world.spends()), 1)

    def test_a_hundred_that_ask_for_a_token_get_the_one_of_one_spend(self):
        # A hundred processes start while the one request goes unanswered: it must not end before they all have asked.
        world = self.make(provider='request_timeout = "2min"\n')
        self.expire(world)
        before = world.token()
        world.idp.process.send_signal(signal.SIGSTOP)
        world.daemon.start()
        command = [os.path.join(RELEASE, "nightlatch"), "token", "work", "--wait", "--timeout", "2min", *world.daemon.folders]
        asking = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                  for _ in range(100)]
        for process in asking:
            wait_for("a question to the daemon", lambda process=process: self.waits_for_an_answer(process.pid))
        world.idp.process.send_signal(signal.SIGCONT)
        answers = {(process.communicate(timeout=120), process.returncode) for process in asking}
        self.assertEqual(answers, {((world.token() + "\n", ""), 0)})
        self.assertNotEqual(world.token(), before)
        self.assertEqual(len(world.spends()), 1)

    def test_a_refresh_goes_on_without_whoever_asked_for_it_and_without_the_daemon(self):
        world = self.make(access_lifetime=300)
        world.log_in()
        before = world.token()
        world.daemon.start()
        world.idp.process.send_signal(signal.SIGSTOP)
        with subprocess.Popen(
                [os.path.join(RELEASE, "nightlatch"), "foreground", "work", "--wait", *world.daemon.folders],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as asking:
            wait_for("the spend", lambda: world.session()["spend"] == "open")
            asking.kill()
        self.assertEqual(world.daemon.stop(), 0)
        self.assertEqual(world.session()["spend"], "open")
        world.idp.process.send_signal(signal.SIGCONT)
        wait_for("the new token", lambda: world.token() != before)
        wait_for("the end", lambda: world.session()["spend"] == "settled")
        self.assertEqual(world.session()["auth_state"], "authenticated")
        self.assertEqual(len(world.spends()), 1)

    def test_a_killed_holder_of_the_lock_leaves_nothing_behind(self):
        world = self.make(window=60, access_lifetime=300)
        world.log_in()
        world.fault("hang_after", seconds=60)
        with world.launch("refresh", "work") as holder:
            wait_for("the server's answer", lambda: len(world.spends()) == 1)
            holder.kill()
        world.release()
        self.assertEqual(world.agent("refresh", "work")[0], 0)


class HangTests(RefreshCase):
    DUES = 200
    JOBS = 10

    def test_a_refresh_that_hangs_delays_no_decision(self):
        world = self.make(when="auto", provider='request_timeout = "2min"\n')
        self.expire(world)
        for number in range(self.JOBS):
            self.job(world, "gated%d" % number, "true", '[schedule]\nevery = "200ms"\n' + VERIFIED)
        self.job(world, "free", "true", '[schedule]\nevery = "200ms"\n')
        world.fault("hang", seconds=60)
        world.daemon.start()
        wait_for("the spend", lambda: world.session()["spend"] == "open")
        before = self.decided(world)
        asked = []

        def is_enough():
            begun = time.monotonic()
            status, output, _ = world.daemon.tool("auth", "work")
            asked.append(time.monotonic() - begun)
            self.assertEqual(status, 10, output)
            return len(self.decided(world)) >= len(before) + self.DUES

        wait_for("%d more verdicts" % self.DUES, is_enough, seconds=50)
        rows = self.decided(world)[len(before):]
        # All of that happened inside the one request.
        self.assertEqual(world.session()["spend"], "open")
        self.assertEqual([entry["mode"] for entry in world.proxy.call("/_log")[1]["requests"] if entry["grant"] == "refresh_token"], ["hang"])
        self.assertEqual(world.daemon.nightlatch("status")["providers"][0]["phase"], "running")
        self.assertTrue({"succeeded", "deferred"} <= {state for _, state, _ in rows}, rows[:5])
        print("\n%d verdicts during one hanging refresh; lateness of a verdict: %s; `nightlatch auth`: %s" % (
            len(rows), milliseconds([late for late, _, _ in rows]), milliseconds(asked)), flush=True)
        world.release()
        wait_for("the drain", lambda: not world.daemon.nightlatch("queue")["entries"])

    @staticmethod
    def decided(world):
        """The dues that have a place in the ledger: (how late it was written, its state, the job), in their order."""
        ledger = sqlite3.connect("file:%s?mode=ro" % world.daemon.path("state", "ledger.db"), uri=True)
        try:
            return [((created - due) / 1e6, state, job) for created, due, state, job in ledger.execute(
                "SELECT created_wall, due_at, state, job FROM runs ORDER BY created_wall")]
        finally:
            ledger.close()


class ClockTests(RefreshCase):
    def test_a_clock_that_is_wrong_by_minutes_or_hours_starves_nobody(self):
        # The server's clock is right, seen from there: ours is as far off in the other direction.
        for ahead in (-7200, -120, 120, 7200):
            with self.subTest(ahead=ahead), contextlib.ExitStack() as stack:
                world = SessionWorld("skewed.py", server_arguments=[ahead, "idp.py"], when="auto", access_lifetime=60)
                stack.callback(world.remove)
                self.job(world, "job", "echo ran >> %s" % world.daemon.path("out"), '[schedule]\nevery = "300ms"\n' + VERIFIED + 'min_token_lifetime = "10s"\n')
                world.log_in()
                world.daemon.start()
                wait_for("ten runs", lambda: world.daemon.read("out").count("ran") >= 10)
                self.assertEqual(world.spends(), [])
                # The next token is as good as the first.
                self.assertEqual(world.daemon.tool("foreground", "work", "--wait")[0], 0)
                self.assertEqual(world.session()["auth_state"], "authenticated")
                self.assertEqual(len(world.spends()), 1)

    def test_a_token_that_comes_dead_is_stored_and_said_to_be_a_clock_and_nothing_spins(self):
        world = self.make(when="auto", window=30)
        self.expire(world)
        self.job(world, "job", "true")
        world.fault("set", key="expires_in", value=0, times=-1)
        world.daemon.start()
        self.assertEqual(world.daemon.run_job("org.example.job")["state"], "deferred")
        wait_for("the phase's end", lambda: world.daemon.nightlatch("status")["providers"][0]["phase"] == "backing off")
        provider = world.daemon.nightlatch("status")["providers"][0]
        self.assertEqual(provider["last_attempt"]["outcome"], "clockSuspect")
        self.assertIn("clock", provider["last_attempt"]["detail"])
        self.assertEqual(len(world.spends()), 1)
        self.assertEqual(world.daemon.tool("token", "work")[0], 75)
        # What came is in the store: the next refresh goes on from it.
        world.fault("pass", times=-1)
        self.assertEqual(world.daemon.tool("foreground", "work", "--wait")[0], 0)
        self.assertEqual([status for _, _, status, _ in world.spends()], [200, 200])


class RefusalTests(RefreshCase):
    def test_a_server_that_forbids_is_asked_once_in_a_while_however_much_work_waits(self):
        world = self.make(when="auto")
        self.expire(world)
        self.job(world, "job", "true", '[schedule]\nevery = "100ms"\n' + VERIFIED + 'coalesce = "all"\n')
        world.fault("status", status=403, body={"error": "insufficient_permissions"}, times=-1)
        world.daemon.start()
        wait_for("twenty dues that wait", lambda: len(world.daemon.nightlatch("queue")["entries"]) >= 20)
        provider = world.daemon.nightlatch("status")["providers"][0]
        self.assertEqual((provider["phase"], provider["last_attempt"]["outcome"]), ("backing off", "rejectedUnknown"))
        self.assertIn("insufficient_permissions", provider["last_attempt"]["detail"])
        self.assertEqual(len([entry for entry in world.proxy.call("/_log")[1]["requests"] if entry["grant"] == "refresh_token"]), 1)

    def test_a_refresh_token_that_comes_back_spent_is_warned_of_and_its_refusal_names_the_server(self):
        world = self.make(access_lifetime=300)
        world.log_in()
        world.daemon.start()
        token = world.idp.call("/test/grant", {"client_id": "nightlatch"})[1]["refresh_token"]
        for value in (token, None, token):
            if value:
                world.fault("set", key="refresh_token", value=value)
            self.assertNotIn("was spent before", world.daemon.log())
            self.assertEqual(world.daemon.tool("foreground", "work", "--wait")[0], 0)
        self.assertEqual(world.session()["last_attempt"]["outcome"], "spentToken")
        wait_for("the warning", lambda: "work: verified; but the server handed out a refresh token that was spent before" in world.daemon.log())
        status, output, _ = world.daemon.tool("auth", "work")
        self.assertEqual(status, 0)
        self.assertIn("the next refresh will probably be refused", output)
        self.assertEqual(world.agent("refresh", "work")[0], 77)
        self.assertEqual((world.session()["auth_state"], world.session()["reason"]), ("unauthenticated", "rejected"))
        self.assertIn("the server is to blame", world.session()["last_attempt"]["detail"])


class RefusedTokenTests(RefreshCase):
    def test_a_refused_token_is_replaced_once_and_not_handed_out_by_the_next_daemon(self):
        world = self.make(access_lifetime=300)
        world.log_in()
        self.job(world, "refused", "exit 77")
        self.job(world, "other", "cat $NIGHTLATCH_TOKEN_FILE > %s" % world.daemon.path("out"))
        world.daemon.start()
        run = world.daemon.run_job("org.example.refused")
        self.assertEqual((run["state"], run["reason"]), ("deferred", "token-refused"))
        refused = world.token()
        self.assertEqual(world.daemon.tool("auth", "work", "--quiet")[0], 10)
        world.daemon.process.kill()
        world.daemon.process.wait()
        world.daemon.start()
        self.assertEqual(world.daemon.nightlatch("status")["providers"][0]["auth_state"], "authenticatedUnverified")
        self.assertEqual(world.daemon.tool("auth", "work", "--quiet")[0], 10)
        self.assertEqual(world.daemon.tool("token", "work")[0], 75)
        self.assertEqual(world.daemon.run_job("org.example.other")["state"], "deferred")
        self.assertEqual(world.daemon.tool("foreground", "work", "--wait")[0], 0)
        wait_for("the drain", lambda: world.daemon.read("out") != "")
        self.assertNotEqual(world.daemon.read("out"), refused)
        # The one job that refuses every token is parked, and costs nobody another refresh.
        story = lambda: world.daemon.nightlatch("why", run["run"])
        wait_for("the second refusal", lambda: story()["run"].get("reason") == "token-refused-again")
        self.assertEqual(story()["run"]["state"], "deferred")
        self.assertIn("Blocked: it waits for another token", "\n".join(story()["explanation"]))
        self.assertEqual(world.daemon.run_job("org.example.refused")["state"], "deferred")
        self.assertEqual(world.daemon.run_job("org.example.other")["state"], "succeeded")
        self.assertEqual(world.daemon.nightlatch("status")["providers"][0]["auth_state"], "authenticated")
        self.assertEqual(len(world.spends()), 1)


class DiskTests(RefreshCase):
    """In mount namespaces of their own."""

    def setUp(self):
        super().setUp()
        require(os.getuid() == 0, "needs root, to mount")
        probe = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
        require(probe.returncode == 0, "needs `unshare --mount`: " + probe.stderr.strip())
        self.world = self.make(access_lifetime=300)
        self.world.log_in()
        self.sessions = self.world.daemon.path("state", "sessions")

    def refresh(self, mounts):
        """A refresh in a namespace in which `mounts` has been run; its status and what it said."""
        script = "mount --make-rprivate / && %s && exec \"$@\"" % mounts
        with self.world.launch("refresh", "work", under=["unshare", "--mount", "sh", "-ec", script, "sh"]) as process:
            output = process.communicate(timeout=60)[0]
            return process.returncode, output

    def test_a_full_disk_is_found_out_before_the_token_is_spent(self):
        copy = self.world.daemon.path("copy")
        shutil.copytree(self.sessions, copy)
        status, output = self.refresh("mount -t tmpfs -o size=40k,mode=700 tmpfs %s && cp -p %s/work.session %s/key %s" % (
            self.sessions, copy, copy, self.sessions))
        self.assertEqual(status, 75, output)
        self.assertIn("No space left", output)
        self.assertEqual(self.world.spends(), [])
        self.assertEqual(self.world.agent("refresh", "work")[0], 0)

    def test_a_read_only_state_folder_costs_no_token(self):
        status, output = self.refresh("mount --bind %s %s && mount -o remount,bind,ro %s" % ((self.sessions,) * 3))
        self.assertEqual(status, 75, output)
        self.assertEqual(self.world.spends(), [])
        self.assertEqual(self.world.agent("refresh", "work")[0], 0)

    def test_a_copied_store_says_so_instead_of_spending(self):
        require(os.path.exists("/etc/machine-id") and os.path.getsize("/etc/machine-id") > 0, "needs a machine-id(5)")
        other = self.world.daemon.path("machine-id")
        with open(other, "w", encoding="ascii") as file:
            file.write("0123456789abcdef0123456789abcdef\n")
        with open(os.path.join(self.sessions, "work.session"), "rb") as file:
            stored = file.read()
        status, output = self.refresh("mount --bind %s /etc/machine-id" % other)
        self.assertEqual(status, 78, output)
        self.assertIn("copied from another machine", output)
        self.assertEqual(self.world.session()["auth_state"], "notReady")
        self.assertEqual(self.world.spends(), [])
        with open(os.path.join(self.sessions, "work.session"), "rb") as file:
            self.assertEqual(file.read(), stored)
        self.assertEqual(self.world.agent("refresh", "work")[0], 0)


if __name__ == "__main__":
    unittest.main()
