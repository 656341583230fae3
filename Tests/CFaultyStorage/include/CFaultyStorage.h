#pragma once
/* A SQLite file layer that passes everything on to the system's, counts what changes a file (writes, syncs,
 * truncations), and lets one of them go wrong. One setting for the whole process: not for parallel use. */

enum nl_fault {
  NL_FAULT_NONE,
  /* SQLITE_FULL; a write has left half of its bytes. */
  NL_FAULT_DISK_FULL,
  /* SQLITE_IOERR; a write has left half of its bytes. */
  NL_FAULT_IO,
  /* The process kills itself with SIGKILL; a write has left half of its bytes. */
  NL_FAULT_KILL,
};

/* Registers the layer under the name "faulty"; as everyone's default if `is_default`. 0 on success. */
int nl_faulty_register(int is_default);

/* From the operation with this number on (the first is 1), every one goes wrong. Starts counting anew. */
void nl_faulty_arm(enum nl_fault fault, int from);

/* How many operations there have been since nl_faulty_arm. */
int nl_faulty_operations(void);
