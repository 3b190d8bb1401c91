#include "core/diagnosis/fill_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/diagnosis/fill_search.h"
#include "core/diagnosis/mistake_kinds.h"

namespace headlight {
namespace {

constexpr float typed_fills[] = {1e-9F, -1e9F, 0,   -9,    -1,    1,  -10, -100, -1e3F, 9,    -5,  -20,
                                 -50,   -1e2F, -99, -1e4F, 1e-6F, 10, 100, 1e3F, 1e4F,  1e6F, 1e9F};

/// The one value that all numbers are, as far as the tolerance tells.
class Common {
 public:
  void add(float value, float tolerance) {
    if (!value_) value_ = value;
    if (!(value == *value_ || std::abs(value - *value_) <= tolerance)) one_ = false;
  }
  std::optional<float> value() const { return one_ ? value_ : std::nullopt; }

 private:
  std::optional<float> value_;
  bool one_ = true;
};

/// Calls use(mask, b, h) for every matrix of the mask.
template <typename Use>
void each_matrix(const Tensor& mask, Use use) {
  for (Index b = 0; b < mask.size(0); ++b) {
    for (Index h = 0; h < mask.size(1); ++h) use(mask.matrix(b, h), b, h);
  }
}

std::optional<float> fill_in_scores(const Tensor& mask, const Tensor& masked_scores) {
  Common fill;
  each_matrix(mask, [&](const MatrixView& may, Index b, Index h) {
    const MatrixView scores = masked_scores.matrix(b, h);
    for (Index q = 0; q < may.rows; ++q) {
      for (Index k = 0; k < may.cols; ++k) {
        if (may(q, k) == 0) fill.add(scores(q, k), 1e-5F + 1e-4F * std::abs(scores(q, k)));
      }
    }
  });
  return fill.value();
}

/// The key with the largest weight among those that the row may attend to; −1 where there is none that tells anything.
Index strongest(const MatrixView& may, const MatrixView& weights, Index q) {
  Index best = -1;
  for (Index k = 0; k < may.cols; ++k) {
    if (may(q, k) != 0 && weights(q, k) > (best < 0 ? 0 : weights(q, best))) best = k;
  }
  return best;
}

/// A masked and an allowed weight of a row are e^fill : e^score.
std::optional<float> fill_in_weights(const Tensor& mask, const Tensor& scores, const Tensor& weights) {
  Common fill;
  each_matrix(mask, [&](const MatrixView& may, Index b, Index h) {
    const MatrixView share = weights.matrix(b, h), score = scores.matrix(b, h);
    for (Index q = 0; q < may.rows; ++q) {
      const Index k_known = strongest(may, share, q);
      for (Index k = 0; k < may.cols && k_known >= 0; ++k) {
        if (may(q, k) == 0) fill.add(score(q, k_known) + std::log(share(q, k) / share(q, k_known)), 1e-3F);
      }
    }
  });
  const std::optional<float> value = fill.value();
  if (!value || !std::isfinite(*value)) return {};
  for (const float typed : typed_fills) {
    if (std::abs(*value - typed) <= 1e-3F) return typed;
  }
  return value;
}

}  // namespace

std::vector<float> fills_to_try(const Trace& run, const OwnStages& own) {
  std::vector<float> fills;
  const auto add = [&](std::optional<float> fill) {
    const bool usable = fill && !std::isnan(*fill) && *fill != INFINITY && *fill != run.fill;
    if (usable && std::ranges::find(fills, *fill) == fills.end()) fills.push_back(*fill);
  };
  const Tensor& mask = run[Stage::mask];
  if (const OwnStage* scores = own.find(Stage::masked_scores); scores && scores->fits) {
    add(fill_in_scores(mask, scores->values));
  }
  if (const OwnStage* weights = own.find(Stage::weights); weights && weights->fits) {
    add(fill_in_weights(mask, mistakes::scores_before_mask(run), weights->values));
  }
  for (const float typed : typed_fills) add(typed);
  add(fill_from_outputs(run, own));
  return fills;
}

}  // namespace headlight
