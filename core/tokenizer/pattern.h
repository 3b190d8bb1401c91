// Regular expressions of tokenizers in Oniguruma's Ruby syntax, which Hugging Face's tokenizers use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files/error_place.h"

namespace headlight {

/// Parts of a text from first to last byte, one after the other: (start, end).
using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;

class Pattern {
 public:
  /// Throws FileError about `place` if it is no expression, or uses syntax that only Oniguruma reads.
  Pattern(const std::string& expression, ErrorPlace place);
  /// Every match. Throws FileError if one takes too many steps. May be called from any thread.
  Stretches matches(std::string_view text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
  std::string expression_;
  ErrorPlace place_;
};

}  // namespace headlight
