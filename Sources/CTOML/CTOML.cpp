#include "CTOML.h"

#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "KeyDepth.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16

#include <toml++/toml.h>

static_assert(CTOML_MAX_DEPTH == TOML_MAX_NESTED_VALUES, "toml++ needs the limit as a macro");

struct ctoml_document {
  toml::table root;
  std::vector<ctoml_node> nodes;
  std::string error;
  ctoml_position position = {0, 0};
};

namespace {

ctoml_position position(const toml::source_position &place) { return {place.line, place.column}; }

ctoml_text text(std::string_view view) { return {view.data(), view.size()}; }

void append(std::vector<ctoml_node> &nodes, const toml::node &value, const toml::key *key) {
  ctoml_node node = {};
  if (key) {
    node.key = text(key->str());
    node.key_begin = position(key->source().begin);
  }
  node.begin = position(value.source().begin);
  node.end = position(value.source().end);
  switch (value.type()) {
  case toml::node_type::table: node.kind = CTOML_TABLE; break;
  case toml::node_type::array: node.kind = CTOML_ARRAY; break;
  case toml::node_type::string: node.kind = CTOML_STRING; break;
  case toml::node_type::integer: node.kind = CTOML_INTEGER; break;
  case toml::node_type::floating_point: node.kind = CTOML_FLOAT; break;
  case toml::node_type::boolean: node.kind = CTOML_BOOLEAN; break;
  default: node.kind = CTOML_DATE; break;
  }
  if (auto string = value.as_string()) node.string = text(string->get());
  if (auto integer = value.as_integer()) node.integer = integer->get();
  if (auto real = value.as_floating_point()) node.real = real->get();
  if (auto boolean = value.as_boolean()) node.boolean = boolean->get();
  if (auto table = value.as_table()) node.child_count = table->size();
  if (auto array = value.as_array()) node.child_count = array->size();
  nodes.push_back(node);
  if (auto table = value.as_table())
    for (auto &&[childKey, child] : *table) append(nodes, child, &childKey);
  if (auto array = value.as_array())
    for (auto &&child : *array) append(nodes, child, nullptr);
}

void fail(ctoml_document &document, std::string message, ctoml_position position) {
  document.error = std::move(message);
  document.position = position;
}

void parse(ctoml_document &document, std::string_view input) {
  if (input.size() > CTOML_MAX_BYTES)
    return fail(document, "the file is larger than 1 MiB", {1, 1});
  ctoml_position place = {0, 0};
  if (KeyDepth(input).exceeded(place))
    return fail(document, "a key has more than " + std::to_string(CTOML_MAX_DEPTH) + " parts", place);
  auto result = toml::parse(input);
  if (!result) {
    auto &error = result.error();
    return fail(document, std::string(error.description()), position(error.source().begin));
  }
  document.root = std::move(result).table();
  append(document.nodes, document.root, nullptr);
}

} // namespace

ctoml_document *ctoml_parse(const char *bytes, size_t count) {
  auto document = new (std::nothrow) ctoml_document();
  if (!document) return nullptr;
  try {
    parse(*document, std::string_view(bytes, count));
  } catch (...) {
    // Only the standard library throws here, and only for want of memory.
    delete document;
    return nullptr;
  }
  return document;
}

void ctoml_free(ctoml_document *document) { delete document; }

const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count) {
  *count = document->nodes.size();
  return document->nodes.data();
}

ctoml_text ctoml_error(const ctoml_document *document, ctoml_position *position) {
  *position = document->position;
  return text(document->error);
}
