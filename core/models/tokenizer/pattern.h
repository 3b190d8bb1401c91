// Regular expressions of tokenizers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/files/error_place.h"

namespace headlight {

/// Parts of a text from first to last byte, one after the other: (start, end).
using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;

enum class PatternSyntax : std::uint8_t {
  ruby,  ///< Oniguruma's, as Hugging Face's tokenizers read them
  rust,  ///< of tiktoken
};

class TextPattern {
 public:
  /// Throws FileError about `place` if it is no expression, or uses syntax that is read in another way here.
  TextPattern(const std::string& expression, ErrorPlace place, PatternSyntax syntax = PatternSyntax::ruby);
  /// Every match. Throws FileError if one takes too many steps, or all too much time. May be called from any thread.
  Stretches matches(std::string_view text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
  std::string expression_;
  ErrorPlace place_;
};

/// While the first of them lives, all matches on its thread have one second of the processor together, and another for
/// every million bytes: many expressions, or one for many words, take no longer than one for a whole line.
class MatchTime {
 public:
  explicit MatchTime(std::size_t bytes);
  ~MatchTime();
  MatchTime(const MatchTime&) = delete;
  MatchTime& operator=(const MatchTime&) = delete;

 private:
  bool first_;
};

}  // namespace headlight
