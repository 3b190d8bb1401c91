// Another function in the place of the softmax over the keys.

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/softmax.h"
#include "core/teaching/diagnosis/instead_of_softmax.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

/// Softmax over another axis than the keys. The logits of sinks belong to the keys' axis and are left out.
Tensor softmax_over(const Tensor& scores, Index axis) {
  return softmax(scores.transpose(axis, 3).contiguous()).transpose(axis, 3).contiguous();
}

}  // namespace

Variants softmax_over_queries(const Suspect&) {
  return {instead("The softmax runs over the queries: the weights' columns sum to one instead of their rows.",
                  [](const Tensor& scores) { return softmax_over(scores, 2); })};
}

Variants softmax_over_heads(const Suspect&) {
  return {instead("The softmax runs over the heads: a cell's weights in all heads sum to one instead of a row's.",
                  [](const Tensor& scores) { return softmax_over(scores, 1); })};
}

Variants sigmoid_weights(const Suspect&) {
  return {instead(
      "The weights are a sigmoid of each score by itself, so that rows do not sum to one.",
      [](const Tensor& scores) { return each_number(scores, [](float s) { return 1 / (1 + std::exp(-s)); }); })};
}

Variants softmax_twice(const Suspect& suspect) {
  const std::string text =
      "The softmax is taken twice: the weights are a softmax of weights, almost the same for all "
      "keys. Write weights = scores.softmax(dim=-1).";
  const Rule again = [](const Trace&, const Usual& usual) { return softmax(usual()); };
  const Rule gathered = [](const Trace& t, const Usual&) {
    return gather_values(softmax(t[*t.standing_for(Stage::dropped_weights)]), t[Stage::V_heads]);
  };
  const Rule masked_between = [](const Trace& t, const Usual&) {
    const Tensor mask = t[Stage::mask].contiguous();
    return softmax(combined(softmax(scores_before_mask(t)), mask,
                            [](float weight, float may) { return may != 0 ? weight : -INFINITY; }));
  };
  Variants variants{{.explanation = text, .rules = {{Stage::weights, again}}},
                    {.explanation = text, .rules = {{Stage::head_outputs, gathered}}}};
  if (suspect.run.has(Stage::mask))
    variants.push_back({.explanation = "The softmax is taken before the mask and once more after it. Write weights = "
                                       "scores.masked_fill(~mask, float(\"-inf\")).softmax(dim=-1).",
                        .rules = {{Stage::weights, masked_between}}});
  return variants;
}

// Functions that are no softmax.
namespace {

float sum_of_powers(std::span<const float> row) {
  double sum = 0;
  for (const float v : row) sum += std::exp(static_cast<double>(v));
  return static_cast<float>(sum);
}

/// The softmax of all numbers of a head's matrix.
Tensor over_all_cells(const Tensor& scores) {
  const Index batch = scores.size(0), heads = scores.size(1), cells = scores.size(2) * scores.size(3);
  return softmax(scores.contiguous().view({batch, heads, 1, cells})).view(scores.shape());
}

Tensor by_column(const Tensor& scores, const OfRow& change) {
  return by_row(scores.transpose(2, 3), change).transpose(2, 3).contiguous();
}

/// Each column divided by its sum.
Tensor divided_by_columns(const Tensor& weights) {
  return by_column(weights, [](std::span<float> column) {
    float sum = 0;
    for (const float v : column) sum += v;
    for (float& v : column) v /= sum;
  });
}

/// Each cell with `change(number, what the row with the column's number gives)`: what code computes that leaves out
/// keepdim=True where there are as many queries as keys.
Tensor with_row_of_column(const Tensor& scores, float (*of_row)(std::span<const float>),
                          float (*change)(float, float)) {
  const auto n = static_cast<std::size_t>(scores.size(3));
  const Tensor packed = scores.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  std::vector<float> of(n);
  for (std::size_t first = 0; first < values.size(); first += n * n) {
    for (std::size_t row = 0; row < n; ++row) of[row] = of_row(packed.values().subspan(first + row * n, n));
    for (std::size_t i = 0; i < n * n; ++i) values[first + i] = change(values[first + i], of[i % n]);
  }
  return Tensor(scores.shape(), std::move(values));
}

float less(float score, float highest) { return score - highest; }
float exponential_over(float score, float sum) { return std::exp(score) / sum; }

/// The scores less the highest of their column.
Tensor less_highest_of_column(const Tensor& scores) {
  return by_column(scores, [](std::span<float> column) {
    const float top = highest(column);
    if (!std::isfinite(top)) return;
    for (float& v : column) v -= top;
  });
}

/// [B, H, n_k, 1]: how much each key gets from all queries.
Tensor sums_of_columns(const Tensor& weights) {
  const Tensor turned = weights.transpose(2, 3).contiguous();
  const auto n = static_cast<std::size_t>(turned.size(3));
  Buffer sums;
  for (std::size_t first = 0; first < turned.values().size(); first += n) {
    float sum = 0;
    for (const float weight : turned.values().subspan(first, n)) sum += weight;
    sums.push_back(sum);
  }
  return Tensor({turned.size(0), turned.size(1), turned.size(2), 1}, std::move(sums));
}

/// Reported only if no other mistake produces the same weights.
void add_rare(Variants& variants, const std::string& what, const OfScores& made) {
  variants.push_back(instead(what, made));
  variants.back().rare = true;
}

void add_changed_scores(Variants& variants) {
  const auto add = [&](const std::string& what, float (*change)(float)) {
    add_rare(variants, what, [change](const Tensor& scores) {
      return softmax(each_number(scores, [change](float v) { return std::isfinite(v) ? change(v) : v; }));
    });
  };
  add("The sign of the scores is turned before the softmax: the least alike win.", [](float v) { return -v; });
  add("The scores lose their sign before the softmax, as abs() makes them.", [](float v) { return std::abs(v); });
  add("The softmax is taken of tanh(scores).", [](float v) { return std::tanh(v); });
  add("The softmax is taken of sigmoid(scores).", [](float v) { return 1 / (1 + std::exp(-v)); });
  add("The softmax is taken of the squared scores.", [](float v) { return v * v; });
  add("All keys that may be attended to have the same weight, whatever their scores.", [](float) { return 0.0F; });
}

/// The highest `count` scores of each row.
void keep_highest(std::span<float> row, std::size_t count) {
  std::vector<float> sorted(row.begin(), row.end());
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(count) - 1, std::greater());
  for (float& v : row) v = v < sorted[count - 1] ? -INFINITY : v;
}

