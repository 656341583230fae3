#!/usr/bin/env python3
"""Tests of what the project's scripts promise: a count that is wrong would hide everything else."""
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(path):
    """A script without an ending, as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("script", os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
    loader.exec_module(module)
    return module


class CountTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.script = load("scripts/run-tests")

    def assertCounts(self, count, *numbers):
        self.assertEqual((count.passed, count.failed, count.skipped), numbers)

    def test_swift_success(self):
        self.assertCounts(self.script.count_swift("✔ Test run with 22 tests in 5 suites passed after 0.9 seconds.\n"), 22, 0, 0)

    def test_swift_failures_are_counted_by_test_not_by_issue_or_case(self):
        self.assertCounts(self.script.count_swift(
            '✘ Test "a" with 2 test cases failed after 0.1 seconds with 7 issues.\n'
            '✘ Test case passing 1 argument x → 1 to "a" failed after 0.1 seconds with 7 issues.\n'
            "✘ Test b() failed after 0.1 seconds with 1 issue.\n"
            '➜ Test "c" skipped: "no root"\n'
            "✘ Test run with 5 tests in 2 suites failed after 0.1 seconds with 8 issues.\n"), 2, 2, 1)

    def test_swift_that_died_has_no_count(self):
        self.assertIsNone(self.script.count_swift('◇ Test "a" started.\nerror: Exited with signal 5\n'))

    def test_unittest_success(self):
        self.assertCounts(self.script.count_unittest("Ran 6 tests in 1s\n\nOK\n"), 6, 0, 0)

    def test_unittest_failures_errors_and_skips(self):
        self.assertCounts(
            self.script.count_unittest("Ran 6 tests in 1s\n\nFAILED (failures=1, errors=2, skipped=1)\n"), 2, 3, 1)

    def test_a_module_that_was_skipped_counts_as_one(self):
        self.assertCounts(self.script.count_unittest("Ran 0 tests in 0s\n\nOK (skipped=1)\n"), 0, 0, 1)

    def test_unittest_that_died_has_no_count(self):
        self.assertIsNone(self.script.count_unittest("Traceback (most recent call last):\n"))

    def test_a_closing_line_like_our_own_is_read_and_its_absence_noticed(self):
        self.assertCounts(self.script.count_closing_line("a: 9 passed, 0 failed, 0 skipped\n23 passed, 1 failed, 0 skipped\n"), 23, 1, 0)
        self.assertIsNone(self.script.count_closing_line("fuzz: the harnesses could not be built (status 1)\n"))

    def test_an_unknown_suite_is_refused(self):
        done = subprocess.run([os.path.join(ROOT, "scripts/run-tests"), "nope"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no suite nope; there are unit", done.stderr)


class MakeTests(unittest.TestCase):
    def test_every_target_of_help_exists_and_every_phony_target_is_described_or_internal(self):
        with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
            makefile = file.read()
        phony = set(re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", makefile, re.M)[1].replace("\\\n", " ").split())
        described = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.M))
        self.assertEqual(phony - described, {"setup-tests"})
        self.assertEqual(described - phony, set())

    def test_make_alone_shows_the_help(self):
        done = subprocess.run(["make", "-C", ROOT, "--no-print-directory"], capture_output=True, text=True, check=True)
        self.assertIn("make demo", done.stdout)

    def test_the_readme_begins_with_the_two_commands(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            commands = re.findall(r"^(?:    |\$ )?(make \w+)", file.read(), re.M)
        self.assertEqual(commands[:2], ["make demo", "make test"])


class ManualTests(unittest.TestCase):
    FOLDER = os.path.join(ROOT, "docs/man")

    def page(self, name):
        with open(os.path.join(self.FOLDER, name), encoding="utf-8") as file:
            return file.read()

    def test_every_configuration_key_is_in_the_manual(self):
        text = "".join(self.page(name) for name in ("nightlatch-job.5", "nightlatch-provider.5", "nightlatch.toml.5"))
        words = set(re.findall(r"[a-z_]+", text))
        folder = os.path.join(ROOT, "Sources/Configuration")
        keys = set()
        for name in os.listdir(folder):
            if name.endswith(".swift"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    keys.update(re.findall(r'\b(?:read|require|section)\(\s*"([a-z_]+)"', file.read()))
        self.assertGreater(len(keys), 40)
        self.assertEqual(sorted(keys - words), [])

    def test_the_tool_explains_the_statuses_of_the_agent_that_it_becomes(self):
        with open(os.path.join(ROOT, "Sources/SessionAgent/Agent/ExitStatus.swift"), encoding="utf-8") as file:
            given = re.findall(r"case \w+ = (\d+)", file.read())
        section = self.page("nightlatch.1").partition(".SH EXIT STATUS")[2].partition("\n.SH")[0]
        self.assertGreater(len(given), 5)
        self.assertEqual(set(given) - set(re.findall(r"^\.B (\d+)$", section, re.M)), set())

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_every_page_is_clean_for_groff(self):
        for name in sorted(os.listdir(self.FOLDER)):
            done = subprocess.run(
                ["groff", "-t", "-man", "-ww", "-Tutf8", "-rLL=78n", name], cwd=self.FOLDER, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
