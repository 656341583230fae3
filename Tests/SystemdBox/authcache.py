"""Publishes a session as docs/auth-cache.md describes it, in another language than the programs under test."""
import os
import struct
import time

FILE_MAGIC = b"NLAUTH\0\0"
SNAPSHOT_VERSION, SNAPSHOT_SIZE, FILE_SIZE = 2, 3096, 8192
PUBLISHED, FLAG_NAME, FLAG_LIFETIME, FLAG_VERIFIED = 40, 2, 4, 8


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def boot_id():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip().replace("-", "")


def moment():
    """Boot clock and wall clock in microseconds."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000, time.time_ns() // 1000


def text(value, width):
    data = value.encode()
    return (struct.pack("<H", len(data)) + data).ljust(width, b"\0")


def snapshot(generation, token_generation, obtained, lifetime, verified, user):
    """A present session with nothing on its way."""
    image = bytearray(SNAPSHOT_SIZE)
    struct.pack_into("<4sII", image, 0, b"NLSN", SNAPSHOT_VERSION, len(image))
    struct.pack_into("<Q", image, 16, generation)
    image[24] = 1
    image[27] = FLAG_LIFETIME | (FLAG_VERIFIED if verified else 0)
    struct.pack_into("<qqQqqq", image, PUBLISHED, *moment(), token_generation, *obtained, int(lifetime * 1_000_000))
    for offset in (120, 160) + ((200,) if verified else ()):
        image[offset:offset + 40] = text(boot_id(), 40)
    image[280:792] = text(user, 512)
    seal(image)
    return bytes(image)


def seal(image):
    struct.pack_into("<I", image, 12, crc32c(image[:12] + image[16:]))


def slot(generation):
    return 128 + (generation & 1) * ((FILE_SIZE - 128) // 2)


class Session:
    """What a foreground agent that holds one provider's session would publish."""

    def __init__(self, runtime, provider, user="user-1"):
        self.runtime, self.provider, self.user = runtime, provider, user
        self.generation = self.token_generation = 0

    def publish(self, token, lifetime=3600, verified=True, token_file=True):
        """`token_file=False` leaves the token file as an earlier publication dated it."""
        self.generation += 1
        self.token_generation += 1
        obtained = moment()
        if token_file:
            self.write_token(token, obtained[1])
        image = snapshot(self.generation, self.token_generation, obtained, lifetime, verified, self.user)
        page = bytearray(FILE_SIZE)
        struct.pack_into("<8sQ", page, 0, FILE_MAGIC, 2)
        struct.pack_into("<Q", page, 64, self.generation)
        begin = slot(self.generation)
        page[begin:begin + len(image)] = image
        self.replace("auth", bytes(page))

    def write_token(self, token, wall):
        path = self.replace("tokens", token.encode())
        os.utime(path, ns=(wall * 1000, wall * 1000))

    def replace(self, folder, data):
        folder = os.path.join(self.runtime, folder)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, self.provider)
        with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        os.rename(path + ".new", path)
        return path
