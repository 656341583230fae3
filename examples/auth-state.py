#!/usr/bin/env python3
"""auth-state.py [RUNTIME/]PROVIDER prints what `nightlatch auth` knows: the state and the user (docs/auth-cache.md)."""
import mmap, struct, sys, time
FILE_VERSION, FILE_SIZE, SLOT_SIZE, VERSION, SIZE = 2, 8192, 4032, 2, 3096

def checksum(data, crc=0xFFFFFFFF):
    for byte in data[:12] + data[16:]:
        crc ^= byte
        for _ in range(8): crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF

def newest(path):
    """The newest snapshot's bytes; None if there is none that this program can read."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), FILE_SIZE, access=mmap.ACCESS_READ) as cache:
        word = lambda offset: struct.unpack_from("=Q", cache, offset)[0]
        for _ in range(64 if cache[:8] == b"NLAUTH\0\0" and word(8) == FILE_VERSION else 0):
            generation = word(64)
            copy = cache[128 + SLOT_SIZE * (generation & 1):][:SIZE]
            if word(64) == generation:  # else the writer has come by while we copied
                head = struct.unpack_from("<4sIIIQ", copy)
                return copy if head == (b"NLSN", VERSION, SIZE, checksum(copy), generation) else None

def state(data):
    if not data or data[24] >= 2 or data[26] > 2: return "notReady", ""
    if data[24] == 0: return "unauthenticated", ""
    text = lambda offset: data[offset + 2:offset + 2 + struct.unpack_from("<H", data, offset)[0]].decode()
    token, boot_start, wall_start, lifetime, skew = struct.unpack_from("<Qqqqq", data, 56)
    boot, wall = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000, time.time_ns() // 1000
    this_boot = open("/proc/sys/kernel/random/boot_id").read().strip().replace("-", "")
    boot_age, wall_age = max(0, boot - boot_start), wall - wall_start - min(0, skew)
    fresh = boot_age < lifetime if text(160) == this_boot else boot < lifetime and 0 <= wall_age < lifetime
    valid = token > 0 and (fresh or not data[27] & 4)  # without 4 the token does not expire
    confirmed = data[27] & 8 and text(200) == this_boot and data[26] == 0
    return "authenticated" if confirmed and valid else "authenticatedUnverified", text(280)

try:
    runtime, _, provider = sys.argv[1].rpartition("/")
    print(*state(newest(f"{runtime or '/run/nightlatch'}/auth/{provider}")))
except (OSError, ValueError): print("notReady", "")
