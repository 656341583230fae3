#!/usr/bin/env python3
"""The auth cache read by other languages: they say what the tool says, whatever is in the file."""
import os
import random
import shutil
import subprocess
import tempfile
import unittest

import authcache
from box import RELEASE, ROOT, require, require_release

STATES = {0: "authenticated", 10: "authenticatedUnverified", 11: "unauthenticated", 12: "notReady"}


def compiled(folder, name, command):
    """The C example as a program."""
    program = os.path.join(folder, name)
    source = os.path.join(ROOT, "examples/auth-state.c")
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-I", os.path.join(ROOT, "include")]
    done = subprocess.run([*command, *strict, "-o", program, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [program]


class ReaderTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require_release()
        cc = shutil.which("cc") or shutil.which("clang")
        require(cc, "needs a C compiler")
        cls.folder = tempfile.mkdtemp(prefix="nightlatch-test.")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.readers = {
            "C11": compiled(cls.folder, "c11", [cc, "-std=c11", "-D_POSIX_C_SOURCE=200809L"]),
            "C++17": compiled(cls.folder, "cxx17", [cc, "-x", "c++", "-std=c++17"]),
            "Python": ["python3", os.path.join(ROOT, "examples/auth-state.py")],
        }
        os.makedirs(os.path.join(cls.folder, "config/providers.d"))

    def setUp(self):
        self.runtime = os.path.join(self.folder, "run")
        os.makedirs(self.runtime)
        self.addCleanup(shutil.rmtree, self.runtime)
        self.session = authcache.Session(self.runtime, "work", user="ålice")

    def tool(self):
        """What the tool makes of the file."""
        folders = ["--user", "--config", os.path.join(self.folder, "config"), "--state", self.folder, "--runtime", self.runtime]
        done = subprocess.run([os.path.join(RELEASE, "nightlatch"), "auth", "work", "--quiet", *folders], check=False)
        return STATES[done.returncode]

    def read(self):
        """What each reader makes of it: all must agree with the tool. Returns the state and the user."""
        answers = {}
        for name, command in self.readers.items():
            done = subprocess.run([*command, self.runtime + "/work"], capture_output=True, text=True, check=False)
            answers[name] = done.stdout.rstrip("\n").partition(" ")[::2]
        state = self.tool()
        for name, (found, _) in answers.items():
            self.assertEqual(found, state, "%s and the tool" % name)
        self.assertEqual(len(set(answers.values())), 1, answers)
        return answers["C11"]

    def edit(self, change):
        """Changes the newest snapshot in the file, and makes its checksum right again."""
        path = os.path.join(self.runtime, "auth/work")
        with open(path, "r+b") as file:
            page = bytearray(file.read())
            slot = authcache.slot(self.session.generation)
            image = page[slot:slot + authcache.SNAPSHOT_SIZE]
            change(image)
            authcache.seal(image)
            page[slot:slot + len(image)] = image
            file.seek(0)
            file.write(page)

    def test_the_python_reader_is_as_short_as_promised(self):
        with open(os.path.join(ROOT, "examples/auth-state.py"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(max(map(len, lines)), 120)

    def test_a_verified_session(self):
        self.session.publish("token")
        self.assertEqual(self.read(), ("authenticated", "ålice"))

    def test_an_unverified_session(self):
        self.session.publish("token", verified=False)
        self.assertEqual(self.read(), ("authenticatedUnverified", "ålice"))

    def test_an_expired_token(self):
        self.session.publish("token", lifetime=0)
        self.assertEqual(self.read(), ("authenticatedUnverified", "ålice"))

    def test_no_file(self):
        self.assertEqual(self.read(), ("notReady", ""))

    def test_each_kind_of_session_and_spend(self):
        for offset, values in ((24, range(4)), (26, range(4))):
            for value in values:
                self.session.publish("token")
                self.edit(lambda image: image.__setitem__(offset, value) if offset == 26 or value in (1, 3) else
                          image.__setitem__(slice(24, len(image)), bytes([value]) + bytes(15) + image[40:56] + bytes(64) + image[120:160] + bytes(len(image) - 160)))
                self.read()

    def test_a_token_of_another_boot_counts_by_the_wall_clock(self):
        for skew in (0, -5_000_000, 5_000_000):
            self.session.publish("token")
            self.edit(lambda image: (image.__setitem__(slice(162, 194), b"f" * 32), image.__setitem__(slice(88, 96), skew.to_bytes(8, "little", signed=True))))
            self.read()

    def test_files_that_are_none(self):
        self.session.publish("token")
        path = os.path.join(self.runtime, "auth/work")
        with open(path, "rb") as file:
            whole = file.read()
        spoilt = [whole[:4000], b"", bytes(len(whole)), whole[:8] + b"\x63" + whole[9:], b"X" + whole[1:]]
        for number in (0, 2 ** 64 - 1, 2 ** 63, self.session.generation + 1):
            spoilt.append(whole[:64] + number.to_bytes(8, "little") + whole[72:])
        generator = random.Random(4)
        slot = authcache.slot(self.session.generation)
        for _ in range(20):
            at = slot + generator.randrange(authcache.SNAPSHOT_SIZE)
            spoilt.append(whole[:at] + bytes([whole[at] ^ 1 << generator.randrange(8)]) + whole[at + 1:])
        for data in spoilt:
            with open(path, "wb") as file:
                file.write(data)
            self.assertEqual(self.read(), ("notReady", ""))

    def test_something_else_in_its_place(self):
        os.makedirs(os.path.join(self.runtime, "auth/work"))
        self.assertEqual(self.read(), ("notReady", ""))


if __name__ == "__main__":
    unittest.main()
