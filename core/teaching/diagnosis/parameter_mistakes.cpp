// Steps that are there with another number or rule: RoPE, ALiBi and T5's bias.

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/run/stage_steps.h"
#include "core/rules/position/relative_bias.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

enum class Side : std::uint8_t { both, queries, keys };

/// Rotates queries, keys or both in another way.
std::map<Stage, Rule> rotated_by(const std::function<void(Rotation&)>& change, Side side = Side::both) {
  std::map<Stage, Rule> rules;
  const auto add = [&](Stage stage, Stage from) {
    rules[stage] = [=](const Trace& t, const Usual&) {
      Rotation rotation = rotation_of(t, stage);
      change(rotation);
      return rotate(t[*t.standing_for(from)], rotation);
    };
  };
  if (side != Side::keys) add(Stage::Q_rotated, Stage::Q_normed);
  if (side != Side::queries) add(Stage::K_rotated, Stage::K_normed);
  return rules;
}

std::string digits(double value) { return formatted("%.6g", value); }

bool rotates(const Suspect& suspect) { return suspect.run.has(Stage::Q_rotated); }

const char* of_side(Side side) {
  return side == Side::queries ? " of the queries" : side == Side::keys ? " of the keys" : "";
}

}  // namespace

Variants rope_base(const Suspect& suspect) {
  if (!rotates(suspect) || !suspect.run.inputs.rules.rope_frequencies.empty()) return {};
  const auto now = static_cast<double>(suspect.run.scenario.rope_base);
  const auto with = [](double base) {
    return Variant{.explanation = {}, .rules = rotated_by([base](Rotation& rotation) {
                                        rotation.frequencies = rope_frequencies(base, rotation.turned());
                                      })};
  };
  const auto words = [now](const std::string& yours) {
    return "RoPE's base is another one: your code has " + yours + ", this model " + digits(now) +
           ". Write base = " + digits(now) + "  # yours: " + yours + ".";
  };
  return fitted(suspect, {.now = now,
                          .low = 2,
                          .high = 1e9,
                          .usual = {10000, 500000, 1e6, 1e5, 1000, 100, 50000, 160000, 2.5e5, 1e7, 5e6},
                          .with = with,
                          .words = words});
}

Variants rope_positions(const Suspect& suspect) {
  if (!rotates(suspect)) return {};
  const Dims& d = suspect.run.dims();
  std::vector<Index> steps{1, -1, d.n_k - d.n_q, -suspect.run.query_offset, d.n_k - 1, d.n_k, d.n_q};
  for (Index by = 2; by <= 16; ++by) steps.insert(steps.end(), {by, -by});
  Variants variants;
  for (const Side side : {Side::queries, Side::keys, Side::both}) {
    for (const Index by : steps) {
      if (by == 0 || (side == Side::both && std::abs(by) > 3)) continue;
      const std::string where = std::string("The positions") + of_side(side) + " are counted " +
                                std::to_string(std::abs(by)) + (by > 0 ? " too far" : " too low") +
                                " for the rotary embedding. ";
      const std::string why =
          side == Side::both
              ? "Queries and keys move together, so that no score changes; with cached keys it would matter. "
              : "With a key/value cache, queries begin at the number of keys before them. ";
      const Index first = suspect.run.query_offset;
      variants.push_back({.explanation = where + why + "Write q_positions = torch.arange(" + std::to_string(first) +
                                         ", " + std::to_string(first) + " + n_q); k_positions = torch.arange(n_k).",
                          .rules = rotated_by([by](Rotation& rotation) { rotation.first_position += by; }, side)});
      variants.back().harmless = side == Side::both;
    }
  }
  return variants;
}

Variants rope_share(const Suspect& suspect) {
  if (!rotates(suspect)) return {};
  const Dims& d = suspect.run.dims();
  const Index now = rotation_of(suspect.run, Stage::Q_rotated).turned();
  const auto base = static_cast<double>(suspect.run.scenario.rope_base);
  Variants variants;
  for (Index turned = 2; turned <= d.d_head; turned += 2) {
    if (turned == now) continue;
    const std::string text = "Your code rotates " + std::to_string(turned) + " channels of a head, this model " +
                             std::to_string(now) + ". Write rotary_dim = " + std::to_string(now) + ".";
    const auto fresh = [=](Rotation& r) { r.frequencies = rope_frequencies(base, turned); };
    variants.push_back({.explanation = text, .rules = rotated_by(fresh)});
    const auto first_of_whole = [=](Rotation& r) {
      std::vector<double> frequencies = rope_frequencies(base, std::max(d.d_head, turned));
      frequencies.resize(static_cast<std::size_t>(turned / 2));
      r.frequencies = frequencies;
    };
    variants.push_back({.explanation = text, .rules = rotated_by(first_of_whole)});
  }
  return variants;
}

