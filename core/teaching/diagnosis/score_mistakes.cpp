// Mistakes with scores: their scale, the axis of the softmax, and exchanged queries and keys.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/softmax.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "core/teaching/diagnosis/weight_recovery.h"

namespace headlight::mistakes {
namespace {

Variant scaled_by(double scale, std::string explanation) {
  return {std::move(explanation), [scale](Scenario& s) { s.scale = static_cast<float>(scale); }};
}

const char* right_scale(const Suspect& suspect) {
  return suspect.run.scenario.scale ? "scores = Q @ K.transpose(-2, -1) * scale."
                                    : "scores = Q @ K.transpose(-2, -1) / math.sqrt(d_head).";
}

/// "instead of its square root", or what the run does if its scale is another.
std::string in_place_of(const Suspect& suspect, const std::string& root) {
  const float scale = suspect.run.scale;
  const bool is_usual = std::abs(scale * std::sqrt(static_cast<float>(suspect.run.dims().d_head)) - 1) < 1e-5F;
  return is_usual ? "instead of " + root : "instead of multiplied by " + shortest(scale);
}

Tensor axes_swapped(const Tensor& scores) { return scores.transpose(2, 3).contiguous(); }

}  // namespace

Variants no_scale(const Suspect& suspect) {
  return {scaled_by(
      1, std::string("The scores are not scaled, so that the softmax is too sharp. Write ") + right_scale(suspect))};
}

Variants scale_by_d_model(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  Variants variants;
  for (const Index width : {d.d_model, d.d_query}) {
    variants.push_back(scaled_by(
        1 / std::sqrt(static_cast<double>(width)),
        "The scores are divided by the square root of the whole width, √" + std::to_string(width) + ", " +
            in_place_of(suspect, "one head's, √" + std::to_string(d.d_head)) + ". Write " + right_scale(suspect)));
  }
  return variants;
}

Variants scale_multiplied(const Suspect& suspect) {
  const std::string text =
      std::string("The scores are multiplied where they should be divided. Write ") + right_scale(suspect);
  return {scaled_by(std::sqrt(static_cast<double>(suspect.run.dims().d_head)), text),
          scaled_by(1 / static_cast<double>(suspect.run.scale), text)};
}

Variants scale_without_root(const Suspect& suspect) {
  const Index d_head = suspect.run.dims().d_head;
  return {scaled_by(1 / static_cast<double>(d_head), "The scores are divided by d_head, " + std::to_string(d_head) +
                                                         ", " + in_place_of(suspect, "its square root") + ". Write " +
                                                         right_scale(suspect))};
}

Variants query_key_swapped(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::string text =
      "Queries and keys have changed places: the scores are transposed, row k asks column q. Write scores = Q @ "
      "K.transpose(-2, -1).";
  Variants variants;
  Variant& transposed = variants.emplace_back(Variant{text});
  if (run.dims().n_q == run.dims().n_k) {
    transposed.rules[Stage::scores] = [](const Trace&, const Usual& usual) { return axes_swapped(usual()); };
  } else {
    for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::capped_scores})
      transposed.saved[stage] = axes_swapped;
  }
  const Inputs& in = run.inputs;
  const bool same_inputs = in.query.shape() == in.key.shape();
  const bool same_weights = in.W_q.defined() && in.W_k.defined() && in.W_q.shape() == in.W_k.shape();
  if (same_weights) {
    variants.push_back({.explanation = "Queries and keys have changed places: Q is made with the key projection and K "
                                       "with the query projection. Write Q = q_proj(query); K = k_proj(key).",
                        .rules = {{Stage::Q, projected(Stage::query, Stage::W_k, Stage::b_k)},
                                  {Stage::K, projected(Stage::key, Stage::W_q, Stage::b_q)}}});
  }
  if (same_weights && in.W_v.defined() && in.W_v.shape() == in.W_k.shape()) {
    const auto made = [](Stage q, Stage k, Stage v) {
      return std::map<Stage, Rule>{{Stage::Q, projected(Stage::query, q, bias_beside(q))},
                                   {Stage::K, projected(Stage::key, k, bias_beside(k))},
                                   {Stage::V, projected(Stage::value, v, bias_beside(v))}};
    };
    const std::string write = " Write Q = q_proj(query); K = k_proj(key); V = v_proj(value).";
    const std::string ring = "Queries, keys and values are exchanged in a ring: ";
    variants.push_back({.explanation = ring + "Q is made as K, K as V and V as Q." + write,
                        .rules = made(Stage::W_k, Stage::W_v, Stage::W_q)});
    variants.push_back({.explanation = ring + "Q is made as V, K as Q and V as K." + write,
                        .rules = made(Stage::W_v, Stage::W_q, Stage::W_k)});
    variants.push_back({.explanation = "Queries and values have changed places: Q is made as V and V as Q." + write,
                        .rules = made(Stage::W_v, Stage::W_k, Stage::W_q)});
  }
  if (same_inputs && !identical(in.query, in.key)) {
    variants.push_back({.explanation =
                            "Queries and keys have changed places: Q is made from the keys' input and K from "
                            "the queries'. Write Q = q_proj(query); K = k_proj(key).",
                        .rules = {{Stage::Q, projected(Stage::key, Stage::W_q, Stage::b_q)},
                                  {Stage::K, projected(Stage::query, Stage::W_k, Stage::b_k)}}});
  }
  return variants;
}

