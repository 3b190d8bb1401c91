// A mask as a rule: a parsed expression with its inputs. It is built as cells, or read row by row.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/tensor/exact.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/painting.h"

namespace headlight {

/// An expression, the values of its functions, and painted cells. Equal rules give equal masks.
struct MaskRule {
  MaskExpression expression;
  Index batch = 1, heads = 1, n_q = 1, n_k = 1;
  Exact<Tensor> valid_lens{}, file_mask{}, doc_ids{};  ///< as in MaskContext
  std::vector<PaintedCells> painted{};                 ///< cells outside the matrix are ignored
  PictureGrid grid{};

  /// Whether the painted cells override the expression. An expression that calls painted() uses them itself: there
  /// painted() is true where a cell was painted as "may attend", else false.
  bool paints_over() const { return !painted.empty() && !expression.calls("painted"); }
  bool operator==(const MaskRule&) const = default;
};

/// As MaskExpression::parse; the error includes the position in the text.
MaskExpression parse_mask(std::string_view text, const MaskExpression* file_mask = nullptr);

/// [B, H, n_q, n_k] of 0 and 1, 1 = may attend. Axes that the rule does not depend on have stride 0. Throws
/// ExpressionError, Cancelled.
Tensor build_mask(const MaskRule& rule, std::stop_token stop = {}, int threads = 1);

/// The context for MaskReader and block_verdict.
struct ReadableMask {
  MaskExpression expression;
  MaskContext context;
};
/// Null if painted cells override the expression, which only cells can express. Throws ExpressionError.
std::shared_ptr<const ReadableMask> readable_mask(const MaskRule& rule);

// What a mask allows in a whole block of cells, by interval arithmetic over the ranges of q and k. Nothing is evaluated
// cell by cell, so that loops over 131,072² cells can skip empty and full blocks.
enum class BlockVerdict : std::uint8_t {
  none,     ///< no cell may attend
  unknown,  ///< some cells may attend, or interval arithmetic cannot tell
  all,      ///< every cell may attend
};

/// The verdict for queries [q0, q1) and keys [k0, k1) at (b, h); neither range is empty. Never wrong, but sometimes
/// `unknown`.
BlockVerdict block_verdict(const MaskExpression& expression, const MaskContext& context, Index b, Index h, Index q0,
                           Index q1, Index k0, Index k1);

}  // namespace headlight
