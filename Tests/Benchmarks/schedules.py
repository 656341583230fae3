#!/usr/bin/env python3
"""How quick the schedule engine is, beside others on the same machine and in the same run. Run by `make benchmark`.

Needs the release build, and the virtual environment's Python for croniter and cronsim. systemd-analyze is left out
where it is missing. Each figure is the quickest of a few rounds. Nothing here passes or fails.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone

from croniter import croniter
from cronsim import CronSim

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, ".build/release")
BASE = datetime(2026, 1, 1, tzinfo=timezone.utc)
CRON = ["*/15 * * * *", "0 2 * * *", "0 9 * * 1-5", "30 4 1,15 * *", "0 0 29 2 *"]
CALENDAR = ["*:0/15", "*-*-* 02:00", "Mon..Fri 09:00", "Mon *-*~07/1", "*-02-29 04:00"]
ZONES = ["UTC", "Europe/Berlin"]
# All years there are, each named.
YEARS = ",".join(map(str, range(1970, 2200)))
SECONDS = ",".join("%d.%06d" % (number % 60, number) for number in range(241))
NEVER = [
    ("cron", "0 0 31 2,4,6,9,11 *"), ("cron", "0 0 30,31 2 */1"), ("cron", "30 1-2/1 25-31 3 */7"),
    ("calendar", "*-02-30"), ("calendar", "2021-01-01"), ("calendar", "Mon 2199-02-28"), ("calendar", "Sun *-02-30 *:*:*"),
    ("calendar", YEARS + "-02-30"), ("calendar", "*-02-30 *:*:" + SECONDS),
]


def ask(rows):
    """Sends rows of (measurement, grammar, zone, policy, expression); returns nanoseconds."""
    lines = "".join("\t".join(row) + "\n" for row in rows)
    done = subprocess.run(
        [os.path.join(PROGRAMS, "schedule-benchmark")], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def quickest(operation, count, rounds):
    """Nanoseconds of one of `count` operations."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(count):
            operation()
        best = min(best, (time.perf_counter_ns() - start) / count)
    return best


def process(*command):
    """Nanoseconds of a whole process."""
    return quickest(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), 1, 9)