Variants weights_transposed(const Suspect& suspect) {
  Variants variants;
  Variant& saved = variants.emplace_back(Variant{
      "The saved weights are transposed, [key, query] for [query, key], while the values were gathered rightly. Save "
      "weights as softmax(dim=-1) gives them."});
  saved.saved[Stage::weights] = saved.saved[Stage::dropped_weights] = axes_swapped;
  if (suspect.run.dims().n_q == suspect.run.dims().n_k) {
    Variant& used = variants.emplace_back(Variant{
        "The values are gathered with the weights transposed: a key's column takes the place of a query's row. Write "
        "weights @ V."});
    used.rules[Stage::head_outputs] = [](const Trace& t, const Usual&) {
      return gather_values(axes_swapped(t[*t.standing_for(Stage::dropped_weights)]), t[Stage::V_heads]);
    };
    Variant& both = variants.emplace_back(used);
    both.saved = variants.front().saved;
  }
  return variants;
}

// Mistakes that multiply all numbers of a stage by one factor.
namespace {

/// The factor c with which weights = softmax(c · scores): differences of log-weights in a row are c times those of the
/// scores.
std::optional<float> factor_in_weights(const Tensor& scores, const Tensor& weights) {
  double products = 0, squares = 0;
  each_matrix(weights, [&](const MatrixView& w, Index b, Index h) {
    const MatrixView s = scores.matrix(b, h);
    for (Index q = 0; q < w.rows; ++q) {
      for (Index k = 1; k < w.cols; ++k) {
        if (!(w(q, 0) > 1e-4F && w(q, k) > 1e-4F)) continue;
        const double difference = static_cast<double>(s(q, k)) - static_cast<double>(s(q, 0));
        products += difference * std::log(static_cast<double>(w(q, k)) / static_cast<double>(w(q, 0)));
        squares += difference * difference;
      }
    }
  });
  const auto factor = static_cast<float>(products / squares);
  return std::isfinite(factor) && factor != 0 && std::abs(factor - 1) > 1e-3F ? std::optional(factor) : std::nullopt;
}

struct Size {
  const char* name;
  float value;
};

/// The factors that people use: the run's sizes, their square roots, and the inverses of both.
std::vector<Size> usual_factors(const Dims& d) {
  const auto of = [](Index size) { return static_cast<float>(size); };
  std::vector<Size> list;
  const auto add = [&](const std::array<const char*, 4>& names, Index size) {
    if (size < 2) return;
    const float root = std::sqrt(of(size));
    list.insert(list.end(), {{names[0], root}, {names[1], 1 / root}, {names[2], of(size)}, {names[3], 1 / of(size)}});
  };
  add({"√n_k", "1/√n_k", "n_k", "1/n_k"}, d.n_k);
  add({"√d_head", "1/√d_head", "d_head", "1/d_head"}, d.d_head);
  add({"√heads", "1/√heads", "heads", "1/heads"}, d.heads);
  add({"√d_model", "1/√d_model", "d_model", "1/d_model"}, d.d_model);
  return list;
}

std::string to_four_digits(float value) { return formatted("%.4g", static_cast<double>(value)); }

/// "1.07", or "2.449 (√n_k)" if the factor is one of usual_factors().
std::string factor_in_words(float factor, const Dims& dims) {
  for (const Size& size : usual_factors(dims)) {
    if (std::abs(factor - size.value) > 2e-4F * size.value) continue;
    return to_four_digits(factor) + " (" + size.name + ")";
  }
  return to_four_digits(factor);
}

Variant times(Stage stage, float factor, const Dims& dims) {
  const Rule rule = [factor](const Trace&, const Usual& usual) {
    return each_number(usual(), [factor](float v) { return std::isfinite(v) ? v * factor : v; });
  };
  return {.explanation = "Every number of " + std::string(name(stage)) +
                         " is multiplied by one number: yours = " + factor_in_words(factor, dims) +
                         " × right. Look for a factor that is too much or missing there.",
          .rules = {{stage, rule}},
          .rare = true};
}

/// The factors of the user's scores along an axis, 1 = heads, 2 = queries; empty where they are alike or not known.
std::vector<float> factors_along(Index axis, const Suspect& suspect) {
  const Trace& run = suspect.run;
  const OwnStage *scaled = suspect.own.find(Stage::scaled_scores), *weights = suspect.own.find(Stage::weights);
  const auto usable = [&](const OwnStage* own) { return own && own->fits && run.has(own->stage); };
  const Tensor& right = run[Stage::scaled_scores];
  constexpr Index most = 1024;
  if ((!usable(scaled) && !usable(weights)) || !run.has(Stage::scaled_scores) || right.size(axis) > most) return {};
  std::vector<float> factors;
  for (Index i = 0; i < right.size(axis); ++i) {
    const auto part = [axis, i](const Tensor& x) { return x.slice(axis, i, 1).contiguous(); };
    if (usable(scaled)) {
      const std::optional<double> factor = factor_between(part(scaled->values), part(right), scaled->slack);
      if (!factor) return {};
      factors.push_back(static_cast<float>(*factor));
    } else {
      factors.push_back(factor_in_weights(part(scores_before_mask(run)), part(weights->values)).value_or(1));
    }
  }
  const auto [low, high] = std::ranges::minmax(factors);
  return high - low > 1e-3F * std::abs(high) ? factors : std::vector<float>{};
}

/// The scores of each head, or of each query, times a number of its own.
void add_factors_along(Index axis, const Suspect& suspect, Variants& variants) {
  const std::vector<float> factors = factors_along(axis, suspect);
  if (factors.empty()) return;
  Variant& variant = variants.emplace_back(
      Variant{std::string("The scores of each ") + (axis == 1 ? "head" : "query") +
              " are multiplied by a number of its own: yours = " + listed({factors.begin(), factors.end()}) +
              " × right. Look for a factor that is too much or missing there."});
  variant.rare = true;
  variant.rules[Stage::scaled_scores] = [factors, axis](const Trace&, const Usual& usual) {
    const Tensor scores = usual();
    const Index inner = axis == 1 ? scores.size(2) * scores.size(3) : scores.size(3), size = scores.size(axis);
    Index at = 0;
    return each_number(scores, [&](float v) { return v * factors[static_cast<std::size_t>(at++ / inner % size)]; });
  };
}

}  // namespace

