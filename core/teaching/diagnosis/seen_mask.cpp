#include "core/teaching/diagnosis/seen_mask.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/softmax.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {
namespace {

using Row = std::span<const float>;

constexpr float least_seen = 1e-20F;  // a smaller weight can be an underflow of the softmax

/// Whether a weight was masked. `expected` is the run's without a mask. All are NaN in a row without any key.
bool is_masked_weight(float weight, float expected) {
  return std::isnan(weight) | ((weight == 0) & (expected > least_seen));
}

bool is_far_below(float score, float expected) { return score < expected - far_below; }

/// The row's largest score where is_masked_score() asks for it: where a number lies far below the run's.
float row_top(Row scores, Row expected) {
  Index far = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) far += (scores[k] > -INFINITY) & is_far_below(scores[k], expected[k]);
  float top = -INFINITY;
  for (std::size_t k = 0; far > 0 && k < scores.size(); ++k) top = scores[k] > top ? scores[k] : top;
  return top;
}

bool is_masked_score(float score, float expected, float top) {
  return (score == -INFINITY) |
         (is_far_below(score, expected) & (is_far_below(score, top) | is_far_below(top, expected)));
}

struct Seen {
  bool any = false, all = true;  ///< whether any cell, and all cells, are masked
  bool torn = false;             ///< a NaN beside numbers, which is no mask
};

/// Writes which cells of a row the stage shows as seen: 1, or 0, or NaN where a weight of 0 can be an underflow.
void see_row(Stage stage, Row mine, Row expected, std::span<float> cells, Seen& seen) {
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  std::size_t masked = 0, nans = 0;
  if (stage == Stage::weights) {
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const bool is = is_masked_weight(mine[k], expected[k]);
      cells[k] = is ? 0 : mine[k] == 0 ? unknown : 1;
      masked += is;
      nans += std::isnan(mine[k]);
    }
  } else {
    const float top = row_top(mine, expected);
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const bool is = is_masked_score(mine[k], expected[k], top);
      cells[k] = is ? 0 : 1;
      masked += is;
      nans += std::isnan(mine[k]);
    }
  }
  seen.any = seen.any || masked > 0;
  seen.all = seen.all && masked == mine.size();
  seen.torn = seen.torn || (nans > 0 && nans < mine.size());
}

/// The cells of one head.
void see(Stage stage, const MatrixView& mine, const MatrixView& expected, Buffer& cells, Seen& seen) {
  const auto width = static_cast<std::size_t>(mine.cols);
  Buffer room, other_room;
  for (Index q = 0; q < mine.rows; ++q) {
    const Row row(mine.whole_row(q, room), width), other(expected.whole_row(q, other_room), width);
    see_row(stage, row, other, std::span(cells).subspan(static_cast<std::size_t>(q) * width, width), seen);
  }
}

/// The mask that a stage shows; undefined if it shows no masked cell, or nothing else. One matrix is kept for all heads
/// as long as they show the same.
Tensor seen_in(Stage stage, const Tensor& mine, const Tensor& unmasked, bool per_head = false) {
  const Shape& shape = mine.shape();
  Buffer cells, here(static_cast<std::size_t>(shape[2] * shape[3]));
  Seen seen;
  bool alike = true;
  each_matrix(mine, [&](const MatrixView& m, Index b, Index h) {
    if (!alike) return;
    see(stage, m, unmasked.matrix(b, h), here, seen);
    if (h == 0 || per_head) cells.insert(cells.end(), here.begin(), here.end());
    else alike = std::equal(here.begin(), here.end(), cells.end() - std::ssize(here));
  });
  if (!alike) return seen_in(stage, mine, unmasked, true);
  if (!seen.any || seen.all || seen.torn) return {};
  return Tensor({shape[0], per_head ? shape[1] : 1, shape[2], shape[3]}, std::move(cells)).expand(shape);
}

}  // namespace

