// The nesting depth of JSON, checked before parsing, because recursive parsing has a limited stack.
#pragma once

#include <string_view>

namespace headlight {

inline constexpr int deepest_json = 128;

/// Whether lists and objects are nested deeper than `most`. Also defined for invalid JSON.
inline bool nested_deeper_than(std::string_view json, int most) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      at += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace headlight
