// A mask expression as Python code that gives the same mask. The code is short, has one line per pattern, and runs as
// it is.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/rules/mask/ast.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/painting.h"

namespace headlight {

enum class CodeTarget : std::uint8_t {
  pytorch,         ///< `mask`, a boolean tensor for scaled_dot_product_attention: True = may attend
  flex_attention,  ///< `mask_mod(b, h, q_idx, kv_idx)` for PyTorch's FlexAttention: True = may attend
  numpy,           ///< `mask`, a boolean array: True = may attend
};

/// `mask` has the shape [n_q, n_k], with batch and head axes in front if the mask depends on them. A comment states the
/// polarity. Sizes and valid lengths come from the context. `painted` cells are part of the code and override the
/// expression unless it calls painted() itself. file() is read from file_mask.npy next to the script, with a shape that
/// broadcasts to [B, H, n_q, n_k]. Throws ExpressionError if evaluation would because lengths are missing, and for a
/// bigbird() whose block differs between heads or batch entries.
std::string to_code(const MaskExpression& expression, CodeTarget target, const MaskContext& context,
                    const std::vector<PaintedCells>& painted = {});

}  // namespace headlight

namespace headlight::mask {

/// Python's operator precedence; an operand that binds more loosely than its place requires is put in parentheses.
enum class Binding : std::uint8_t {
  choice,
  or_word,
  and_word,
  not_word,
  comparison,
  bit_or,
  bit_and,
  sum,
  product,
  sign,
  atom
};

struct Code {
  std::string text;
  Binding binding;
};

/// Renders the tree of a mask expression as Python expressions, for to_code().
class CodeWriter {
 public:
  CodeWriter(CodeTarget target, const Node& root, bool valid_lens_by_query, bool docs_by_batch = false);

  /// The whole condition; the patterns in it become lines().
  Code condition(const Node& root);

  struct Line {
    std::string name, text;
  };
  const std::vector<Line>& lines() const { return lines_; }
  /// Whether fractions are computed: PyTorch must be told to do that in double precision.
  bool uses_fractions() const { return uses_fractions_; }
  bool uses_hash() const { return uses_hash_; }
  bool uses_drawn() const { return uses_drawn_; }
  bool uses_math() const { return uses_math_; }
  bool uses(Variable variable) const { return used_[static_cast<std::size_t>(variable)]; }

 private:
  Code render(const Node& node);
  Code rendered(const Node& node);
  Code pattern(const Node& node);
  Code variable(const Node& node);
  Code binary(const Node& node, const char* symbol, Binding binding);
  Code comparison(const Node& node);
  Code logic(const Node& node);
  Code choice(const Node& node);
  Code floor_of(const Node& node);
  Code modulo(const Node& node);
  Code extremum(const Node& node);
  Code call(const Node& node);
  Code membership(const Node& node);
  Code line(std::string name, std::string text);
  /// An operand that occurs more than once in the code: a long one becomes a line of its own to keep the text short.
  Code repeated(const Node& node);
  std::string place(const Node& node, Binding at_least);
  std::string divisor(const Node& node);
  std::string module_call(const char* function, const std::string& arguments) const;

  bool torch() const { return target_ != CodeTarget::numpy; }

  CodeTarget target_;
  bool valid_lens_by_query_, docs_by_batch_;
  bool uses_fractions_;
  bool uses_hash_ = false, uses_drawn_ = false, uses_math_ = false;
  std::array<bool, variable_count> used_ = {};
  std::vector<Line> lines_;
  std::map<std::string, int> names_;  // how often each pattern's name was used
};

}  // namespace headlight::mask
