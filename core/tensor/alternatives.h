// Lists alternatives in a sentence.
#pragma once

#include <iterator>

#include "core/tensor/message.h"

namespace headlight {

/// "1, 2, 4 or 8"
template <typename Names>
Message alternatives(const Names& names) {
  std::string text;
  for (auto name = std::begin(names); name != std::end(names); ++name) {
    if (std::next(name) == std::end(names) && !text.empty()) return {"{0} or {1}", text, std::string(*name)};
    if (!text.empty()) text += ", ";
    text += *name;
  }
  return text;
}

}  // namespace headlight
