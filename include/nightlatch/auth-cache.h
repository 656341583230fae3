/* Nightlatch's auth cache for C and C++: what background work may assume about a session.
 *
 *     struct nightlatch_auth auth;
 *     if (nightlatch_auth_open(&auth, NULL, "work") != 0) return 1;
 *     switch (nightlatch_auth_state(&auth)) {
 *     case NIGHTLATCH_AUTHENTICATED:   sync_as(auth.user_id); break;
 *     case NIGHTLATCH_UNVERIFIED:      defer(); break;     // probably logged in: verify later
 *     case NIGHTLATCH_UNAUTHENTICATED: break;              // nothing to do
 *     case NIGHTLATCH_NOT_READY:       break;              // nothing is known: don't proceed
 *     }
 *     nightlatch_auth_close(&auth);
 *
 * Everything is here: no library, no lock, no request, no network. While the answer is
 * NIGHTLATCH_AUTHENTICATED, asking makes no system call. One struct belongs to one thread.
 *
 * C11 or C++17, GCC or Clang, 64-bit Linux; with -std=c11 define _POSIX_C_SOURCE as 200809L first. The file is
 * described in docs/auth-cache.md. */
#ifndef NIGHTLATCH_AUTH_CACHE_H
#define NIGHTLATCH_AUTH_CACHE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME 7
#endif

/* The exit statuses of `nightlatch auth`. */
enum nightlatch_state {
  NIGHTLATCH_AUTHENTICATED = 0,    /* verified in this boot, and the access token is valid */
  NIGHTLATCH_UNVERIFIED = 10,      /* there is a session, but nobody has confirmed it */
  NIGHTLATCH_UNAUTHENTICATED = 11, /* there is no session */
  NIGHTLATCH_NOT_READY = 12        /* nothing is known; never to be taken for "logged out" */
};

struct nightlatch_auth {
  /* Of the newest snapshot; empty when there is no session. */
  char user_id[511], user_name[255];
  /* When the access token was asked for and how long it lives, in microseconds; no lifetime: -1. */
  int64_t obtained_boot, obtained_wall, lifetime, skew;

  /* For the functions below. */
  char path[512], boot_id[33];
  const volatile uint64_t *map;
  dev_t device;
  ino_t inode;
  uint64_t generation;
  int is_snapshot, session, is_confirmed, has_token, is_of_this_boot;
};

/* The versions of the file and of a snapshot, and their sizes in bytes; two slots share what follows the header. */
#define NIGHTLATCH_FILE_VERSION 2
#define NIGHTLATCH_FILE_SIZE 8192
#define NIGHTLATCH_SNAPSHOT_VERSION 2
#define NIGHTLATCH_SNAPSHOT_SIZE 3096
#define NIGHTLATCH_HEADER_WORDS 16
#define NIGHTLATCH_SLOT_WORDS ((NIGHTLATCH_FILE_SIZE / 8 - NIGHTLATCH_HEADER_WORDS) / 2)

