#pragma once
#include <cstddef>
#include <string_view>

#include "CTOML.h"

// Walks over a TOML text without understanding more of it than comments and the four kinds of strings.
class Scan {
public:
  explicit Scan(std::string_view text) : text(text) {}

  // Finds the first dotted key or table header of more than CTOML_MAX_DEPTH parts, and stops after its
  // last permitted dot.
  //
  // toml++ builds, walks and destroys one table per part by recursion and has no limit of its own for
  // them, so a long enough key would overflow the stack. Where the scan could lose track (a line break
  // in a one-line string) the parser stops as well.
  bool findDeepKey() {
    while (offset < text.size()) {
      if (!step()) return false;
      if (dots >= CTOML_MAX_DEPTH) return true;
    }
    return false;
  }

  ctoml_position position() const { return {line, column}; }

  // The position of the byte at `target`, which is not before the current one.
  ctoml_position position(size_t target) {
    if (target > offset) advance(target - offset);
    return position();
  }

private:
  std::string_view text;
  size_t offset = 0;
  uint32_t line = 1;
  uint32_t column = 1;
  size_t dots = 0;

  // Consumes one token; false where the parser is certain to stop.
  bool step() {
    switch (text[offset]) {
    case '#': return comment();
    case '"':
    case '\'': return string(text[offset]);
    case '.': dots += 1; break;
    case '\n':
    case '=':
    case ',':
    case '[':
    case ']':
    case '{':
    case '}': dots = 0; break;
    default: break;
    }
    advance();
    return true;
  }

  bool comment() {
    while (offset < text.size() && text[offset] != '\n') advance();
    return true;
  }

  bool string(char quote) {
    if (!startsWithThree(quote)) return oneLine(quote);
    advance(3);
    while (offset < text.size() && !startsWithThree(quote)) escapeOrAdvance(quote);
    // The closing three may be preceded by two quotes that belong to the string.
    for (int quotes = 0; quotes < 5 && offset < text.size() && text[offset] == quote; ++quotes) advance();
    return true;
  }

  bool oneLine(char quote) {
    advance();
    while (offset < text.size() && text[offset] != quote) {
      if (text[offset] == '\n') return false;
      escapeOrAdvance(quote);
    }
    if (offset < text.size()) advance();
    return true;
  }

  void escapeOrAdvance(char quote) { advance(quote == '"' && text[offset] == '\\' ? 2 : 1); }

  bool startsWithThree(char quote) const {
    const char three[] = {quote, quote, quote};
    return text.substr(offset, 3) == std::string_view(three, 3);
  }

  void advance(size_t count = 1) {
    for (; count > 0 && offset < text.size(); --count, ++offset) {
      if (text[offset] == '\n') {
        line += 1;
        column = 1;
      } else if ((text[offset] & 0xC0) != 0x80) {
        column += 1;
      }
    }
  }
};
