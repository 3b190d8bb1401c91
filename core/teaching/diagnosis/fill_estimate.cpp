#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/projection.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight {
namespace {

// A fill hides: the only large positive ones are those with a forgotten minus.
constexpr float typed_fills[] = {1e-9F, -1e9F, 0,   -9,  -1,    1,     -10,  -100, -1e3F,
                                 -5,    -20,   -50, -99, -1e4F, 1e-6F, 1e4F, 1e9F, INFINITY};
constexpr float largest_fill = 2;

/// The value that all numbers have, within the tolerance, if they have one.
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

/// The key with the largest weight among those that the row may attend to; −1 if all of them are 0.
Index strongest(const MatrixView& may, const MatrixView& weights, Index q) {
  Index best = -1;
  for (Index k = 0; k < may.cols; ++k) {
    if (may(q, k) != 0 && weights(q, k) > (best < 0 ? 0 : weights(q, best))) best = k;
  }
  return best;
}

/// In a row, a masked weight to an allowed weight is as e^fill to e^score.
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

constexpr std::size_t most_rows = 4;
constexpr double lowest = -30, highest = largest_fill, step = 0.25;

using Numbers = std::vector<double>;

/// What one head adds to a row as a function of the fill f: (allowed + e^(f−top) masked) / (sum + e^(f−top) count).
struct HeadShare {
  double top = 0, sum = 0, count = 0;
  Numbers allowed, masked;  ///< Σ e^(s−top) v and Σ v, in the channels of the row
};

/// One query row of the user's concat or output, and what each head adds to it.
class OutputRow {
 public:
  /// `target` is a row of concat; with `projected`, a row of the output.
  OutputRow(const Trace& run, Index b, Index q, Numbers target, bool projected) : target_(std::move(target)) {
    for (Index h = 0; h < run.dims().heads; ++h) heads_.push_back(share_of(run, b, h, q, projected));
    if (!projected || !run.has(Stage::b_o)) return;
    const MatrixView bias = run[Stage::b_o].matrix();
    for (std::size_t i = 0; i < target_.size(); ++i) target_[i] -= static_cast<double>(bias(0, static_cast<Index>(i)));
  }

  /// Whether the row depends on the fill: some head has masked keys, and every head has allowed keys.
  bool depends_on_fill() const {
    return std::ranges::all_of(heads_, [](const HeadShare& h) { return h.sum > 0; }) &&
           std::ranges::any_of(heads_, [](const HeadShare& h) { return h.count > 0; }) &&
           std::ranges::all_of(target_, [](double v) { return std::isfinite(v); });
  }

  double squared_error(double fill) const {
    Numbers rest = target_;
    for (const HeadShare& head : heads_) {
      const double leak = std::exp(fill - head.top), divisor = head.sum + leak * head.count;
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= (head.allowed[i] + leak * head.masked[i]) / divisor;
    }
    double sum = 0;
    for (const double difference : rest) sum += difference * difference;
    return sum;
  }

 private:
  HeadShare share_of(const Trace& run, Index b, Index h, Index q, bool projected) const;