Variants constant_factor(const Suspect& suspect) {
  const Trace& run = suspect.run;
  Variants variants;
  const auto add = [&](Stage stage, std::optional<double> factor) {
    const double c = factor.value_or(1);
    if (run.has(stage) && c != 0 && std::abs(c - 1) >= 1e-4)
      variants.push_back(times(stage, static_cast<float>(c), run.dims()));
  };
  for (const OwnStage& own : suspect.own.stages) {
    if (!own.fits || own.stage == Stage::mask) continue;
    add(own.stage, factor_between(own.values, counterpart(run, own.stage), own.slack));
  }
  if (const OwnStage* own = suspect.own.find(Stage::weights); own && own->fits)
    add(Stage::scaled_scores, factor_in_weights(scores_before_mask(run), own->values));
  if (const OwnStage* own = suspect.own.find(Stage::output); own && own->fits && run.has(Stage::b_o)) {
    const Tensor& bias = run[Stage::b_o];
    const auto without_bias = [&](const Tensor& output) {
      std::size_t i = 0;
      const auto width = bias.contiguous().values();
      return each_number(output, [&](float v) { return v - width[i++ % width.size()]; });
    };
    add(Stage::head_outputs, factor_between(without_bias(own->values), without_bias(run[Stage::output]), own->slack));
  }
  for (const Size& size : usual_factors(run.dims())) add(Stage::scaled_scores, static_cast<double>(size.value));
  for (const Index axis : {1, 2}) add_factors_along(axis, suspect, variants);
  return variants;
}

