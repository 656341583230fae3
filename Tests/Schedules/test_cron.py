#!/usr/bin/env python3
"""Random cron expressions, read and searched by `nightlatch calendar --cron` and by others: the library cronsim,
which follows Debian's cron, and the machine's own crontab(1). Run with the virtual environment's Python.

usage: test_cron.py [--expressions N] [--seed N] [unittest's options]

Compared with cronsim: whether an expression is accepted, and its next five dues, in UTC and in other zones as far
as the next change of the clocks. Differences, each deliberate:
- cronsim reads `L`, `LW`, `#` and a sixth field for seconds; no cron does, and neither do we;
- cronsim reads `5-5/3` as `5/3`, that is 5, 8, 11, ...; in cron the range ends where it says: 5 alone;
- cronsim refuses some expressions that have no date, such as `0 0 31 4 *`; for us they have no due, and a job
  file with one is refused;
- cronsim gives up after 50 years; we look 400 years ahead.

Compared with crontab: whether an expression is accepted. Differences, each deliberate:
- `5/15` means 5, 20, 35, 50 here, as in cronsim and many others; Vixie's cron refuses it;
- crontab ignores what follows a complete element (`*5`, `1-3-5`, `*,*5`); we refuse it;
- Debian's crontab accepts a range whose end comes before its start (`5-3`, `fri-sun`) and never runs it; we
  refuse it, as cronie does;
- `a~b` is a random value in Debian's cron; we point at `randomized_delay`.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get("NIGHTLATCH_PROGRAMS") or os.path.join(ROOT, ".build/release"), "nightlatch")
# One process of ours reads this many expressions, all searched from the same time.
BATCH = 500
DUES = 5
ZONES = ["Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Asia/Tehran"]
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
SHORTHANDS = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

options = argparse.Namespace(expressions=24_000, seed=None)


class Generator:
    """Cron expressions, most of them valid."""

    FIELDS = [(0, 59, None), (0, 23, None), (1, 31, None), (1, 12, MONTHS), (0, 7, WEEKDAYS)]

    def __init__(self, seed, open_steps=True):
        """Without `open_steps` there is no `5/15`."""
        self.random = random.Random(seed)
        self.open_steps = open_steps

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def expression(self):
        text = self.random.choice([" ", " ", " ", "  ", "\t"]).join(self.field(*field) for field in self.FIELDS)
        return self.damaged(text) if self.chance(10) else text

    def field(self, low, high, names):
        if self.chance(45 if high > 30 else 60):
            return "*"
        return ",".join(self.element(low, high, names) for _ in range(self.random.choice([1, 1, 1, 2, 3])))

    def element(self, low, high, names):
        top = high + (1 if self.chance(1) else 0)
        first = self.random.randint(low, top)
        last = self.random.randint(first if not self.chance(3) else low, top)
        step = self.random.choice([1, 2, 3, 5, 7, 10, 15, 20, 100, 0 if self.chance(10) else 4])
        form = self.random.randrange(8)
        if form == 0:
            return "*/%d" % step
        if form == 1:
            return "%s-%s" % (self.value(first, low, names), self.value(last, low, names))
        if form == 2:
            return "%s-%s/%d" % (self.value(first, low, names), self.value(last, low, names), step)
        if form == 3 and self.open_steps:
            return "%s/%d" % (self.value(first, low, names), step)
        if form == 4 and self.chance(20):
            return "*"
        return self.value(first, low, names)

    def value(self, number, low, names):
        if names and number - low < len(names) and self.chance(40):
            return self.random.choice([str.lower, str.upper, str.title])(names[number - low])
        return "0%d" % number if self.chance(5) else str(number)

    def damaged(self, text):
        """With one character too many, too few or wrong."""
        place = self.random.randrange(len(text))
        end = place + self.random.choice([0, 1])
        return text[:place] + self.random.choice(["", *" *,-/05a~#:@"]) + text[end:]


def nightlatch(expressions, base, zone):
    """For each expression its dues in seconds since 1970, or None where it is refused."""
    done = subprocess.run(
        [PROGRAM, "calendar", "--cron", "--json", "--timezone", zone, "--base-time", "@%d" % base.timestamp(),
         "--iterations", str(DUES), "-"],
        input="\n".join(expressions) + "\n", stdout=subprocess.PIPE, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if [answer["expression"] for answer in answers] != expressions:
        raise AssertionError("the answers are not those to the questions: %s" % done.stdout[:200])
    return [
        None if "error" in answer else [
            int(datetime.fromisoformat(due.replace("Z", "+00:00")).timestamp()) for due in answer["elapses"]]
        for answer in answers]


def cronsim(expression, base, end):
    """The dues until `end`, whether all five were found, or None where it is refused."""
    try:
        search = CronSim(expression, base)
    except CronSimError:
        return None
    dues = []
    for due in search:
        if len(dues) == DUES or end and due >= end:
            break
        dues.append(int(due.timestamp()))
    return dues


def has_extension(expression):
    """What cronsim reads and cron doesn't."""
    return bool(re.search("[Ll#]", re.sub("(?i)jul", "7", expression))) or len(expression.split()) != 5


def numbers(first, last):
    """The ends of a range as numbers, names included."""
    def number(word):
        names = WEEKDAYS if word in WEEKDAYS else MONTHS
        return int(word) if word.isdecimal() else names.index(word) + (names is MONTHS) if word in names else -1
    return number(first.lower()), number(last.lower())


def has_range_of_one(expression):
    """`5-5/3`, `sun-0/2`."""
    ranges = [numbers(*ends) for ends in re.findall(r"(\w+)-(\w+)/", expression)]
    return any(first == last for first, last in ranges)