std::optional<SeenMask> seen_mask(const Trace& run, const OwnStages& own) {
  if (run.dims().n_k < 2 || run.inputs.first_stage() == Stage::weights) return {};
  const Tensor unmasked = mistakes::scores_before_mask(run).contiguous();
  for (const Stage stage : {Stage::masked_scores, Stage::weights, Stage::mask}) {
    const OwnStage* mine = own.find(stage);
    if (!mine || !mine->fits || mine->values.shape() != unmasked.shape()) continue;
    const Tensor values = mine->values.contiguous();
    if (stage == Stage::mask) {
      const bool some = std::ranges::find(values.values(), 0.0F) != values.values().end();
      if (some) return SeenMask{values, stage};
      continue;
    }
    const Tensor cells = seen_in(stage, values, stage == Stage::weights ? softmax(unmasked) : unmasked);
    if (cells.defined()) return SeenMask{cells, stage};
  }
  return {};
}

Tensor completed(const Tensor& cells, const Tensor& otherwise) {
  const auto is_unknown = [](const MatrixView& m) {
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if (std::isnan(m(q, k))) return true;
      }
    }
    return false;
  };
  if (!any_matrix(cells, is_unknown)) return cells;
  return combined(cells, otherwise.expand(cells.shape()), [](float a, float b) { return std::isnan(a) ? b : a; });
}

namespace {

struct Fill {
  float low = INFINITY, high = -INFINITY;
  bool is(float fill) const { return low == fill && high == fill; }
  /// Whether it is one number, or one added to scores.
  bool is_one() const { return low == high || high - low < 1e-2F * std::abs(low); }
};

/// The range of the masked numbers.
Fill fill_of(const Tensor& scores, const Tensor& cells) {
  Fill fill;
  each_matrix(scores, [&](const MatrixView& m, Index b, Index h) {
    const MatrixView may = cells.matrix(b, h);
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if (may(q, k) != 0) continue;
        fill.low = std::min(fill.low, m(q, k));
        fill.high = std::max(fill.high, m(q, k));
      }
    }
  });
  return fill;
}

}  // namespace

namespace {

/// Where masked scores are masked, and with which numbers; `cells` is undefined where they show no mask.
struct SeenFill {
  Tensor cells;
  Fill fill;
};

SeenFill seen_fill(const Tensor& mine, const Trace& run) {
  const Tensor unmasked = mistakes::scores_before_mask(run).contiguous();
  if (mine.shape() != unmasked.shape()) return {};
  const Tensor cells = seen_in(Stage::masked_scores, mine, unmasked);
  return {cells, cells.defined() ? fill_of(mine, cells) : Fill{}};
}

}  // namespace

Tensor with_fill_for(const Tensor& masked_scores, const Trace& run, float fill) {
  const Tensor mine = masked_scores.contiguous();
  const SeenFill own = seen_fill(mine, run);
  if (!own.cells.defined() || !own.fill.is_one() || own.fill.is(fill)) return masked_scores;
  return combined(mine, own.cells, [fill](float score, float may) { return may == 0 ? fill : score; });
}

std::optional<float> fill_in(const Tensor& masked_scores, const Trace& run) {
  const SeenFill own = seen_fill(masked_scores.contiguous(), run);
  return own.cells.defined() && own.fill.is_one() ? std::optional(own.fill.low) : std::nullopt;
}

bool shows(const Tensor& mask, const Tensor& seen) {
  bool same = true;
  each_matrix(mask, [&](const MatrixView& m, Index b, Index h) {
    const MatrixView s = seen.matrix(b, h);
    for (Index q = 0; q < m.rows && same; ++q) {
      if (is_dead_row(m, q)) continue;
      for (Index k = 0; k < m.cols; ++k) same = same && (std::isnan(s(q, k)) || (m(q, k) != 0) == (s(q, k) != 0));
    }
  });
  return same;
}

}  // namespace headlight
