#pragma once
#include <cjose/cjose.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* jansson and cjose ask for C function pointers. These remember each block's size in front of it, so
 * that the copies of tokens which a parsed document holds are wiped when it is freed. Both get the
 * same ones: cjose frees what jansson has allocated. */
enum { NL_JSON_PREFIX = 16 };
static inline void *nl_json_allocate(size_t size) {
  if (size > SIZE_MAX - NL_JSON_PREFIX) return NULL;
  char *block = malloc(size + NL_JSON_PREFIX);
  if (!block) return NULL;
  memcpy(block, &size, sizeof size);
  return block + NL_JSON_PREFIX;
}
static inline void nl_json_wipe(void *memory) {
  if (!memory) return;
  char *block = (char *)memory - NL_JSON_PREFIX;
  size_t size;
  memcpy(&size, block, sizeof size);
  explicit_bzero(memory, size);
  free(block);
}
static inline void *nl_json_reallocate(void *memory, size_t size) {
  void *block = nl_json_allocate(size);
  if (!block || !memory) return block;
  size_t old;
  memcpy(&old, (char *)memory - NL_JSON_PREFIX, sizeof old);
  memcpy(block, memory, old < size ? old : size);
  nl_json_wipe(memory);
  return block;
}
static inline void nl_json_use_wiping_allocator(void) {
  cjose_set_alloc_funcs(nl_json_allocate, nl_json_reallocate, nl_json_wipe);
  json_set_alloc_funcs(nl_json_allocate, nl_json_wipe);
}