def is_backwards(element):
    """`5-3`, `fri-sun`."""
    ends = re.match(r"(\w+)-(\w+)", element)
    if not ends:
        return False
    first, last = numbers(*ends.groups())
    return first > last


def has_rest(element):
    """`*5`, `1-3-5`, `4#2`: something after a complete element."""
    return bool(re.match(r"\*[^/]|\*/\d+\D|\w+[^\w/-]|\w+-\w+[^\w/]|\w+-\w+/\d+\D", element))


def next_change(base, zone):
    """A day before the next change of the clocks after `base`; None without one."""
    day = base
    for _ in range(400):
        later = day + timedelta(days=1)
        if later.astimezone(zone).utcoffset() != day.astimezone(zone).utcoffset():
            return day - timedelta(days=1)
        day = later
    return None


class CronTests(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(PROGRAM):
            self.skipTest("needs the release build (make release): no " + PROGRAM)
        self.seed = options.seed if options.seed is not None else 1

    def expressions(self, generator, count):
        """Different ones, none that a line can't hold or that is read as something else than an expression."""
        found = {}
        while len(found) < count:
            text = generator.expression()
            if text.strip() and "\n" not in text:
                found[text] = None
        return list(found)

    def check(self, zone_name, count, seed):
        zone = ZoneInfo(zone_name)
        generator = Generator(seed)
        differences, compared, accepted = [], 0, 0
        for start in range(0, count, BATCH):
            base = datetime.fromtimestamp(generator.random.randrange(0, 2_500_000_000), timezone.utc)
            end = next_change(base, zone)
            expressions = self.expressions(generator, min(BATCH, count - start))
            for text, found in zip(expressions, nightlatch(expressions, base, zone_name)):
                if has_extension(text) and found is None or has_range_of_one(text):
                    continue
                expected = cronsim(text, base.astimezone(zone), end)
                compared += 1
                accepted += found is not None
                if not self.agree(found, expected, base, end):
                    differences.append("%r after %s: %s, cronsim %s" % (text, base, found, expected))
        print("%s: %d compared, %d of them accepted (seed %d)" % (zone_name, compared, accepted, seed), end=" ", flush=True)
        self.assertGreater(accepted, compared * 0.7)
        self.assertEqual(differences[:20], [], "%d differences" % len(differences))

    @staticmethod
    def agree(found, expected, base, end):
        if expected is None or found is None:
            return found == expected or found == []
        if end:
            found = [due for due in found if due < end.timestamp()]
        beyond = found[len(expected):]
        last = expected[-1] if expected else base.timestamp()
        return found[:len(expected)] == expected and (not beyond or beyond[0] - last > 49 * 365.25 * 86_400)

    def test_random_expressions_in_utc(self):
        self.check("UTC", options.expressions // 2, self.seed)

    def test_random_expressions_in_zones_until_the_clocks_change(self):
        for number, zone in enumerate(ZONES, 1):
            with self.subTest(zone=zone):
                self.check(zone, options.expressions // 2 // len(ZONES), self.seed + number)

    def test_the_shorthands_are_their_fields(self):
        base = datetime(2024, 2, 28, 23, 59, tzinfo=timezone.utc)
        self.assertEqual(nightlatch(list(SHORTHANDS), base, "UTC"), nightlatch(list(SHORTHANDS.values()), base, "UTC"))


class CrontabTests(unittest.TestCase):
    COUNT = 600

    def setUp(self):
        if not os.path.exists(PROGRAM):
            self.skipTest("needs the release build (make release): no " + PROGRAM)
        if not shutil.which("crontab"):
            self.skipTest("crontab isn't installed")
        self.file = tempfile.NamedTemporaryFile("w", prefix="nightlatch-crontab.")
        self.addCleanup(self.file.close)
        # Debian's and cronie's ways of asking without installing.
        for option in ("-n", "-T"):
            if self.accepts("* * * * *", option) and not self.accepts("60 * * * *", option):
                self.option = option
                return
        self.skipTest("this crontab can't check a file")

    def accepts(self, expression, option):
        self.file.seek(0)
        self.file.truncate()
        self.file.write(expression + " true\n")
        self.file.flush()
        return subprocess.run(
            ["crontab", option, self.file.name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0

    @staticmethod
    def is_deliberate(text):
        """What crontab alone accepts for one of the reasons above."""
        fields = text.split()
        elements = [element for field in fields for element in field.split(",")]
        # The sixth field is the command.
        return len(fields) > 5 or any(
            "~" in element or has_rest(element) or is_backwards(element) for element in elements)

    def test_what_is_accepted(self):
        generator = Generator(options.seed or 1, open_steps=False)
        expressions = list({generator.expression(): None for _ in range(self.COUNT)})
        expressions = [text for text in expressions if text.strip() and not text.startswith("#")]
        base = datetime(2024, 1, 1, tzinfo=timezone.utc)
        agreed, differences = 0, []
        for text, found in zip(expressions, nightlatch(expressions, base, "UTC")):
            ours, theirs = found is not None, self.accepts(text, self.option)
            if ours == theirs:
                agreed += 1
            elif ours or not self.is_deliberate(text):
                differences.append("%r: accepted by %s alone" % (text, "nightlatch" if ours else "crontab"))
        print("%d of %d alike" % (agreed, len(expressions)), end=" ", flush=True)
        self.assertGreater(agreed, len(expressions) * 0.9)
        self.assertEqual(differences, [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--expressions", type=int, default=options.expressions)
    parser.add_argument("--seed", type=int)
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
