// A mask expression as Python that gives the same mask: short, with each pattern on a line of its own, and it runs as
// it is.
#pragma once

#include <string>
#include <vector>

#include "core/mask/evaluate.h"
#include "core/mask/painting.h"

namespace headlight {

enum class CodeTarget : std::uint8_t {
  pytorch,         ///< `mask`, a boolean tensor for scaled_dot_product_attention: True = may attend
  flex_attention,  ///< `mask_mod(b, h, q_idx, kv_idx)` for PyTorch's FlexAttention: True = may attend
  numpy,           ///< `mask`, a boolean array: True = may attend
};

/// `mask` has the shape [n_q, n_k], with batch and head axes in front where they matter. The polarity stands in a
/// comment. Sizes and valid lengths come from the context; `painted` cells stand in the code and lie over the
/// expression unless it names painted() itself; file() is read from file_mask.npy beside the script, of a shape that
/// broadcasts to [B, H, n_q, n_k]. Throws ExpressionError where evaluation would for missing lengths, and for a
/// bigbird() whose block differs between heads or batch entries.
std::string to_code(const MaskExpression& expression, CodeTarget target, const MaskContext& context,
                    const std::vector<PaintedCells>& painted = {});

}  // namespace headlight
