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

#include "CLinuxPlatform.h"
