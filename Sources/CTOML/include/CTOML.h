#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// toml++ behind a C face: a TOML document as a flat list of nodes, each with its place in the source.

#ifdef __cplusplus
extern "C" {
#endif

// Both count from 1; columns count code points. 0 means "nowhere".
typedef struct {
  uint32_t line;
  uint32_t column;
} ctoml_position;

typedef enum {
  CTOML_TABLE,
  CTOML_ARRAY,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  // A date, a time, or both, with or without an offset.
  CTOML_DATE
} ctoml_kind;

// UTF-8, not terminated by a NUL; may contain NULs.
typedef struct {
  const char *bytes;
  size_t count;
} ctoml_text;

// One node. Nodes are in preorder: `child_count` subtrees follow each table and array.
typedef struct {
  ctoml_kind kind;
  // Only in a table's children: empty, at 0:0, elsewhere.
  ctoml_text key;
  ctoml_position key_begin;
  // Where the value begins, and the column after its last code point.
  ctoml_position begin;
  ctoml_position end;
  size_t child_count;
  ctoml_text string;
  int64_t integer;
  double real;
  bool boolean;
} ctoml_node;

typedef struct ctoml_document ctoml_document;

// The largest input in bytes, and the deepest path: how many parts a dotted key or a table header
// may have, and how deep inline tables and arrays may nest. They bound recursion on hostile input.
enum { CTOML_MAX_BYTES = 1 << 20, CTOML_MAX_DEPTH = 16 };

// Parses `count` bytes. Never fails to return a document; returns NULL only when memory is exhausted.
// The caller frees it with ctoml_free. Nodes and texts live as long as the document.
ctoml_document *ctoml_parse(const char *bytes, size_t count);
void ctoml_free(ctoml_document *document);

// The nodes, root table first; none when the text is not TOML.
const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count);

// The syntax error and where it is; empty when there is none.
ctoml_text ctoml_error(const ctoml_document *document, ctoml_position *position);

#ifdef __cplusplus
}
#endif