Variants rope_sign(const Suspect& suspect) {
  if (!rotates(suspect)) return {};
  const auto turned_back = [](Rotation& rotation) {
    std::vector<double> frequencies = rotation.frequencies;
    for (double& each : frequencies) each = -each;
    rotation.frequencies = frequencies;
  };
  Variants variants;
  for (const Side side : {Side::both, Side::queries, Side::keys}) {
    const std::string whose = side == Side::both ? "queries and keys" : side == Side::queries ? "queries" : "keys";
    variants.push_back(
        {.explanation = "The rotary embedding turns the " + whose +
                        " the other way: the sign of sin is wrong. Write torch.cat((x1 * cos - x2 * sin, "
                        "x1 * sin + x2 * cos), -1).",
         .rules = rotated_by(turned_back, side)});
  }
  return variants;
}

Variants rope_formula(const Suspect& suspect) {
  if (!rotates(suspect) || !suspect.run.inputs.rules.rope_frequencies.empty()) return {};
  const Trace& run = suspect.run;
  const auto base = static_cast<double>(run.scenario.rope_base);
  const auto powers = [base](double divisor) {
    return [=](Rotation& rotation) {
      std::vector<double> frequencies;
      for (Index j = 0; j < rotation.turned() / 2; ++j)
        frequencies.push_back(std::pow(base, -static_cast<double>(j) / divisor));
      rotation.frequencies = frequencies;
    };
  };
  const auto turned = static_cast<double>(rotation_of(run, Stage::Q_rotated).turned());
  const std::string write = " Write inv_freq = base ** (-torch.arange(0, d, 2) / d).";
  Variants variants{{.explanation = "The frequencies are base^(−j/d) where RoPE has base^(−2j/d)." + write,
                     .rules = rotated_by(powers(turned))},
                    {.explanation = "The frequencies are base^(−4j/d) where RoPE has base^(−2j/d)." + write,
                     .rules = rotated_by(powers(turned / 4))},
                    {.explanation = "The frequencies are made for the whole width where RoPE has one head's." + write,
                     .rules = rotated_by(powers(static_cast<double>(run.dims().d_model) / 2))}};
  Variant& twice = variants.emplace_back(Variant{
      "The rotary embedding is applied twice. Write q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)."});
  for (const Stage stage : {Stage::Q_rotated, Stage::K_rotated})
    twice.rules[stage] = [stage](const Trace& t, const Usual& usual) { return rotate(usual(), rotation_of(t, stage)); };
  Variant& along_heads = variants.emplace_back(
      Variant{"The positions are counted along the heads: the rotary embedding takes [B, n, H, d] here. Write q = "
              "apply_rotary(q.transpose(1, 2)).transpose(1, 2)."});
  for (const auto& [stage, from] :
       {std::pair(Stage::Q_rotated, Stage::Q_normed), std::pair(Stage::K_rotated, Stage::K_normed)}) {
    along_heads.rules[stage] = [stage = stage, from = from](const Trace& t, const Usual&) {
      const Tensor turned_axes = t[*t.standing_for(from)].transpose(1, 2).contiguous();
      return rotate(turned_axes, rotation_of(t, stage)).transpose(1, 2).contiguous();
    };
  }
  return variants;
}

// Biases by distance.
namespace {

/// Adds to the scores' bias the difference between another one and the run's, each [1, H, n_q, n_k].
Variant bias_instead(const Tensor& other, const Tensor& now, std::string explanation) {
  const Tensor change = combined(other, now, [](float a, float b) { return a - b; });
  const Rule rule = [change](const Trace&, const Usual& usual) {
    return combined(usual(), change, [](float a, float b) { return a + b; });
  };
  return {.explanation = std::move(explanation), .rules = {{Stage::biased_scores, rule}}};
}

Tensor of_slopes(const Trace& run, const std::vector<double>& slopes) {
  return bias_of_slopes(slopes, run.dims().n_q, run.dims().n_k, run.query_offset);
}

struct Slopes {
  std::vector<double> values;
  std::string rule;
};

std::vector<double> geometric(Index heads, double first, double ratio) {
  std::vector<double> slopes;
  for (Index h = 0; h < heads; ++h) slopes.push_back(first * std::pow(ratio, static_cast<double>(h)));
  return slopes;
}

/// The formulas in use, and wrong ones.
std::vector<Slopes> slope_rules(Index heads) {
  const auto count = static_cast<double>(heads);
  const double above = std::exp2(std::ceil(std::log2(count))), below = std::exp2(std::floor(std::log2(count)));
  const auto power = [](double exponent) { return std::exp2(exponent); };
  std::vector<double> reversed = alibi_slopes(heads);
  std::ranges::reverse(reversed);
  return {{geometric(heads, power(-8 / count), power(-8 / count)), "2^(−8(h+1)/H) for every number of heads"},
          {geometric(heads, 1, power(-8 / count)), "2^(−8h/H), beginning at 1"},
          {geometric(heads, power(-8 / above), power(-8 / above)), "those of the next power of two heads"},
          {geometric(heads, power(-8 / below), power(-8 / below)), "those of the power of two below, continued"},
          {mpt_slopes(heads, 8), "MPT's"},
          {reversed, "those of the heads in the reverse order"},
          {geometric(heads, 0.5, 0.5), "2^(−(h+1))"},
          {geometric(heads, 1, 0.5), "2^(−h)"},
          {std::vector<double>(static_cast<std::size_t>(heads), 1), "1 in every head"},
          {geometric(heads, power(-8 / (count - 1)), power(-8 / (count - 1))), "2^(−8(h+1)/(H−1))"},
          {geometric(heads, power(-4 / count), power(-4 / count)), "2^(−4(h+1)/H)"},
          {geometric(heads, power(-16 / count), power(-16 / count)), "2^(−16(h+1)/H)"}};
}

}  // namespace

