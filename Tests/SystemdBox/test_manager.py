#!/usr/bin/env python3
"""The daemon and the service manager that started it: sd_notify(3), signals, socket activation, and what runs
inherit of all that: nothing."""
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from box import RELEASE, require_release, wait_for
from daemon import Daemon
from servicemanager import NotifySocket

IDLE = 'command = ["/bin/true"]\n[schedule]\ncalendar = "2099-01-01"\n'
# Waits for SIGTERM and leaves a trace of it.
PATIENT = """
shell = "trap 'echo asked >> %s; exit 0' TERM; echo began >> %s; while :; do sleep 0.05; done"
"""
STUBBORN = """
shell = "trap '' TERM; echo began >> %s; while :; do sleep 0.05; done"
[limits]
grace = "200ms"
"""


class ManagerTests(unittest.TestCase):
    def setUp(self):
        require_release()
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        self.notify = NotifySocket(self.daemon.folder)
        self.addCleanup(self.notify.close)
        self.trace = self.daemon.path("trace")

    def launch(self, **environment):
        self.daemon.launch(env=self.notify.environment(**environment))
        return self.notify.wait_for("READY")

    # sd_notify(3)

    def test_ready_comes_with_a_status_once_the_daemon_answers(self):
        self.daemon.job("org.example.idle", IDLE)
        message = self.launch()
        self.assertEqual(message["READY"], "1")
        self.assertIn("0 running, 0 deferred; next org.example.idle at 2099-01-01", message["STATUS"])
        self.assertEqual(self.daemon.nightlatch("status")["jobs"], 1)

    def test_reload_announces_itself_with_the_clock_systemd_wants(self):
        self.launch()
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.daemon.job("org.example.new", IDLE)
        self.daemon.process.send_signal(signal.SIGHUP)
        message = self.notify.wait_for("RELOADING")
        self.assertEqual(message["RELOADING"], "1")
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.assertTrue(before <= int(message["MONOTONIC_USEC"]) <= after, message)
        self.assertIn("org.example.new", self.notify.wait_for("READY")["STATUS"])

    def test_the_watchdog_is_fed_twice_an_interval(self):
        self.launch(WATCHDOG_USEC="400000")
        for _ in range(3):
            self.assertEqual(self.notify.wait_for("WATCHDOG")["WATCHDOG"], "1")

    def test_a_watchdog_meant_for_another_process_is_not_fed(self):
        self.launch(WATCHDOG_USEC="100000", WATCHDOG_PID="1")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.notify.wait_for("READY")
        self.daemon.process.terminate()
        self.notify.wait_for("STOPPING")
        self.assertEqual([message for message in self.notify.messages if "WATCHDOG" in message], [])

    def test_the_status_follows_the_runs(self):
        self.daemon.job("org.example.patient", PATIENT % (self.trace, self.trace))
        self.launch()
        self.daemon.tool("run", "org.example.patient")
        self.notify.wait(lambda message: message.get("STATUS", "").startswith("1 running"))
        self.daemon.tool("cancel", "org.example.patient")
        self.notify.wait(lambda message: message.get("STATUS", "").startswith("0 running"))

    def test_a_manager_may_listen_on_an_abstract_address(self):
        name = "nightlatch-test-%d" % os.getpid()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
            listener.bind("\0" + name)
            listener.settimeout(30)
            self.daemon.launch(env={**os.environ, "NOTIFY_SOCKET": "@" + name})
            self.assertIn(b"READY=1", listener.recv(65536))

    # Stopping

    def test_sigterm_asks_runs_to_end_waits_for_them_and_exits_with_0(self):
        self.daemon.job("org.example.patient", PATIENT % (self.trace, self.trace))
        self.launch()
        run = self.daemon.nightlatch("run", "org.example.patient")["run"]
        wait_for("the run", lambda: "began" in self.daemon.read("trace"))
        self.daemon.process.terminate()
        message = self.notify.wait_for("STOPPING")
        self.assertEqual(message["STOPPING"], "1")
        self.assertGreater(int(self.notify.wait_for("EXTEND_TIMEOUT_USEC")["EXTEND_TIMEOUT_USEC"]), 0)
        self.assertEqual(self.daemon.process.wait(30), 0)
        self.assertIn("asked", self.daemon.read("trace"))
        self.assertEqual(self.daemon.processes(), [])
        self.assertEqual(self.state_after_restart(run), ("succeeded", 1))

    def test_a_run_that_does_not_end_is_killed_recorded_as_interrupted_and_started_again(self):
        self.daemon.job("org.example.stubborn", STUBBORN % self.trace)
        self.launch()
        run = self.daemon.nightlatch("run", "org.example.stubborn")["run"]
        wait_for("the run", lambda: "began" in self.daemon.read("trace"))
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.daemon.processes(), [])
        self.daemon.start()
        wait_for("the second attempt", lambda: self.daemon.read("trace").count("began") == 2)
        attempts = self.daemon.nightlatch("why", run)["attempts"]
        self.assertEqual([(a["attempt"], a.get("outcome"), a.get("reason")) for a in attempts],
                         [(1, "interrupted", "shutdown"), (2, None, None)])

    def test_a_reload_while_it_stops_does_not_call_it_ready(self):
        self.daemon.job("org.example.stubborn", STUBBORN.replace("200ms", "1s") % self.trace)
        self.launch()
        self.daemon.tool("run", "org.example.stubborn")
        wait_for("the run", lambda: "began" in self.daemon.read("trace"))
        self.daemon.process.terminate()
        self.notify.wait_for("STOPPING")
        self.notify.messages.clear()
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertEqual(self.daemon.process.wait(30), 0)
        self.notify.socket.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                self.assertNotRegex(self.notify.socket.recv(65536), b"READY|RELOADING")

    def state_after_restart(self, run):
        self.daemon.start()
        record = self.daemon.nightlatch("why", run)["run"]
        return record["state"], record["attempt"]

    def test_sigint_stops_it_too(self):
        self.launch()
        self.daemon.process.send_signal(signal.SIGINT)
        self.assertEqual(self.daemon.process.wait(30), 0)

    # What a run inherits

    def test_runs_inherit_nothing_of_the_daemon(self):
        self.daemon.job("org.example.look", 'shell = "env -0 > %s; grep ^Sig /proc/self/status > %s; ls -l /proc/self/fd > %s"\n' % (
            self.daemon.path("env"), self.daemon.path("signals"), self.daemon.path("fds")))
        self.launch(WATCHDOG_USEC="60000000", DAEMON_SECRET="hunter2", LD_DEBUG="", LISTEN_PID="1", LISTEN_FDS="1")
        run = self.daemon.run_job("org.example.look")
        self.assertEqual(run["state"], "succeeded")
        environment = dict(entry.split("=", 1) for entry in self.daemon.read("env").split("\0") if entry)
        self.assertEqual(sorted(name for name in environment if not name.startswith("NIGHTLATCH_")),
                         ["HOME", "LOGNAME", "PATH", "PWD", "SHELL", "USER"])
        self.assertEqual(environment["NIGHTLATCH_JOB"], "org.example.look")
        self.assertEqual(environment["NIGHTLATCH_RUN"], run["run"])
        self.assertEqual(environment["NIGHTLATCH_ATTEMPT"], "1")
        self.assertEqual(environment["NIGHTLATCH_DUE"], run["due"])
        self.assertNotIn("NIGHTLATCH_AUTH_STATE", environment)
        signals = dict(line.split(":\t") for line in self.daemon.read("signals").splitlines())
        self.assertEqual(int(signals["SigBlk"], 16), 0)
        # 32 and 33 are the C library's own; its posix_spawn(3) leaves them ignored.
        self.assertEqual(int(signals["SigIgn"], 16) & ~(1 << 31 | 1 << 32), 0)
        numbers = [int(number) for number in re.findall(r" (\d+) -> ", self.daemon.read("fds"))]
        # 0, 1, 2, and the folder that ls itself has open.
        self.assertEqual(numbers, [0, 1, 2, 3])

    def test_a_socket_from_the_manager_is_used_and_its_variables_go_no_further(self):
        self.daemon.job("org.example.look", 'shell = "env > %s"\n' % self.daemon.path("env"))
        path = self.daemon.socket
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            fd = listener.fileno()
            # As the manager does it: descriptor 3, and LISTEN_PID set between fork and exec.
            script = 'exec env LISTEN_PID=$$ LISTEN_FDS=1 "$@" 3<&%d %d<&-' % (fd, fd)
            self.daemon.launch("bash", "-c", script, "bash", env=self.notify.environment(), pass_fds=(fd,))
            self.notify.wait_for("READY")
        self.assertEqual(self.daemon.run_job("org.example.look")["state"], "succeeded")
        self.assertNotRegex(self.daemon.read("env"), "LISTEN_|NOTIFY_SOCKET|WATCHDOG_")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertTrue(os.path.exists(path), "the manager's socket is not the daemon's to remove")

    # Reload

    def test_a_file_that_became_bad_keeps_its_last_good_definition_and_fires_nothing_again(self):
        good = 'shell = "echo ran >> %s"\n[schedule]\nafter_start = "0s"\n' % self.trace
        self.daemon.job("org.example.once", good)
        self.launch()
        wait_for("its run", lambda: self.daemon.read("trace") == "ran\n")
        wait_for("its verdict", lambda: [run["state"] for run in self.daemon.runs("org.example.once")] == ["succeeded"])
        self.daemon.job("org.example.once", good + "[limits]\ntime_limt = 1\n")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.notify.wait_for("READY")
        job = self.daemon.nightlatch("list", "org.example.once")["jobs"][0]
        self.assertIn("time_limit", job["problem"])
        self.assertEqual(job["command"], "echo ran >> %s" % self.trace)
        self.assertRegex(self.daemon.log(), r"org\.example\.once\.toml:.*the last good definition stays in use")
        self.assertEqual(len(self.daemon.runs("org.example.once")), 1)
        # It can still be run, as it was.
        self.assertEqual(self.daemon.run_job("org.example.once")["state"], "succeeded")
        self.assertEqual(self.daemon.read("trace"), "ran\nran\n")

    def test_a_broken_file_at_start_stops_no_other_job(self):
        self.daemon.job("org.example.good", IDLE)
        self.daemon.job("org.example.bad", "command = [")
        self.daemon.write("providers.d/work.toml", 'kind = "oidc"\nissuer = "https://login.example"\n')
        self.launch()
        status = self.daemon.nightlatch("status")
        self.assertEqual((status["jobs"], status["jobs_with_problems"]), (1, 1))
        log = self.daemon.log()
        self.assertRegex(log, r"org\.example\.bad\.toml:1:\d+: ")
        self.assertRegex(log, r"work\.toml.*client_id")

    # Two daemons

    def test_a_second_daemon_on_the_same_state_says_whose_it_is(self):
        self.launch()
        second = subprocess.run(
            [os.path.join(RELEASE, "nightlatchd"), *self.daemon.folders], capture_output=True, text=True, timeout=30,
            check=False)
        self.assertEqual(second.returncode, 75)
        self.assertIn("another nightlatchd (process %d) is using it" % self.daemon.process.pid, second.stderr)
        self.assertEqual(self.daemon.nightlatch("status")["pid"], self.daemon.process.pid)

    def test_a_lock_that_a_dead_daemon_left_to_its_child_is_waited_for(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        path = self.daemon.path("state/lock")
        child = subprocess.Popen(
            ["flock", path, "sh", "-c", 'echo %d > "$1"; cat' % gone.pid, "sh", path], stdin=subprocess.PIPE)
        self.addCleanup(child.wait)
        wait_for("the lock", lambda: self.daemon.read("state/lock"))
        self.daemon.launch(env=self.notify.environment())
        wait_for("its attempt", lambda: self.has_open(path))
        child.stdin.close()
        self.notify.wait_for("READY")

    def has_open(self, path):
        folder = "/proc/%d/fd" % self.daemon.process.pid
        self.assertIsNone(self.daemon.process.poll(), self.daemon.log())
        return any(os.path.realpath(os.path.join(folder, name)) == path for name in os.listdir(folder))

    # The tool against it

    def test_the_tool_speaks_of_everything_the_daemon_does(self):
        self.daemon.job("org.example.idle", IDLE)
        self.launch()
        run = self.daemon.run_job("org.example.idle")
        for arguments in (
                ("status",), ("list",), ("queue",), ("runs",), ("why", run["run"]), ("why", "org.example.idle"), ("pause", "org.example.idle"),
                ("resume", "org.example.idle"), ("reload",), ("check",)):
            with self.subTest(arguments=arguments):
                status, output, errors = self.daemon.tool(*arguments)
                self.assertEqual((status, errors), (0, ""), output)
        self.assertEqual(self.daemon.nightlatch("list", "org.example.idle")["jobs"][0]["paused"], False)
        status, _, errors = self.daemon.tool("run", "org.example.idl")
        self.assertNotEqual(status, 0)
        self.assertIn("org.example.idle", errors)
        self.assertEqual(self.daemon.stop(), 0)
        status, _, errors = self.daemon.tool("status")
        self.assertNotEqual(status, 0)
        self.assertIn("control.sock", errors)


if __name__ == "__main__":
    unittest.main()
