// A mask as a rule, parsed once: who may attend to whom. It is built as cells, or read row by row.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/mask/evaluate.h"
#include "core/mask/painting.h"
#include "core/tensor/exact.h"

namespace headlight {

/// An expression, what its functions stand for, and the cells painted over it. Rules that are equal give the same mask.
struct MaskRule {
  MaskExpression expression;
  Index batch = 1, heads = 1, n_q = 1, n_k = 1;
  Exact<Tensor> valid_lens{}, file_mask{}, doc_ids{};  ///< as MaskContext has them
  std::vector<PaintedCells> painted{};                 ///< those outside the sizes are passed over

  /// Whether the painted cells lie over what the expression says. One that calls painted() says itself what becomes of
  /// them: there it is true where a cell was painted as "may attend", false everywhere else.
  bool paints_over() const { return !painted.empty() && !expression.calls("painted"); }
  bool operator==(const MaskRule&) const = default;
};

/// MaskExpression::parse; its error says where in the text it is.
MaskExpression parse_mask(std::string_view text, std::string_view file_definition = {});

/// [B, H, n_q, n_k] of 0 and 1, 1 = may attend. Axes on which nothing depends are broadcast (stride 0). Throws
/// ExpressionError, Cancelled.
Tensor build_mask(const MaskRule& rule, std::stop_token stop = {}, int threads = 1);

/// What a MaskReader or block_verdict reads.
struct ReadableMask {
  MaskExpression expression;
  MaskContext context;
};
/// Null where cells were painted over the mask, which only cells can show. Throws ExpressionError.
std::shared_ptr<const ReadableMask> readable_mask(const MaskRule& rule);

}  // namespace headlight
