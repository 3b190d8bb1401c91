// The mask language: one expression, true = may attend.
//
//   causal() && (window(4) || sink(1))        h < 2 ? causal() : full()        abs(q - k) % 2 == 0
//
// Variables   q k (from zero), b batch entry, h head, n_q n_k, valid_len (the batch entry's, or the query's)
// Numbers     + - * / %, abs(x) floor(x) min(x, y, …) max(x, y, …); double precision. `/` is the true division (1 / 2
// is
//             0.5), `%` the mathematical remainder, a - floor(a / b) * b: of the sign of b, so -1 % 4 is 3
// Documents   doc(q) doc(k): which document a token belongs to; place(q) place(k): which of its tokens it is, from zero
// Pictures    row(q) col(q) row(k) col(k): where a patch lies, from zero; -1 of a token that is no patch
// Sets, bits  k in {0, 4, 8}, bit(k, 0): the bit of weight 2^0
// Conditions  < <= > >= == !=, && || ! (or: and or not), true false, and every pattern of core/mask/patterns.h
// Either      parentheses, condition ? a : b
// Precedence and grouping are C's; numbers and conditions do not mix. A divisor of zero is an error where it is used:
// `k != 0 && q / k > 2` is fine.
//
// The parser is our own: expression libraries (ExprTk, muParser) know numbers only, so that they can neither tell `q =
// k` from `q == k` nor say what was expected, and give no tree to export code from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mask/patterns.h"
#include "core/tensor/message.h"

namespace headlight {

namespace mask {
struct Node;
}

/// A pattern as it stands in an expression; `begin` and `end` are byte offsets into its text.
struct PatternCall {
  struct Argument {
    std::size_t begin, end;
    std::optional<double> value;  ///< nothing where it depends on variables
  };
  const Pattern* pattern;
  std::size_t begin, end;
  std::vector<Argument> arguments;
};

/// An expression that parsed. Immutable and cheap to copy.
class MaskExpression {
 public:
  /// `file_definition` is what file() stands for, in the words of a pattern's definition (core/mask/patterns.cpp):
  /// unless given, the cells of the file's mask. Throws ExpressionError at the first character that is wrong.
  static MaskExpression parse(std::string_view text, std::string_view file_definition = {});

  /// As the person wrote it.
  const std::string& text() const { return text_; }
  /// The patterns in it, in the order of the text: what sliders stand for.
  std::vector<PatternCall> pattern_calls() const;
  /// Whether a pattern of that name is in it, e.g. "padding".
  bool calls(std::string_view pattern) const;
  const mask::Node& root() const { return *root_; }

  friend bool operator==(const MaskExpression& a, const MaskExpression& b) {
    return a.text_ == b.text_ && a.file_definition_ == b.file_definition_;
  }

 private:
  std::string text_, file_definition_;
  std::shared_ptr<const mask::Node> root_;
};

/// What the person probably did not mean: "q / 4 == k / 4" compares exact quotients. Nothing where there is no doubt,
/// nor where the text does not parse, which is said where it is computed.
std::optional<Message> doubtful(std::string_view text);

/// The text with one argument of one of its pattern_calls() replaced: what a slider writes.
std::string with_argument(const MaskExpression& expression, std::size_t call, std::size_t argument, double value);

/// Two lines, the text around the byte `position` (at most `width` characters) and a caret below it.
std::string point_at(std::string_view text, std::size_t position, std::size_t width = 78);

/// The same in one line, for a log: "(column 8: causal(▸)", the mark before the byte `position`; columns count
/// characters from 1; what is further than `around` characters from it is left out as "…".
Message mark_at(std::string_view text, std::size_t position, std::size_t around = 30);

}  // namespace headlight