  Numbers target_;
  std::vector<HeadShare> heads_;
};

/// A head's numbers as a row of `width` numbers: in the head's own channels, or through W_o.
Numbers in_row(const Numbers& head, Index h, std::size_t width, const Tensor& W_o) {
  Numbers row(width, 0);
  const auto d_head = static_cast<Index>(head.size());
  for (Index i = 0; i < d_head; ++i) {
    const double value = head[static_cast<std::size_t>(i)];
    if (!W_o.defined()) {
      row[static_cast<std::size_t>(h * d_head + i)] = value;
      continue;
    }
    const MatrixView weight = W_o.matrix();
    for (std::size_t out = 0; out < width; ++out)
      row[out] += static_cast<double>(weight(static_cast<Index>(out), h * d_head + i)) * value;
  }
  return row;
}

HeadShare OutputRow::share_of(const Trace& run, Index b, Index h, Index q, bool projected) const {
  const Tensor& values = run[Stage::V_heads];
  const MatrixView may = run[Stage::mask].matrix(b, h), scores = mistakes::scores_before_mask(run).matrix(b, h);
  const MatrixView v = values.matrix(b, h / (run.dims().heads / values.size(1)));
  HeadShare share{.top = -std::numeric_limits<double>::infinity(), .allowed = {}, .masked = {}};
  for (Index k = 0; k < may.cols; ++k) {
    if (may(q, k) != 0) share.top = std::max(share.top, static_cast<double>(scores(q, k)));
  }
  Numbers allowed(static_cast<std::size_t>(v.cols), 0), masked = allowed;
  for (Index k = 0; k < may.cols; ++k) {
    const bool attends = may(q, k) != 0;
    const double part = attends ? std::exp(static_cast<double>(scores(q, k)) - share.top) : 1;
    (attends ? share.sum : share.count) += part;
    for (Index i = 0; i < v.cols; ++i)
      (attends ? allowed : masked)[static_cast<std::size_t>(i)] += part * static_cast<double>(v(k, i));
  }
  const Tensor W_o = projected ? run[Stage::W_o] : Tensor();
  share.allowed = in_row(allowed, h, target_.size(), W_o);
  share.masked = in_row(masked, h, target_.size(), W_o);
  return share;
}

/// The user's rows [B, n_q, channels]; undefined if no such stage was saved.
struct Target {
  Tensor rows;
  bool projected = false;
};

Target target_of(const Trace& run, const OwnStages& own) {
  for (const Stage stage : {Stage::head_outputs, Stage::concat, Stage::output}) {
    const OwnStage* found = own.find(stage);
    if (!found || !found->fits) continue;
    return {stage == Stage::head_outputs ? merge_heads(found->values) : found->values,
            stage == Stage::output && run.has(Stage::W_o)};
  }
  return {};
}

std::vector<OutputRow> rows_with_fill(const Trace& run, const Target& target) {
  std::vector<OutputRow> rows;
  for (Index b = 0; b < run.dims().batch; ++b) {
    const MatrixView m = target.rows.matrix(b);
    for (Index q = 0; q < m.rows && rows.size() < most_rows; ++q) {
      Numbers numbers;
      for (Index i = 0; i < m.cols; ++i) numbers.push_back(static_cast<double>(m(q, i)));
      OutputRow row(run, b, q, std::move(numbers), target.projected);
      if (row.depends_on_fill()) rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// The minimum of `error` in (low, high), to 1e-7, by golden-section search (Kiefer 1953).
template <typename Error>
double least(Error error, double low, double high) {
  const double share = (std::sqrt(5.0) - 1) / 2;
  double a = high - share * (high - low), b = low + share * (high - low);
  double at_a = error(a), at_b = error(b);
  while (high - low > 1e-7) {
    const bool left = at_a < at_b;
    (left ? high : low) = left ? b : a;
    (left ? b : a) = left ? a : b;
    (left ? at_b : at_a) = left ? at_a : at_b;
    double& tried = left ? a : b;
    tried = left ? high - share * (high - low) : low + share * (high - low);
    (left ? at_a : at_b) = error(tried);
  }
  return (low + high) / 2;
}

/// The fill between −30 and 30 that fits the user's head_outputs, concat or output best (the first of them that was
/// saved), in rows with masked keys. Nothing without such rows, or if the best fill is at an end of the range.
std::optional<float> fill_from_outputs(const Trace& run, const OwnStages& own) {
  const Target target = target_of(run, own);
  if (!target.rows.defined()) return {};
  const std::vector<OutputRow> rows = rows_with_fill(run, target);
  if (rows.empty()) return {};
  const auto error = [&](double fill) {
    double sum = 0;
    for (const OutputRow& row : rows) sum += row.squared_error(fill);
    return sum;
  };
  double best = lowest, best_error = std::numeric_limits<double>::infinity();
  for (double fill = lowest; fill <= highest; fill += step) {
    const double here = error(fill);
    if (here >= best_error) continue;
    best = fill;
    best_error = here;
  }
  if (best == lowest || best >= highest) return {};
  return static_cast<float>(least(error, best - step, best + step));
}

}  // namespace

std::vector<float> fills_to_try(const Trace& run, const OwnStages& own) {
  std::vector<float> fills;
  const auto add = [&](std::optional<float> fill) {
    const bool hides =
        fill && (*fill <= largest_fill || std::ranges::find(typed_fills, *fill) != std::end(typed_fills));
    const bool usable = hides && !std::isnan(*fill) && *fill != run.fill;
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
