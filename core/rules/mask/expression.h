// The mask language: one expression, true = may attend.
//
//   causal() && (window(4) || sink(1))        h < 2 ? causal() : full()        abs(q - k) % 2 == 0
//
// Variables   q k (from zero), b batch entry, h head, n_q n_k, valid_len (the batch entry's, or the query's)
// Numbers     + - * / %, abs(x) floor(x) min(x, y, …) max(x, y, …); double precision. `/` is the true division:
//             1 / 2 is 0.5. `%` is the mathematical remainder, a - floor(a / b) * b, which has the sign of b:
//             -1 % 4 is 3
// Documents   doc(q) doc(k): which document a token belongs to; place(q) place(k): which of its tokens it is, from zero
// Pictures    row(q) col(q) row(k) col(k): where a patch lies, from zero; -1 of a token that is no patch
// Sets, bits  k in {0, 4, 8}, bit(k, 0): the bit of weight 2^0
// Conditions  < <= > >= == !=, && || ! (or: and or not), true false, and every pattern of core/rules/mask/patterns.h
// Either      parentheses, condition ? a : b
// Precedence and grouping are C's; numbers and conditions do not mix. A divisor of zero is an error where it is used:
// `k != 0 && q / k > 2` is fine.
//
// The parser is our own: expression libraries (ExprTk, muParser) know numbers only, so that they can neither tell `q =
// k` from `q == k` nor say what was expected, and give no tree to export code from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/rules/mask/patterns.h"

namespace headlight {

namespace mask {
struct Node;
}

/// A call of a pattern in an expression; `begin` and `end` are byte offsets into its text.
struct PatternCall {
  struct Argument {
    std::size_t begin, end;
    std::optional<double> value;  ///< unset if it depends on variables
  };
  const Pattern* pattern;
  std::size_t begin, end;
  std::vector<Argument> arguments;
};

/// A parsed expression, or one put together from others. Immutable and cheap to copy.
class MaskExpression {
 public:
  /// `file_mask` is what file() stands for; by default the cells of the file's mask. Throws ExpressionError at the
  /// first wrong character.
  static MaskExpression parse(std::string_view text, const MaskExpression* file_mask = nullptr);
  /// The cells of the file's mask (MaskContext::file_mask).
  static MaskExpression file_cells();
  /// "file()", which stands for this mask.
  static MaskExpression call_of_file(const MaskExpression& file_mask);
  /// A call of the pattern of this name, which has one parameter for each number: "causal()", "window(4)".
  /// `from_corner`: it counts queries from the bottom right corner, as beside causal_bottom_right().
  static MaskExpression call(std::string_view pattern, const std::vector<double>& arguments = {},
                             bool from_corner = false);
  /// "a && b", without parsing anything.
  friend MaskExpression operator&&(const MaskExpression& a, const MaskExpression& b);
  /// "(a) || k >= first"
  friend MaskExpression or_from_key(const MaskExpression& a, std::int64_t first);

  /// As the user wrote it.
  const std::string& text() const { return text_; }
  /// The calls of patterns, in the order of the text: the window shows sliders for their arguments.
  std::vector<PatternCall> pattern_calls() const;
  /// Whether the expression calls the pattern of this name, e.g. "padding".
  bool calls(std::string_view pattern) const;
  const mask::Node& root() const { return *root_; }

  friend bool operator==(const MaskExpression& a, const MaskExpression& b) {
    return a.text_ == b.text_ && a.has_files_of(b);
  }

 private:
  MaskExpression(std::string text, std::shared_ptr<const mask::Node> root)
      : text_(std::move(text)), root_(std::move(root)) {}
  bool has_files_of(const MaskExpression& other) const;

  std::string text_;
  std::shared_ptr<const mask::Node> root_;
};

/// Whether the expression itself reads q, outside of its patterns.
bool reads_query(const MaskExpression& expression);

/// A warning about a probable mistake: "q / 4 == k / 4" compares exact quotients. Unset if there is no doubt, and if
/// the text does not parse, which is reported where it is computed.
std::optional<Message> doubtful(std::string_view text);

/// The text with one argument of one of its pattern_calls() replaced: the text that a slider writes.
std::string with_argument(const MaskExpression& expression, std::size_t call, std::size_t argument, double value);

/// Two lines: the text around byte `position` (at most `width` characters), and a caret below that byte.
std::string point_at(std::string_view text, std::size_t position, std::size_t width = 78);

/// The same in one line, for a log: "(column 8: causal(▸)". The mark is before byte `position`; columns count
/// characters from 1; text more than `around` characters away is replaced by "…".
Message mark_at(std::string_view text, std::size_t position, std::size_t around = 30);

}  // namespace headlight
