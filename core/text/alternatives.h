// Lists alternatives in a sentence.
#pragma once

#include <iterator>
#include <string>

namespace headlight {

/// "1, 2, 4 or 8"
template <typename Names>
std::string alternatives(const Names& names) {
  std::string text;
  for (auto name = std::begin(names); name != std::end(names); ++name) {
    if (name != std::begin(names)) text += std::next(name) == std::end(names) ? " or " : ", ";
    text += *name;
  }
  return text;
}

}  // namespace headlight
