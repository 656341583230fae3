#!/usr/bin/env python3
"""The control socket, asked by somebody else's Varlink client. Run with the virtual environment's Python."""
import os
import socket
import unittest

import varlink

from box import ROOT, require_release
from daemon import Daemon

INTERFACE = "org.nightlatch.Control"
JOB = "org.example.job"


class VarlinkTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require_release()
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.job(JOB, 'command = ["/bin/true"]\n[schedule]\ncalendar = "2099-01-01"\n')
        cls.daemon.start()

    def open(self, interface=INTERFACE):
        client = varlink.Client.new_with_address("unix:" + self.daemon.socket)
        self.addCleanup(client.cleanup)
        connection = client.open(interface)
        self.addCleanup(connection.close)
        return connection

    def test_the_service_introduces_itself(self):
        info = self.open("org.varlink.service").GetInfo()
        self.assertEqual(info["product"], "nightlatchd")
        self.assertEqual(sorted(info["interfaces"]), [INTERFACE, "org.varlink.service"])

    def test_the_described_interface_is_the_file_in_the_sources(self):
        answer = self.open("org.varlink.service").GetInterfaceDescription(INTERFACE)
        path = os.path.join(ROOT, "Sources/ControlProtocol/org.nightlatch.Control.varlink")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(answer["description"].strip(), file.read().strip())

    def test_another_client_understands_every_answer(self):
        with_daemon = self.open()
        self.assertEqual(with_daemon.Status()["status"]["jobs"], 1)
        self.assertEqual([job["job"] for job in with_daemon.ListJobs()["jobs"]], [JOB])
        run = with_daemon.RunJob(JOB, True)["run"]
        self.assertEqual((run["state"], run["attempt"], run["exit_code"]), ("succeeded", 1, 0))
        self.assertEqual(with_daemon.GetRun(run["run"])["run"]["run"], run["run"])
        self.assertTrue(with_daemon.Why(None, None, run["run"])["explanation"])
        self.assertEqual(with_daemon.ListQueue()["total"], 0)

    def test_errors_have_names_and_parameters(self):
        with self.assertRaises(varlink.VarlinkError) as raised:
            self.open().RunJob("org.example.jb", False)
        self.assertEqual(raised.exception.error(), INTERFACE + ".NoSuchJob")
        self.assertEqual(raised.exception.parameters(), {"job": "org.example.jb", "nearest": JOB})

    def test_a_job_whose_file_is_gone_is_known_by_its_runs(self):
        self.daemon.job("org.example.past", 'command = ["/bin/true"]\n[schedule]\ncalendar = "2099-01-01"\n')
        client = self.open()
        client.Reload()
        run = client.RunJob("org.example.past", True)["run"]
        os.unlink(self.daemon.path("config/jobs.d/org.example.past.toml"))
        client.Reload()
        self.assertEqual([found["run"] for found in client.ListRuns("org.example.past")["runs"]], [run["run"]])
        self.assertEqual(client.ListRuns("org.example.past", "failed")["runs"], [])
        self.assertEqual(client.ListQueue("org.example.past")["total"], 0)
        for ask in (client.ListRuns, client.ListQueue):
            with self.assertRaises(varlink.VarlinkError) as raised:
                ask("org.example.jb")
            self.assertEqual(raised.exception.parameters(), {"job": "org.example.jb", "nearest": JOB})

    def test_hostile_bytes_end_the_connection_and_nothing_else(self):
        for bytes_sent in (b"\0", b"{\0", b"[]\0", b'{"method":7}\0', b"\xff" * 64 + b"\0", b"x" * (32 << 20)):
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(30)
                peer.connect(self.daemon.socket)
                try:
                    peer.sendall(bytes_sent)
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(65536):
                        pass
                except (BrokenPipeError, ConnectionResetError):
                    pass
            self.assertEqual(self.open().Status()["status"]["pid"], self.daemon.process.pid)


if __name__ == "__main__":
    unittest.main()