static inline int64_t nightlatch_sum(int64_t left, int64_t right) {
  int64_t sum;
  if (__builtin_add_overflow(left, right, &sum)) return left < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

static inline int64_t nightlatch_clock(clockid_t clock) {
  struct timespec now = {0, 0};
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline uint64_t nightlatch_number(const unsigned char *bytes, size_t width) {
  uint64_t value = 0;
  while (width-- > 0) value = value << 8 | bytes[width];
  return value;
}

/* Copies a string field, its length first; -1 when the length is beyond the field. */
static inline int nightlatch_text(const unsigned char *field, size_t width, char *text) {
  size_t length = (size_t)nightlatch_number(field, 2);
  if (length > width - 2) return -1;
  memcpy(text, field + 2, length);
  text[length] = 0;
  return 0;
}

/* CRC-32C of everything but the checksum itself (RFC 3720 section 12.1). */
static inline uint32_t nightlatch_checksum(const unsigned char *bytes, size_t count) {
  uint32_t crc = 0xffffffffu;
  for (size_t index = 0; index < count; index++) {
    if (index == 12) index = 16;
    crc ^= bytes[index];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

static inline uint64_t nightlatch_load(const struct nightlatch_auth *auth, size_t word) {
  return __atomic_load_n(auth->map + word, __ATOMIC_ACQUIRE);
}

static inline void nightlatch_unmap(struct nightlatch_auth *auth) {
  if (auth->map) munmap((void *)(uintptr_t)auth->map, NIGHTLATCH_FILE_SIZE);
  auth->map = NULL;
}

/* Maps what is at the path now, if it is a file of ours: those are never shorter, so reading can't fail. */
static inline void nightlatch_map(struct nightlatch_auth *auth) {
  struct stat status;
  nightlatch_unmap(auth);
  int fd = open(auth->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= NIGHTLATCH_FILE_SIZE) {
    void *map = mmap(NULL, NIGHTLATCH_FILE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) auth->map = (const volatile uint64_t *)map;
    auth->device = status.st_dev;
    auth->inode = status.st_ino;
  }
  close(fd);
}

static inline int nightlatch_is_replaced(const struct nightlatch_auth *auth) {
  struct stat status;
  if (lstat(auth->path, &status) != 0) return auth->map != NULL;
  return !auth->map || status.st_dev != auth->device || status.st_ino != auth->inode;
}

/* Takes over an intact snapshot of this version; -1 when it is none. */
static inline int nightlatch_decode(
    struct nightlatch_auth *auth, const unsigned char *bytes, uint64_t generation) {
  char verified[39], obtained[39];
  if (memcmp(bytes, "NLSN", 4) != 0 || nightlatch_number(bytes + 4, 4) != NIGHTLATCH_SNAPSHOT_VERSION ||
      nightlatch_number(bytes + 8, 4) != NIGHTLATCH_SNAPSHOT_SIZE ||
      nightlatch_number(bytes + 12, 4) != nightlatch_checksum(bytes, NIGHTLATCH_SNAPSHOT_SIZE) ||
      nightlatch_number(bytes + 16, 8) != generation || bytes[24] > 2 || bytes[26] > 2 ||
      nightlatch_text(bytes + 160, 40, obtained) != 0 || nightlatch_text(bytes + 200, 40, verified) != 0 ||
      nightlatch_text(bytes + 280, 512, auth->user_id) != 0 ||
      nightlatch_text(bytes + 792, 256, auth->user_name) != 0)
    return -1;
  auth->session = bytes[24];
  auth->has_token = nightlatch_number(bytes + 56, 8) > 0;
  auth->obtained_boot = (int64_t)nightlatch_number(bytes + 64, 8);
  auth->obtained_wall = (int64_t)nightlatch_number(bytes + 72, 8);
  auth->lifetime = bytes[27] & 4 ? (int64_t)nightlatch_number(bytes + 80, 8) : -1;
  auth->skew = (int64_t)nightlatch_number(bytes + 88, 8);
  auth->is_of_this_boot = strcmp(obtained, auth->boot_id) == 0;
  /* Verified in this boot, and no refresh token of unknown fate. */
  auth->is_confirmed = bytes[27] & 8 && strcmp(verified, auth->boot_id) == 0 && bytes[26] == 0;
  return 0;
}

/* Reads what was published last. Bounded: it waits for no writer, living or dead. */
static inline void nightlatch_refresh(struct nightlatch_auth *auth) {
  auth->is_snapshot = 0;
  auth->user_id[0] = auth->user_name[0] = 0;
  if (!auth->map || nightlatch_load(auth, 8) == UINT64_MAX) nightlatch_map(auth);
  if (!auth->map) return;
  if (nightlatch_load(auth, 0) != UINT64_C(0x0000485455414c4e)) return;
  if (nightlatch_load(auth, 1) != NIGHTLATCH_FILE_VERSION) return;
  for (int attempt = 0; attempt < 64; attempt++) {
    uint64_t copy[NIGHTLATCH_SLOT_WORDS], generation = nightlatch_load(auth, 8);
    if (generation == 0 || generation > UINT64_MAX / 2) return;
    size_t slot = NIGHTLATCH_HEADER_WORDS + (size_t)(generation & 1) * NIGHTLATCH_SLOT_WORDS;
    for (size_t word = 0; word < NIGHTLATCH_SLOT_WORDS; word++)
      copy[word] = __atomic_load_n(auth->map + slot + word, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (nightlatch_load(auth, 8) != generation) continue;
    auth->is_snapshot = nightlatch_decode(auth, (const unsigned char *)copy, generation) == 0;
    auth->generation = generation;
    if (!auth->is_snapshot) auth->user_id[0] = auth->user_name[0] = 0;
    return;
  }
}

/* Within the boot that brought the token the boot clock decides; in another one the wall clock, on the safe side. */
static inline int nightlatch_has_valid_token(const struct nightlatch_auth *auth) {
  if (!auth->has_token) return 0;
  if (auth->lifetime < 0) return 1;
  int64_t boot = nightlatch_clock(CLOCK_BOOTTIME);
  if (auth->is_of_this_boot) {
    int64_t from = boot > auth->obtained_boot ? boot : auth->obtained_boot;
    return from < nightlatch_sum(auth->obtained_boot, auth->lifetime);
  }
  int64_t wall = nightlatch_clock(CLOCK_REALTIME);
  int64_t corrected = nightlatch_sum(auth->obtained_wall, auth->skew);
  int64_t start = corrected < auth->obtained_wall ? corrected : auth->obtained_wall;
  return boot < auth->lifetime && start <= wall && wall < nightlatch_sum(start, auth->lifetime);
}

static inline enum nightlatch_state nightlatch_known_state(struct nightlatch_auth *auth) {
  if (!auth->is_snapshot || nightlatch_load(auth, 8) != auth->generation) nightlatch_refresh(auth);
  if (!auth->is_snapshot || auth->session == 2) return NIGHTLATCH_NOT_READY;
  if (auth->session == 0) return NIGHTLATCH_UNAUTHENTICATED;
  return auth->is_confirmed && nightlatch_has_valid_token(auth) ? NIGHTLATCH_AUTHENTICATED
                                                                : NIGHTLATCH_UNVERIFIED;
}

/* The auth state now. Any answer but NIGHTLATCH_AUTHENTICATED is given after a look at whether another file has
 * taken the place of the one that is mapped. */
static inline enum nightlatch_state nightlatch_auth_state(struct nightlatch_auth *auth) {
  enum nightlatch_state state = nightlatch_known_state(auth);
  if (state == NIGHTLATCH_AUTHENTICATED || !nightlatch_is_replaced(auth)) return state;
  nightlatch_map(auth);
  auth->is_snapshot = 0;
  return nightlatch_known_state(auth);
}

/* Prepares to read the cache of a provider (the name of its file in providers.d, without the ending). The file may
 * come later. runtime: the runtime folder; NULL: /run/nightlatch. Returns 0, or -1 with errno. */
static inline int nightlatch_auth_open(
    struct nightlatch_auth *auth, const char *runtime, const char *provider) {
  char text[64];
  memset(auth, 0, sizeof *auth);
  if (!*provider || *provider == '.' || strchr(provider, '/')) return errno = EINVAL, -1;
  int length =
      snprintf(auth->path, sizeof auth->path, "%s/auth/%s", runtime ? runtime : "/run/nightlatch", provider);
  if (length < 0 || (size_t)length >= sizeof auth->path) return errno = ENAMETOOLONG, -1;
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t count = read(fd, text, sizeof text);
  close(fd);
  size_t digits = 0;
  for (ssize_t index = 0; index < count && digits < sizeof auth->boot_id - 1; index++)
    if (text[index] != '-' && text[index] != '\n') auth->boot_id[digits++] = text[index];
  return digits == 32 ? 0 : (errno = EIO, -1);
}

static inline void nightlatch_auth_close(struct nightlatch_auth *auth) { nightlatch_unmap(auth); }

#endif