/// Weights that are changed after the softmax, or are a softmax of some scores alone.
void add_changed_weights(Index n_k, Variants& variants) {
  constexpr Index most_kept = 16;
  const auto add = [&](const std::string& what, const OfScores& made) { add_rare(variants, what, made); };
  for (Index count = 2; count < std::min(n_k, most_kept); ++count) {
    const OfScores highest =
        rows([count](std::span<float> row) { keep_highest(row, static_cast<std::size_t>(count)); });
    add("Each query attends to its " + std::to_string(count) + " highest scores alone, as topk gives them.",
        [highest](const Tensor& scores) { return softmax(highest(scores)); });
  }
  add("The weights are squared after the softmax.",
      [](const Tensor& scores) { return each_number(softmax(scores), [](float v) { return v * v; }); });
  add("The weights are the square roots of a softmax.",
      [](const Tensor& scores) { return each_number(softmax(scores), [](float v) { return std::sqrt(v); }); });
  add("1 is subtracted from a softmax: the weights are what is left to 1.",
      [](const Tensor& scores) { return each_number(softmax(scores), [](float v) { return 1 - v; }); });
}

/// Sums and highest scores along another axis, or none.
void add_other_sums(const Dims& dims, Variants& variants) {
  const auto add = [&](const std::string& what, const OfScores& made) { variants.push_back(instead(what, made)); };
  if (dims.n_q == dims.n_k) {
    add("The exponentials of column k are divided by the sum of row k: keepdim=True is missing.",
        [](const Tensor& scores) { return with_row_of_column(scores, sum_of_powers, exponential_over); });
    add("The highest score of row k is subtracted from column k: keepdim=True is missing.",
        [](const Tensor& scores) { return softmax(with_row_of_column(scores, highest, less)); });
  }
  add("The highest score of each column, not of each row, is subtracted before the softmax.",
      [](const Tensor& scores) { return softmax(less_highest_of_column(scores)); });
  add("The scores are divided by their sum; their exponentials are not taken.", rows([](std::span<float> row) {
        float sum = 0;
        for (const float v : row) sum += std::isfinite(v) ? v : 0;
        for (float& v : row) v = std::isfinite(v) ? v / sum : 0;
      }));
  add("Every weight is 1: the softmax runs over an axis of size 1.",
      [](const Tensor& scores) { return each_number(scores, [](float v) { return std::isfinite(v) ? 1.0F : 0.0F; }); });
}

}  // namespace

