#!/usr/bin/env python3
"""What the daemon does when the machine does not: a full disk, a spoilt ledger, strangers on its socket."""
import contextlib
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import unittest

from box import RELEASE, require, require_release, wait_for
from daemon import Daemon

EVERY = 'shell = "echo $NIGHTLATCH_RUN >> %s"\noverlap = "allow"\n[schedule]\nevery = "100ms"\nmissed = "all"\nmissed_limit = 10000\n'
STUBBORN = """
shell = "trap '' TERM; echo $$ > %s; while :; do sleep 0.1; done"
on_interrupted = "give-up"
[limits]
time_limit = "%s"
grace = "200ms"
"""
PROVIDER = """
kind = "oauth2"
client_id = "x"
client_secret_file = "%s"
[endpoints]
token = "https://id.example/token"
authorization = "https://id.example/authorize"
"""
NEVER = 'command = ["/bin/true"]\n'


class TroubleTests(unittest.TestCase):
    def setUp(self):
        require_release()
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)

    # The ledger

    def refused(self, expected_status):
        """Starts a daemon that must not start; returns what it says."""
        process = self.daemon.launch()
        self.assertEqual(process.wait(30), expected_status, self.daemon.log())
        return self.daemon.log()

    def test_a_ledger_that_is_no_ledger_is_refused_and_left_as_it_is(self):
        path = self.daemon.path("state/ledger.db")
        foreign = self.daemon.path("foreign.db")
        with contextlib.closing(sqlite3.connect(foreign)) as other:
            other.execute("CREATE TABLE recipes (name TEXT)")
        with open(foreign, "rb") as file:
            of_another = file.read()
        for content, words in ((b"my notes\n" * 1000, "not a database"), (of_another, "another program")):
            with self.subTest(words):
                with open(path, "wb") as file:
                    file.write(content)
                log = self.refused(70)
                self.assertIn("cannot start: Cannot use %s as the ledger" % path, log)
                self.assertIn(words, log)
                self.assertIn("left as it is", log)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), content)
                os.unlink(path)

    def test_a_damaged_ledger_is_refused_and_left_as_it_is(self):
        self.daemon.job("org.example.job", NEVER)
        self.daemon.start()
        for _ in range(20):
            self.daemon.run_job("org.example.job")
        self.daemon.stop()
        path = self.daemon.path("state/ledger.db")
        with contextlib.closing(sqlite3.connect(path)) as ledger:
            # Otherwise the intact pages of the write-ahead log would hide the damage.
            ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(path, "r+b") as file:
            file.seek(4096 * 2)
            file.write(os.urandom(4096 * 8))
        with open(path, "rb") as file:
            damaged = file.read()
        log = self.refused(70)
        self.assertRegex(log, "cannot start: Cannot .* the ledger .*damaged")
        self.assertIn("was left as it is", log)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), damaged)

    def test_a_ledger_of_a_newer_version_is_refused(self):
        self.daemon.start()
        self.daemon.stop()
        path = self.daemon.path("state/ledger.db")
        with contextlib.closing(sqlite3.connect(path)) as ledger:
            ledger.execute("PRAGMA user_version = 99")
        self.assertIn("schema is version 99", self.refused(70))

    def test_a_state_folder_that_others_may_read_is_refused(self):
        os.chmod(self.daemon.path("state"), 0o777)
        self.assertIn(self.daemon.path("state"), self.refused(78))

    def test_a_full_disk_stops_no_daemon_and_loses_no_due(self):
        state = self.mount_small_state()
        self.daemon.job("org.example.each", EVERY % self.daemon.path("ran"))
        self.daemon.start()
        wait_for("the first runs", lambda: self.daemon.read("ran").count("\n") >= 3)
        self.fill(state)
        wait_for("the disk to be full for it", lambda: self.status().get("store_problem"), 60)
        self.assertIn("disk is full", self.status()["store_problem"])
        before = self.daemon.read("ran").count("\n")
        # While it is stalled it starts nothing, and it answers.
        wait_for("another try", lambda: self.daemon.log().count("Nothing is started until it can be written"))
        self.assertLessEqual(self.daemon.read("ran").count("\n"), before + 1)
        os.unlink(os.path.join(state, "filler"))
        wait_for("its recovery", lambda: not self.status().get("store_problem"), 60)
        self.assertIn("The ledger can be written again", self.daemon.log())
        after = self.daemon.read("ran").count("\n")
        wait_for("further runs", lambda: self.daemon.read("ran").count("\n") > after + 5, 60)
        self.assertEqual(self.daemon.stop(), 0)
        self.check_that_every_due_ran_once()

    def test_on_a_full_disk_time_limits_hold_and_the_daemon_can_be_stopped(self):
        state = self.mount_small_state()
        self.daemon.job("org.example.each", EVERY % "/dev/null")
        for name, limit in (("limited", "3s"), ("patient", "1h")):
            self.daemon.job("org.example." + name, STUBBORN % (self.daemon.path(name), limit))
        self.daemon.start()
        for name in ("limited", "patient"):
            self.daemon.tool("run", "org.example." + name)
            wait_for("its start", lambda name=name: self.daemon.read(name))
        pids = {name: int(self.daemon.read(name)) for name in ("limited", "patient")}
        self.fill(state)
        wait_for("the disk to be full for it", lambda: self.status().get("store_problem"), 60)
        wait_for("the time limit", lambda: not os.path.exists("/proc/%d" % pids["limited"]))
        self.assertTrue(self.status().get("store_problem"))
        self.daemon.process.terminate()
        self.assertEqual(self.daemon.process.wait(15), 74)
        self.assertFalse(os.path.exists("/proc/%d" % pids["patient"]))
        os.unlink(os.path.join(state, "filler"))
        self.daemon.start()
        for name in ("limited", "patient"):
            attempts = self.daemon.nightlatch("why", "org.example." + name)["attempts"]
            self.assertEqual((attempts[0]["outcome"], attempts[0]["reason"]), ("interrupted", "crash"))

    def mount_small_state(self):
        require(os.getuid() == 0, "needs root")
        state = self.daemon.path("state")
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", state], capture_output=True, text=True, check=False)
        require(mounted.returncode == 0, "cannot mount a tmpfs here: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "--lazy", state], check=True)
        return state

    def fill(self, folder):
        with open(os.path.join(folder, "filler"), "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * 512)

    def status(self):
        return self.daemon.nightlatch("status")

    def check_that_every_due_ran_once(self):
        with contextlib.closing(sqlite3.connect(self.daemon.path("state/ledger.db"))) as ledger:
            rows = ledger.execute("SELECT due_key, covers, state FROM runs").fetchall()
            stamped, = ledger.execute("SELECT stamped FROM jobs").fetchone()
        self.assertEqual(len(rows), stamped)
        dues = sorted(int(key.split(":")[2]) for key, _, _ in rows)
        self.assertEqual([later - earlier for earlier, later in zip(dues, dues[1:])], [100_000] * (len(dues) - 1))
        self.assertEqual({covers for _, covers, _ in rows}, {0})
        ran = self.daemon.read("ran").split()
        self.assertEqual(len(ran), len(set(ran)), "a run was started twice")
        self.assertGreaterEqual(len(ran), sum(state == "succeeded" for _, _, state in rows))

    # Strangers on the socket

    def exchange(self, data, shut=True):
        """What comes back for these bytes until the daemon hangs up."""
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(30)
            peer.connect(self.daemon.socket)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                peer.sendall(data)
                if shut:
                    peer.shutdown(socket.SHUT_WR)
                answer = b""
                while chunk := peer.recv(65536):
                    answer += chunk
                return answer
        return b""

    def test_garbage_ends_its_own_connection_only(self):
        self.daemon.start()
        for data in (b"", b"\0" * 1000, b"GET / HTTP/1.1\r\n\r\n\0", b"{" * 100_000 + b"\0", b"[" * 100_000 + b"\0", os.urandom(1 << 16) + b"\0",
                     b'{"method":"org.nightlatch.Control.Status"', b'{"method":1e999}\0', b'{"method":"\xff"}\0'):
            self.exchange(data)
            self.assertEqual(self.status()["pid"], self.daemon.process.pid)
        self.assertIn(b"InvalidParameter", self.exchange(b'{"method":"org.nightlatch.Control.GetRun","parameters":{"run":7}}\0'))
        self.assertIn(b"MethodNotFound", self.exchange(b'{"method":"org.nightlatch.Control.Nope"}\0'))

    def test_a_client_that_reads_nothing_holds_nobody_up(self):
        self.daemon.job("org.example.job", NEVER)
        self.daemon.start()
        for _ in range(20):
            self.daemon.run_job("org.example.job")
        before = self.resident()
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(self.daemon.socket)
            peer.settimeout(1)
            with contextlib.suppress(OSError):
                for _ in range(20_000):
                    peer.sendall(b'{"method":"org.nightlatch.Control.ListRuns"}\0')
            self.assertEqual(self.status()["pid"], self.daemon.process.pid)
            self.assertLess(self.resident() - before, 32 << 10, "KiB")

    def resident(self):
        with open("/proc/%d/status" % self.daemon.process.pid, encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))

    def test_many_connections_at_once_are_served_or_refused(self):
        self.daemon.start()
        peers = []
        self.addCleanup(lambda: [peer.close() for peer in peers])
        for _ in range(300):
            peer = socket.socket(socket.AF_UNIX)
            peer.setblocking(False)
            peers.append(peer)
            with contextlib.suppress(OSError):
                peer.connect(self.daemon.socket)
        for peer in peers[:290]:
            peer.close()
        wait_for("its answer", self.status)

    def test_the_socket_is_for_its_owner(self):
        self.daemon.start()
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.socket).st_mode), 0o600)
        for name, mode in (("runtime/tokens", 0o700), ("runtime/auth", 0o700), ("state", 0o700), ("state/ledger.db", 0o600)):
            self.assertEqual(stat.S_IMODE(os.stat(self.daemon.path(name)).st_mode), mode, name)

    def test_a_stranger_may_connect_and_learn_what_speaks_there(self):
        require(os.getuid() == 0, "needs root")
        os.chmod(self.daemon.folder, 0o755)
        self.daemon.start()
        os.chmod(self.daemon.path("runtime"), 0o755)
        os.chmod(self.daemon.socket, 0o666)
        self.assertEqual(self.ask_as_nobody("org.varlink.service.GetInfo"), "None")
        for method in ("Status", "ListRuns", "Reload", "NetworkRestored"):
            error = self.ask_as_nobody("org.nightlatch.Control." + method)
            self.assertEqual(error, "org.nightlatch.Control.NotPermitted", method)

    def ask_as_nobody(self, method):
        """The error's name that the user nobody gets for the call."""
        script = (
            "import json,socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
            "s.sendall(json.dumps({'method': sys.argv[2]}).encode() + b'\\0');"
            "d=b''\nwhile not d.endswith(b'\\0'): d += s.recv(65536) or sys.exit('closed')\n"
            "print(json.loads(d[:-1]).get('error'))")
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", script, self.daemon.socket, method],
            env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    # The configuration

    def test_check_tells_whoever_may_not_look_what_it_has_not_seen(self):
        require(os.getuid() == 0, "needs root")
        tool = self.daemon.tool_for_all()
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        closed = self.daemon.path("closed")
        self.daemon.job("org.example.closed", 'command = ["%s/program"]\nworking_directory = "%s/folder"\n' % (closed, closed))
        self.daemon.job("org.example.path", 'command = ["program"]\nenvironment = { PATH = "%s" }\n' % closed)
        self.daemon.write("providers.d/work.toml", PROVIDER % (closed + "/secret"))
        os.makedirs(os.path.join(closed, "folder"))
        for name, mode in (("program", 0o755), ("secret", 0o600)):
            with open(os.path.join(closed, name), "w", encoding="utf-8") as file:
                file.write("x")
            os.chmod(os.path.join(closed, name), mode)
        os.chmod(closed, 0o700)
        os.chmod(self.daemon.path("config"), 0o755)
        check = [tool, "check", "--strict", "--system", "--config", self.daemon.path("config")]
        told = subprocess.run([*nobody, *check], capture_output=True, text=True, check=False)
        self.assertEqual(told.stdout.count(": note: "), 4, told.stdout)
        self.assertEqual(told.stdout.count("whether it is there can't be seen: "), 4, told.stdout)
        self.assertEqual((told.stdout.splitlines()[-1], told.returncode), ("2 good jobs, 1 good provider, 4 not seen.", 0))
        told = subprocess.run(check, capture_output=True, text=True, check=False)
        self.assertEqual((told.stdout, told.returncode), ("2 good jobs, 1 good provider.\n", 0))

    def test_a_configuration_that_is_no_configuration_is_told_and_survived(self):
        os.mkdir(self.daemon.path("config/jobs.d"))
        os.mkdir(self.daemon.path("config/jobs.d/folder.toml"))
        os.mkfifo(self.daemon.path("config/jobs.d/fifo.toml"))
        with open(self.daemon.path("config/jobs.d/large.toml"), "wb") as file:
            file.write(b"# " + b"x" * (2 << 20))
        with open(self.daemon.path("config/jobs.d/binary.toml"), "wb") as file:
            file.write(bytes(range(256)))
        os.symlink("loop.toml", self.daemon.path("config/jobs.d/loop.toml"))
        self.daemon.job("org.example.good", NEVER)
        self.daemon.write("nightlatch.toml", "drain_concurrency = -1\n")
        self.daemon.start()
        status = self.status()
        self.assertEqual(status["jobs"], 1)
        for name in ("folder", "fifo", "large", "binary", "loop", "nightlatch"):
            self.assertRegex(self.daemon.log(), r"%s\.toml" % name)
        self.assertEqual(self.daemon.run_job("org.example.good")["state"], "succeeded")

    def test_a_job_file_that_goes_away_takes_its_dues_with_it_and_not_its_past(self):
        ran = self.daemon.path("ran")
        self.daemon.job("org.example.each", EVERY % ran)
        self.daemon.start()
        wait_for("some runs", lambda: self.daemon.read("ran").count("\n") >= 3)
        os.unlink(self.daemon.path("config/jobs.d/org.example.each.toml"))
        self.daemon.process.send_signal(signal.SIGHUP)
        wait_for("the reload", lambda: self.status()["jobs"] == 0)
        wait_for("the last end", lambda: self.status()["running"] == 0)
        self.assertGreaterEqual(len(self.daemon.runs("org.example.each")), 3)


if __name__ == "__main__":
    unittest.main()
