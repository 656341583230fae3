#include "CFaultyStorage.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct faulty_file {
  sqlite3_file base;
  sqlite3_file *real; /* In the same allocation, right behind this. */
};

static sqlite3_vfs faulty;
static sqlite3_vfs *system_vfs;
static enum nl_fault armed;
static int first_failure;
static int operations;

static sqlite3_file *real(sqlite3_file *file) { return ((struct faulty_file *)file)->real; }

/* Whether the operation that begins now is to go wrong. */
static int fails(void) {
  operations += 1;
  return armed != NL_FAULT_NONE && operations >= first_failure;
}

static int failure(int io_code) {
  if (armed == NL_FAULT_KILL) {
    raise(SIGKILL);
    abort();
  }
  return armed == NL_FAULT_DISK_FULL ? SQLITE_FULL : io_code;
}

static int faulty_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (!fails()) return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
  return failure(SQLITE_IOERR_WRITE);
}

static int faulty_sync(sqlite3_file *file, int flags) {
  (void)file;
  (void)flags;
  /* No test cuts the power: what the kernel has, the next process sees, and syncing only costs time. */
  if (!fails()) return SQLITE_OK;
  return failure(SQLITE_IOERR_FSYNC);
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (!fails()) return real(file)->pMethods->xTruncate(real(file), size);
  return failure(SQLITE_IOERR_TRUNCATE);
}

static int faulty_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }
static int faulty_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int faulty_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int faulty_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int faulty_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int faulty_reserved(sqlite3_file *file, int *is_held) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_held);
}
static int faulty_control(sqlite3_file *file, int code, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), code, argument);
}
static int faulty_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int faulty_device(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int faulty_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, address);
}
static int faulty_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void faulty_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int faulty_shm_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

/* Version 2: with shared memory, which the write-ahead log needs, but without mapped reads. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = faulty_close,
    .xRead = faulty_read,
    .xWrite = faulty_write,
    .xTruncate = faulty_truncate,
    .xSync = faulty_sync,
    .xFileSize = faulty_size,
    .xLock = faulty_lock,
    .xUnlock = faulty_unlock,
    .xCheckReservedLock = faulty_reserved,
    .xFileControl = faulty_control,
    .xSectorSize = faulty_sector,
    .xDeviceCharacteristics = faulty_device,
    .xShmMap = faulty_shm_map,
    .xShmLock = faulty_shm_lock,
    .xShmBarrier = faulty_shm_barrier,
    .xShmUnmap = faulty_shm_unmap,
};

static int faulty_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened_flags) {
  (void)vfs;
  struct faulty_file *own = (struct faulty_file *)file;
  own->real = (sqlite3_file *)(own + 1);
  int code = system_vfs->xOpen(system_vfs, name, own->real, flags, opened_flags);
  /* SQLite closes a file whose methods are set, even when opening it has failed. */
  own->base.pMethods = own->real->pMethods != NULL ? &methods : NULL;
  return code;
}

int nl_faulty_register(int is_default) {
  if (system_vfs == NULL) {
    system_vfs = sqlite3_vfs_find(NULL);
    if (system_vfs == NULL) return SQLITE_ERROR;
    /* Everything that is not about an open file is the system layer's own. */
    faulty = *system_vfs;
    faulty.pNext = NULL;
    faulty.zName = "faulty";
    faulty.szOsFile = (int)sizeof(struct faulty_file) + system_vfs->szOsFile;
    faulty.xOpen = faulty_open;
  }
  return sqlite3_vfs_register(&faulty, is_default);
}

void nl_faulty_arm(enum nl_fault fault, int from) {
  armed = fault;
  first_failure = from;
  operations = 0;
}

int nl_faulty_operations(void) { return operations; }
