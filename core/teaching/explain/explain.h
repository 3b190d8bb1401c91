// Explain: how one number is computed from the stage before. Repeated, this leads from an output to the inputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/run/trace.h"
#include "core/rules/stage/stage.h"

namespace headlight {

/// A cell that the explained one was computed from.
struct Term {
  Cell cell;
  double value = 0;
  /// The factor of `value`. Except for softmax, the explained value is the sum of factor · value over all terms with a
  /// factor other than 0, plus every quantity that is `added`.
  ///
  /// In a product of two matrices, the terms of the left one (x, q, A, concat) have the numbers of the right one as
  /// factors. The cells of the right one (W, k, V) follow with factor 0, so that nothing counts twice. A mask has
  /// factor 0; the score has factor 1 if the mask allows it, otherwise the score has factor 0 and the fill is added.
  /// The factor of a soft-cap is c·tanh(s/c) / s. The cells of a QK-norm's row that matter only for its length have
  /// factor 0.
  ///
  /// Softmax (`weights`): the factor is e^(value − row_maximum), and the explained value is the factor of the term in
  /// its own column, divided by the quantity `sum`. A row that follows the dead-row policy has factors 0 and adds
  /// `dead_row`.
  double factor = 0;
  bool gradient = false;  ///< the cell is of the stage's gradient, not of the stage
};

/// An intermediate number that is not a cell of a stage.
struct Quantity {
  std::string_view name;  ///< one of: "row_maximum", "exponential", "sum", "scale", "cosine", "fill" …
  double value = 0;
  bool added = false;  ///< it is part of the sum of the terms
};

struct Explanation {
  Cell cell;
  double value = 0;
  std::string formula;  ///< as math markup (core/teaching/explain/math_markup.h), with real minus signs
  std::string
      numbers;  ///< the formula with this cell's numbers; long sums show their largest terms and the sum of the rest
  bool says_value = false;  ///< the formula ends with the value itself, which `numbers` only repeats
  std::vector<Term> terms;
  std::vector<Quantity> quantities;
  bool gradient = false;  ///< of the cell's stage, as its terms say it of themselves

  const Quantity* quantity(std::string_view name) const;
};

/// `cell` must be in the trace (see `contains`). Inputs, parameters and the mask have no terms.
Explanation explain(const Trace& trace, const Cell& cell);

bool contains(const Trace& trace, const Cell& cell);
/// The value of the cell.
float value_at(const Trace& trace, const Cell& cell);
/// The index in the stage's own axes, as in an npz: 4, 3 (no head), 2 (weight matrices) or 1 (biases) numbers.
std::vector<Index> own_index(const Trace& trace, const Cell& cell);
/// "weights:0,2,3,1", or "Q:0,3,5" in the stage's own axes. Throws SettingError named `option`, with the valid range.
Cell cell_named(const Trace& trace, std::string_view option, std::string_view text);

/// A rectangle of cells of one stage.
struct Region {
  Stage stage{};
  Index batch = 0, head = 0;
  Index row = 0, rows = 1, col = 0, cols = 1;
  bool operator==(const Region&) const = default;
};

/// The cells of the next stages that depend on this one.
std::vector<Region> dependants(const Trace& trace, const Cell& cell);

// Intermediate results between a stage and its sources: partial sums of a product, steps of a softmax.

/// The number of terms of each number of a product: d_query … for Q, K, V, d_head for scores, n_k for head_outputs,
/// H·d_head for output. 0 if the stage is not a product or has no weights.
Index product_terms(const Trace& trace, Stage stage);

/// Σ of left[row, i] · right[i, col] over the first `terms` terms, for one batch entry and head: [rows, cols]. A bias
/// is added with the last term.
Tensor partial_product(const Trace& trace, Stage stage, Index batch, Index head, Index terms);

/// The operands of a product, and the axis of the right one along which its terms lie.
struct Operands {
  Stage left{}, right{};
  bool terms_are_rows =
      false;  ///< the terms are the right one's rows (V of head_outputs), not its columns (W [out, in], K_heads)
};
Operands operands_of(const Trace& trace, Stage stage);

enum class SoftmaxStep : std::uint8_t { shifted, exponentials };
/// s − max over the row, or e^(s − max), of the masked scores (or the last scores before the mask): [n_q, n_k]. A row
/// of −∞ only is NaN.
Tensor softmax_step(const Trace& trace, Index batch, Index head, SoftmaxStep step);

}  // namespace headlight