namespace {

constexpr float least_weight = 1e-3F;  // ratios of smaller weights are not precise

struct Dropout {
  float p = 0;
  Tensor keep;
  bool dropped = false;  ///< some weight is 0; otherwise all happen to be kept
};

/// The median of the ratios own / right over the weights that were kept: 1/(1 − p). 0 if no weight was kept.
float kept_ratio(std::span<const float> own, std::span<const float> right) {
  std::vector<float> ratios;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const float ratio = own[i] / right[i];
    if (right[i] > least_weight && ratio > 0.5F) ratios.push_back(ratio);
  }
  if (ratios.empty()) return 0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

/// Rounded to the hundredth if it is close to one, as people write it.
float as_typed(float p) {
  const float rounded = std::round(p * 100) / 100;
  return std::abs(p - rounded) < 2e-3F ? rounded : p;
}

/// Dropout draws anew for each head: the same zeros in all of them are a mask.
bool is_same_in_each_head(const Tensor& kept) {
  const Tensor first = kept.slice(0, 0, 1).slice(1, 0, 1);
  return kept.size(0) * kept.size(1) > 1 && all_agree(kept, first.expand(kept.shape()).contiguous());
}

Dropout find_dropout(const Tensor& own, const Tensor& right) {
  const Tensor mine = own.contiguous(), usual = right.contiguous();
  const std::span<const float> a = mine.values(), b = usual.values();
  const float ratio = kept_ratio(a, b);
  if (ratio < 1.005F) return {};
  Buffer keep(a.size(), 1.0F);
  bool dropped = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] / b[i] < ratio / 2)) continue;  // NaN counts as kept
    keep[i] = 0;
    dropped = dropped || b[i] > least_weight;
  }
  const Tensor kept(right.shape(), keep);
  const float p = as_typed(1 - 1 / ratio);
  // Without a zero, 1/(1 − p) of a p that people type is all that shows it.
  const bool is_typed = std::abs(p * 20 - std::round(p * 20)) < 1e-4F;
  if (!dropped) return is_typed ? Dropout{p, Tensor(right.shape(), std::move(keep))} : Dropout{};
  if (is_same_in_each_head(kept)) return {};
  return {p, Tensor(right.shape(), std::move(keep)), true};
}

/// What dropout kept, 1 or 0, where the rest is not divided by 1 − p; undefined if that is not so, or if all heads have
/// the same zeros, which is a mask.
Tensor kept_as_it_was(const Tensor& own, const Tensor& right) {
  const Tensor mine = own.contiguous(), usual = right.contiguous();
  Buffer keep(mine.values().size(), 1.0F);
  bool dropped = false;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const float a = mine.values()[i], b = usual.values()[i];
    if (agree(a, b)) continue;
    if (a != 0) return {};
    keep[i] = 0;
    dropped = true;
  }
  if (!dropped) return {};
  const Tensor kept(right.shape(), std::move(keep));
  return is_same_in_each_head(kept) ? Tensor() : kept;
}

/// [B, n, d] as [B, 1, n, d].
Tensor as_heads(const Tensor& x) {
  return x.rank() == 4 ? x.contiguous() : x.contiguous().view({x.size(0), 1, x.size(1), x.size(2)});
}

}  // namespace

Variants dropout_active(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (run.has(Stage::dropped_weights)) return {};
  Variants variants;
  const auto add = [&](Stage stage, const std::string& numbers, const Tensor& own) {
    if (!own.defined() || own.shape() != run[stage].shape()) return;
    const Dropout found = find_dropout(as_heads(own), as_heads(run[stage]));
    const auto dropped = [](const Tensor& keep, float p) -> Rule {
      return [keep, p](const Trace&, const Usual& usual) {
        const Tensor right = usual();
        return drop(as_heads(right), keep, p).view(right.shape());
      };
    };
    const Tensor kept = found.p > 0 ? Tensor() : kept_as_it_was(as_heads(own), as_heads(run[stage]));
    if (kept.defined())
      variants.push_back({.explanation = "Dropout is on: some " + numbers +
                                         " are 0, and the others are not divided by 1 − p. Call model.eval() before "
                                         "you compare, and let nn.Dropout do it.",
                          .rules = {{stage, dropped(kept, 0)}},
                          .rare = true});
    if (found.p <= 0 || found.p >= 1) return;
    const std::string what = found.dropped ? "Dropout is on: some " + numbers + " are 0 and the others are"
                                           : "Dropout may be on, with nothing dropped here: all " + numbers + " are";
    variants.push_back({.explanation = what + " divided by 1 − p, p = " + shortest(found.p) +
                                       ". Call model.eval() before you compare, or pass dropout_p=0.0.",
                        .rules = {{stage, dropped(found.keep, found.p)}},
                        .rare = !found.dropped});
  };
  add(Stage::weights, "weights", recover_weights(run, suspect.own));
  if (const OwnStage* output = suspect.own.find(Stage::output); output && output->fits)
    add(Stage::output, "numbers of the output", output->values);
  for (const OwnStage& own : suspect.own.stages) {  // the first that differs: dropout earlier changes it, too
    if (!own.fits || own.stage >= Stage::weights || own.stage == Stage::mask || !run.has(own.stage)) continue;
    const Tensor& right = run[own.stage];
    if (own.values.shape() == right.shape() && all_agree(own.values, right, own.slack)) continue;
    const bool single = right.rank() == 4 || right.rank() == 3;
    if (single && own.stage >= Stage::Q) add(own.stage, "numbers of " + std::string(name(own.stage)), own.values);
    break;
  }
  return variants;
}

}  // namespace headlight::mistakes