def shown(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return "%.3g %s" % (nanoseconds / size, unit)
    return "%d ns" % nanoseconds


def table(title, heading, rows):
    print("\n%s\n" % title)
    rows = [heading] + rows
    widths = [max(len(row[column]) for row in rows) for column in range(len(heading))]
    for row in rows:
        print("  " + "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))))


def ratio(theirs, ours):
    return "%.0fx" % (theirs / ours) if theirs >= 10 * ours else "%.1fx" % (theirs / ours)


def beside_libraries():
    ours = ask([("next", "cron", "UTC", "adjust", text) for text in CRON])
    rows = []
    for text, own in zip(CRON, ours):
        simulation, iterator = CronSim(text, BASE), croniter(text, BASE)
        # Few enough that a rare due stays within the years that Python knows.
        sim = quickest(lambda: next(simulation), 20, 20)
        iteration = quickest(lambda: iterator.get_next(float), 20, 20)
        rows.append([text, shown(own), shown(sim), shown(iteration), ratio(sim, own), ratio(iteration, own)])
    table("The next due of a cron expression, in UTC, from due to due in one process",
          ["expression", "nightlatch", "cronsim", "croniter", "cronsim/ours", "croniter/ours"], rows)


def by_zone():
    queries = [("next", "calendar", zone, policy, text)
               for text in CALENDAR for zone in ZONES for policy in ("adjust", "systemd")]
    figures = iter(ask(queries))
    rows = [[text] + [shown(next(figures)) for _ in range(4)] for text in CALENDAR]
    table("The next due of a calendar expression, from due to due in one process",
          ["expression"] + ["%s, %s" % (zone, policy) for zone in ZONES for policy in ("adjust", "systemd")], rows)


def beside_systemd():
    if not shutil.which("systemd-analyze"):
        print("\nsystemd-analyze isn't installed: not compared.")
        return
    rows = []
    for text in CALENDAR:
        ours, theirs = [], []
        for count in (1, 1_000):
            ours.append(process(os.path.join(PROGRAMS, "nightlatch"), "calendar", "--dst=systemd", "--timezone=UTC",
                                "--base-time=@%d" % BASE.timestamp(), "--iterations=%d" % count, text))
            theirs.append(process("env", "TZ=UTC", "systemd-analyze", "calendar", "--base-time=@%d" % BASE.timestamp(),
                                  "--iterations=%d" % count, text))
        each = [(many - one) / 999 for one, many in (ours, theirs)]
        rows.append([text, shown(ours[0]), shown(theirs[0]), ratio(theirs[0], ours[0]), shown(max(each[0], 1)),
                     shown(max(each[1], 1))])
    table("A whole process with one due, and what each further due costs when it prints 1,000 (searching and printing)",
          ["expression", "nightlatch", "systemd-analyze", "theirs/ours", "ours, each", "theirs, each"], rows)


def hostile_zone(path):
    """As many changes as a file may hold, an hour apart, of two days each; then the longest of daylight saving rules."""
    count = 2_000
    first = int(BASE.timestamp()) - 100 * 3_600
    times = [first + number * 3_601 for number in range(count)]

    def block(size, times):
        header = b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, len(times), 2, 8)
        body = b"".join(struct.pack(">q" if size == 8 else ">i", time) for time in times)
        body += bytes(number % 2 for number in range(len(times)))
        return header + body + struct.pack(">iBBiBB", 93_599, 0, 0, -89_999, 1, 4) + b"XXX\0YYY\0"
    with open(path, "wb") as file:
        file.write(block(4, []) + block(8, times) + b"\nXXX-24YYY24,M1.1.1,M7.1.1\n")


def worst_cases():
    with tempfile.TemporaryDirectory(prefix="nightlatch-benchmark.") as folder:
        hostile = os.path.join(folder, "zone")
        hostile_zone(hostile)
        zones = ["UTC", "Antarctica/Troll", hostile]
        queries = [("search", grammar, zone, policy, text)
                   for grammar, text in NEVER for zone in zones for policy in ("adjust", "systemd")]
        figures = iter(ask(queries))
    rows = [[text if len(text) < 40 else text[:20] + " ... " + text[-12:]] + [shown(next(figures)) for _ in range(6)]
            for _, text in NEVER]
    names = ["UTC", "Antarctica/Troll", "2,000 changes in 12 weeks"]
    table("The slowest of 200 searches over 18 years for what is rarely or never due, adjust and systemd",
          ["expression"] + [text for name in names for text in (name, "systemd")], rows)


def once():
    texts = [("cron", "*/15 * * * *"), ("cron", "0 9 * * mon-fri"), ("calendar", "Mon..Fri 09:00"), ("calendar", "*:0/15")]
    missed = ["*:*:*", "*:0/15", "Mon *-*~07/1", "2016-01-01..07 *:*:*"]
    figures = ask([("parse", grammar, "UTC", "adjust", text) for grammar, text in texts]
                  + [("zone", "cron", zone, "adjust", "") for zone in ZONES]
                  + [("missed", "calendar", "Europe/Berlin", "adjust", text) for text in missed])
    names = ["reading " + text for _, text in texts] + ["reading %s's file" % zone for zone in ZONES]
    names += ["the newest 1,000 dues of %s in ten years" % text for text in missed]
    table("Once for each job", ["what", "nightlatch"], [[name, shown(figure)] for name, figure in zip(names, figures)])


def main():
    if not os.path.exists(os.path.join(PROGRAMS, "schedule-benchmark")):
        sys.exit("schedules.py: needs the release build: make benchmark")
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    print("%s, %d CPUs, load %.1f, Python %s" % (model, os.cpu_count(), os.getloadavg()[0], sys.version.split()[0]))
    beside_libraries()
    by_zone()
    beside_systemd()
    worst_cases()
    once()


if __name__ == "__main__":
    main()
