#!/usr/bin/env python3
"""Prints what Python's zoneinfo says about every zone of the system's database, for ZoneDatabaseTests.swift.

Zones with equal files are printed once. Lines:
    zone NAME
    from SECONDS to SECONDS      a stretch of time, followed by what holds at its start and from each change in it on:
    SECONDS OFFSET DST NAME      since 1970; east of UTC; 0 or 1; the abbreviation
"""
import hashlib
import os
import struct
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

DATABASE = "/usr/share/zoneinfo"
# No rule of a last line makes two changes within so few days.
STEP = 14 * 86_400
# Far years are ruled by the last line of a file alone.
STRETCHES = [(1970, 2038), (2100, 2101), (2399, 2400), (5000, 5001), (9996, 9997)]


def zone_files():
    """The name of each zone, and its file; one name for equal files."""
    seen = set()
    for folder, folders, files in os.walk(DATABASE):
        folders[:] = sorted(set(folders) - {"posix", "right"})
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            digest = hashlib.sha256(data).digest()
            if data.startswith(b"TZif") and name not in ("localtime", "posixrules") and digest not in seen:
                seen.add(digest)
                yield os.path.relpath(path, DATABASE), path, data


def written_changes(data):
    """The times that the file itself lists, in its 64-bit block."""
    def counts(start):
        return struct.unpack(">6I", data[start + 20:start + 44])
    utc, standard, leaps, times, types, characters = counts(0)
    second = 44 + times * 5 + types * 6 + characters + leaps * 8 + standard + utc
    count = counts(second)[3]
    return struct.unpack(">%dq" % count, data[second + 44:second + 44 + 8 * count])


def state(zone, seconds):
    time = datetime.fromtimestamp(seconds, zone)
    return int(time.utcoffset().total_seconds()), int(bool(time.dst())), time.tzname()


def changes_between(zone, start, end):
    """Looks at each fortnight of the stretch, then into those that begin and end differently."""
    for low in range(start, end, STEP):
        high = min(low + STEP, end)
        before = state(zone, low)
        if state(zone, high) == before:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if state(zone, middle) == before:
                low = middle
            else:
                high = middle
        yield high


def print_stretch(zone, written, start, end):
    print("from %d to %d" % (start, end))
    candidates = [time for time in written if start < time < end]
    # What the rule of the last line adds.
    candidates += changes_between(zone, max([start] + candidates), end)
    previous = None
    for time in [start] + candidates:
        now = state(zone, time)
        if now != previous:
            print("%d %d %d %s" % (time, *now))
        previous = now


def main():
    for name, path, data in zone_files():
        print("zone", name)
        with open(path, "rb") as file:
            zone = ZoneInfo.from_file(file, key=name)
        written = written_changes(data)
        for first, last in STRETCHES:
            start, end = (int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()) for year in (first, last))
            print_stretch(zone, written, start, end)


if __name__ == "__main__":
    main()