Variants softmax_missing(const Suspect&) {
  Variants variants;
  const auto add = [&](const std::string& what, const OfScores& made) { variants.push_back(instead(what, made)); };
  add("There is no softmax: the scores themselves are the weights.", [](const Tensor& scores) { return scores; });
  add("There is no softmax: the scores themselves are the weights, 0 where masked.",
      [](const Tensor& scores) { return each_number(scores, [](float v) { return v < -1e4F ? 0 : v; }); });
  add("There is no softmax: the weights are the positive scores, as a ReLU gives them.",
      [](const Tensor& scores) { return each_number(scores, [](float v) { return std::max(v, 0.0F); }); });
  return variants;
}

Variants values_not_gathered(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.n_q != d.n_k) return {};
  const Rule own = [](const Trace& t, const Usual& usual) { return with_heads_of(usual(), t[Stage::V_heads]); };
  const Rule given = [](const Trace& t, const Usual& usual) {
    const Tensor received = sums_of_columns(t[*t.standing_for(Stage::dropped_weights)]);
    return combined(received, with_heads_of(usual(), t[Stage::V_heads]), [](float sum, float v) { return sum * v; });
  };
  return {{.explanation = "The values are not gathered: each query keeps its own value, as einsum(\"bhqk,bhqd->bhqd\") "
                          "gives it. Write weights @ V.",
           .rules = {{Stage::head_outputs, own}}},
          {.explanation = "The values are not gathered: each key's value is multiplied by the sum of the weights that "
                          "it gets, as einsum(\"bhqk,bhkd->bhkd\") gives it. Write weights @ V.",
           .rules = {{Stage::head_outputs, given}},
           .rare = true}};
}

Variants softmax_wrong(const Suspect& suspect) {
  Variants variants;
  const auto add = [&](const std::string& what, const OfScores& made) { variants.push_back(instead(what, made)); };
  add("The exponentials overflow: the row's highest score is not subtracted before exp(), so that inf / inf gives NaN.",
      divided_by_sum(std::exp));
  if (suspect.run.dims().batch > 1)
    add("The softmax runs over the batch: a cell's weights in all sequences sum to one instead of a row's.",
        [](const Tensor& scores) { return softmax_over(scores, 0); });
  if (suspect.run.dims().batch > 1 && suspect.run.dims().heads > 1)
    add("The softmax runs over batch and heads at once, the first axis of [B * H, n_q, n_k]: F.softmax without dim "
        "takes it.",
        [](const Tensor& scores) {
          const Index matrices = scores.size(0) * scores.size(1);
          const Tensor flat = scores.contiguous().view({1, matrices, scores.size(2), scores.size(3)});
          return softmax_over(flat, 1).view(scores.shape());
        });
  add("Negative scores are set to 0 before the softmax, as a ReLU does.", [](const Tensor& scores) {
    return softmax(each_number(scores, [](float v) { return std::isfinite(v) ? std::max(v, 0.0F) : v; }));
  });
  add("The weights are the logarithms of a softmax, log_softmax.", rows([](std::span<float> row) {
        const float top = highest(row);
        double sum = 0;
        for (const float v : row) sum += std::exp(static_cast<double>(v - top));
        for (float& v : row) v -= top + static_cast<float>(std::log(sum));
      }));
  add("The exponentials of the scores are not divided by their sum.",
      [](const Tensor& scores) { return each_number(scores, [](float v) { return std::exp(v); }); });
  add("The exponentials of the scores, less the row's highest, are not divided by their sum.",
      rows([](std::span<float> row) {
        const float top = highest(row);
        for (float& v : row) v = std::exp(v - top);
      }));
  add("The softmax runs over all cells of a head's matrix at once: all of them sum to one, not each row.",
      over_all_cells);
  add_changed_scores(variants);
  add_other_sums(suspect.run.dims(), variants);
  add("Each query attends to its highest score alone, as argmax gives it.", rows([](std::span<float> row) {
        const auto top = std::ranges::max_element(row) - row.begin();
        std::ranges::fill(row, 0.0F);
        row[static_cast<std::size_t>(top)] = 1;
      }));
  add_changed_weights(suspect.run.dims().n_k, variants);
  add("The weights are divided by the sums of their columns after the softmax.",
      [](const Tensor& scores) { return divided_by_columns(softmax(scores)); });
  const Rule gathered = [](const Trace& t, const Usual&) {
    return gather_values(divided_by_columns(t[*t.standing_for(Stage::dropped_weights)]), t[Stage::V_heads]);
  };
  variants.push_back({.explanation = variants.back().explanation, .rules = {{Stage::head_outputs, gathered}}});
  append(variants, softmax_in_chunks(suspect));
  append(variants, softmax_formulas(suspect));
  append(variants, linear_attention(suspect));
  append(variants, cache_read_too_far(suspect));
  return variants;
}

}  // namespace headlight::mistakes