Variants alibi_slopes_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.scenario.alibi) return {};
  const Index heads = run.dims().heads;
  const std::vector<double> now = headlight::alibi_slopes(heads);
  const Tensor bias = of_slopes(run, now);
  std::string list;
  for (const double slope : now) list += (list.empty() ? "" : ", ") + formatted("%.5g", slope);
  const std::string write = "; this model's are Press et al.'s. Write slopes = torch.tensor([" + list + "]).";
  Variants variants;
  for (const Slopes& slopes : slope_rules(heads)) {
    if (slopes.values == now || !std::isfinite(slopes.values.front())) continue;
    variants.push_back(bias_instead(of_slopes(run, slopes.values), bias, "ALiBi's slopes are " + slopes.rule + write));
  }
  const auto scaled = [&](double factor) {
    std::vector<double> slopes = now;
    for (double& slope : slopes) slope *= factor;
    return bias_instead(of_slopes(run, slopes), bias, {});
  };
  const auto words = [&](const std::string& yours) {
    return "ALiBi's slopes are " + yours + " times as large" + write;
  };
  for (Variant& variant :
       fitted(suspect, {.now = 1, .low = 0.01, .high = 100, .usual = {0.5, 2}, .with = scaled, .words = words})) {
    variant.rare = true;
    variants.push_back(std::move(variant));
  }
  return variants;
}

Variants alibi_distances(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.scenario.alibi) return {};
  const Tensor bias = of_slopes(run, headlight::alibi_slopes(run.dims().heads));
  const auto changed = [&](auto change) { return each_number(bias, change); };
  const std::string write = " Write bias = slopes[:, None, None] * (k - q).";
  Variants variants{
      bias_instead(changed([](float v) { return -v; }), bias,
                   "ALiBi has the wrong sign: distant keys gain where they should lose." + write),
      bias_instead(changed([](float v) { return -std::abs(v); }), bias,
                   "ALiBi is symmetric, −slope · |k − q|, where this model's is slope · (k − q)." + write),
      bias_instead(changed([](float v) { return std::abs(v); }), bias,
                   "ALiBi has the wrong sign: −(−slope · |k − q|), distant keys gain where they should lose." + write)};
  // The distance from a masked key ahead of the query is 0 in some codes.
  variants.push_back(
      bias_instead(changed([](float v) { return std::min(v, 0.0F); }), bias,
                   "ALiBi's distance is 0 for keys ahead of the query, where this model's grows." + write));
  variants.push_back(bias_instead(changed([](float v) { return std::max(-v, 0.0F); }), bias,
                                  "ALiBi has the wrong sign, and its distance is 0 ahead of the query." + write));
  return variants;
}

Variants t5_buckets_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.scenario.t5_bias || !run.t5_table.defined()) return {};
  const Dims& d = run.dims();
  const bool both_ways = run.scenario.t5_bidirectional.value_or(true);
  const auto by_distance = [&](const Tensor& table, bool bidirectional, Index furthest, Index sign) {
    return from_cells(d.heads, d.n_q, d.n_k, [&](Index h, Index q, Index k) {
      const Index bucket = t5_bucket(sign * (k - run.query_offset - q), bidirectional, table.size(1), furthest);
      return table.matrix()(h, bucket);
    });
  };
  const Tensor now = by_distance(run.t5_table, both_ways, t5_max_distance, 1);
  const std::string write = " Write relative_position = k - q.";
  Variants variants;
  variants.push_back(bias_instead(by_distance(run.t5_table, !both_ways, t5_max_distance, 1), now,
                                  std::string("T5's buckets are those of ") + (both_ways ? "a decoder" : "an encoder") +
                                      ". Write bidirectional=" + (both_ways ? "True." : "False.")));
  variants.push_back(bias_instead(by_distance(run.t5_table, both_ways, t5_max_distance, -1), now,
                                  "T5's relative positions have the wrong sign, q − k." + write));
  for (const Index furthest : {32, 64, 256, 20, 16}) {
    variants.push_back(bias_instead(
        by_distance(run.t5_table, both_ways, furthest, 1), now,
        "T5's largest distance is " + std::to_string(furthest) + " in your code. Write max_distance=128."));
  }
  return variants;
}

}  // namespace headlight::mistakes
