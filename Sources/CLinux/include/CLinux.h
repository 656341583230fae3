#pragma once
/* Linux calls that Swift cannot see: variadic functions, GNU extensions and
 * atomics on shared memory. Each wrapper says why it exists. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Swift atomics cannot be laid over memory that another process maps. */
static inline uint64_t nl_load_acquire(const volatile uint64_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void nl_store_release(volatile uint64_t *word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* --- Shared memory: the auth cache ------------------------------------------------------------ */

#include <stddef.h>

/* A copy whose source may change meanwhile: word by word, so that it is no data race, and before
 * any load that follows it. Swift has no relaxed access to foreign memory and no fences. */
static inline void nl_copy_words_out(uint64_t *to, const volatile uint64_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
/* The writer's side: after any store that precedes it. */
static inline void nl_copy_words_in(volatile uint64_t *to, const uint64_t *from, size_t count) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (size_t i = 0; i < count; i++) __atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
}

/* --- Hardening: the foreground agent ---------------------------------------------------------- */

/* prctl is variadic, and setrlimit's resource is an enum that Swift cannot spell: no core dump, and
 * no /proc/PID/mem and no ptrace by other processes of the same user. Returns -1 with errno set. */
int nl_forbid_dumps(void);

/* --- Tokens for runs -------------------------------------------------------------------------- */

/* memfd_create and F_ADD_SEALS are GNU extensions; fcntl is variadic. */
int nl_memory_file(const char *name);
int nl_seal(int fd);

/* --- Readiness of descriptors ----------------------------------------------------------------- */

/* struct epoll_event is packed and its data a union: neither is known to Swift. */
int nl_epoll(void);
int nl_epoll_add(int epoll, int fd, int writable, uint64_t token);
int nl_epoll_remove(int epoll, int fd);
/* Never waits. At most 64 tokens. */
int nl_epoll_ready(int epoll, uint64_t *tokens, int count);

/* --- A listener on the loopback interface: logins --------------------------------------------- */

/* Socket addresses are cast to one another, which Swift makes longer and not safer. Listens on
 * 127.0.0.1 or [::1], without blocking; `port` 0 becomes a free one. Returns -errno on failure. */
int nl_listen_on_loopback(int is_ipv6, uint16_t *port);

#include "CLinuxPlatform.h"

/* environ(7). A process without dumps can't read its own /proc/self/environ, and Swift 6 does not let a global
 * variable of C be read. */
char **nl_environment(void);
