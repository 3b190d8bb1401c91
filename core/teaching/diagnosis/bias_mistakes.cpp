// Biases by distance with another number or rule: ALiBi's and T5's.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/network.h"
#include "core/models/architecture/checkpoint.h"
#include "core/rules/position/relative_bias.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {
namespace {

/// Adds to the scores' bias the difference between another one and the run's, each [1, H, n_q, n_k].
Variant bias_instead(const Tensor& other, const Tensor& now, std::string explanation) {
  const Tensor change = combined(other, now, [](float a, float b) { return a - b; });
  const Rule rule = [change](const Trace&, const Usual& usual) {
    return combined(usual(), change, [](float a, float b) { return a + b; });
  };
  return {.explanation = std::move(explanation), .rules = {{Stage::biased_scores, rule}}};
}

/// slope · (k − q), or −slope · |k − q| where this model's is symmetric.
Tensor of_slopes(const Trace& run, const std::vector<double>& slopes) {
  const Tensor bias = bias_of_slopes(slopes, run.dims().n_q, run.dims().n_k, run.query_offset);
  return run.scenario.alibi_symmetric ? each_number(bias, [](float v) { return -std::abs(v); }) : bias;
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
          {std::vector<double>(static_cast<std::size_t>(heads), alibi_slopes(heads).front()),
           "that of the first head in every head"},
          {std::vector<double>(static_cast<std::size_t>(heads), 0.5), "0.5 in every head"},
          {geometric(heads, power(-8 / (count - 1)), power(-8 / (count - 1))), "2^(−8(h+1)/(H−1))"},
          {geometric(heads, power(-4 / count), power(-4 / count)), "2^(−4(h+1)/H)"},
          {geometric(heads, power(-16 / count), power(-16 / count)), "2^(−16(h+1)/H)"}};
}

/// Scores multiplied by the bias that is to be added to them.
Rule scores_times(const Tensor& bias) {
  return [bias](const Trace& t, const Usual&) {
    return combined(t[*t.standing_for(Stage::capped_scores)], bias, [](float a, float b) { return a * b; });
  };
}

}  // namespace

Variants alibi_slopes_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.scenario.any_alibi()) return {};
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
  if (!run.scenario.any_alibi()) return {};
  const Dims& d = run.dims();
  const bool symmetric = run.scenario.alibi_symmetric;
  const std::vector<double> slopes = headlight::alibi_slopes(d.heads);
  const Tensor now = of_slopes(run, slopes), plain = bias_of_slopes(slopes, d.n_q, d.n_k, run.query_offset);
  const std::string write = symmetric ? " Write bias = -slopes[:, None, None] * (k - q).abs()."
                                      : " Write bias = slopes[:, None, None] * (k - q).";
  Variants variants;
  const auto add = [&](auto change, const std::string& what) {
    variants.push_back(bias_instead(each_number(plain, change), now, what + write));
  };
  const std::string gain = ": distant keys gain where they should lose.";
  if (symmetric) {
    add([](float v) { return v; }, "ALiBi is slope · (k − q), where this model's is symmetric, −slope · |k − q|.");
  } else {
    add([](float v) { return -v; }, "ALiBi has the wrong sign" + gain);
    add([](float v) { return -std::abs(v); },
        "ALiBi is symmetric, −slope · |k − q|, where this model's is slope · (k − q).");
  }
  add([](float v) { return std::abs(v); }, "ALiBi has the wrong sign: −(−slope · |k − q|)," + gain.substr(1));
  // The distance from a masked key ahead of the query is 0 in some codes.
  add([](float v) { return std::min(v, 0.0F); },
      "ALiBi's distance is 0 for keys ahead of the query, where this model's grows.");
  add([](float v) { return std::max(-v, 0.0F); },
      "ALiBi has the wrong sign, and its distance is 0 ahead of the query.");
  const Tensor away = bias_of_slopes(std::vector<double>(slopes.size(), 1), d.n_q, d.n_k, run.query_offset);
  const auto of_distance = [&](float (*change)(float distance), const std::string& what) {
    const Tensor other = combined(
        plain, away, [change](float bias, float by) { return by == 0 ? 0 : -bias / by * change(std::abs(by)); });
    variants.push_back(bias_instead(other, now, what + write));
  };
  of_distance([](float by) { return by * by; }, "ALiBi has the square of the distance.");
  of_distance([](float by) { return std::log1p(by); }, "ALiBi has the logarithm of 1 + distance.");
  of_distance([](float by) { return std::sqrt(by); }, "ALiBi has the square root of the distance.");
  variants.push_back({.explanation = "The scores are multiplied by ALiBi's bias. Write scores = scores + bias.",
                      .rules = {{Stage::biased_scores, scores_times(now)}}});
  return variants;
}

namespace {

struct RelativeTable {
  Tensor values;  ///< [H, buckets]
  bool both_ways;
  Index furthest;
};

/// The table of a file that this bias was made of: both ways or one, up to T5's largest distance.
std::optional<RelativeTable> table_in_file(const Trace& run) {
  const std::shared_ptr<const TensorFile>& file = run.inputs.file;
  if (!file || !file->shared_arrays()) return {};
  const Dims& d = run.dims();
  const Tensor bias = run.inputs.attn_bias.contiguous();
  for (const ArrayEntry& entry : file->arrays().entries()) {
    const bool is_table = entry.name.ends_with("relative_attention_bias.weight") && entry.shape.size() == 2 &&
                          entry.shape[0] >= 4 && entry.shape[0] % 4 == 0 && entry.shape[1] == d.heads;
    if (!is_table) continue;
    const Tensor table = file->load(entry.name);
    for (const bool both_ways : {true, false}) {
      if (all_agree(t5_bias(table, both_ways, d.n_q, d.n_k, run.query_offset, t5_max_distance), bias))
        return RelativeTable{table.transpose(0, 1).contiguous(), both_ways, t5_max_distance};
    }
  }
  return {};
}

/// T5's table: a network's, a file's, or the one in their place.
std::optional<RelativeTable> relative_table(const Trace& run) {
  if (run.scenario.t5_bias && run.t5_table.defined())
    return RelativeTable{run.t5_table, run.scenario.t5_bidirectional.value_or(true), t5_max_distance};
  if (!run.inputs.attn_bias.defined() || run.scenario.attn_bias) return {};
  const std::shared_ptr<const NetworkRun> pass = network_of(run.inputs);
  if (!pass || !pass->network) return table_in_file(run);
  const Network& network = *pass->network;
  const auto& relative = network.attention_of(network.layer_or_first(run.scenario.layer)).relative;
  if (!relative) return {};
  return RelativeTable{network.checkpoint().load(relative->table).transpose(0, 1).contiguous(), relative->bidirectional,
                       relative->furthest};
}

/// The bias of each head [1 or B, H, n_q, n_k] as the memory of [n_q, n_k, H], read as [H, n_q, n_k].
Tensor read_by_view(const Tensor& bias) {
  const Tensor by_cell = bias.transpose(1, 2).transpose(2, 3).contiguous();
  return by_cell.view(bias.shape());
}

/// `bias` with head h as head from(h).
Tensor with_heads_from(const Tensor& bias, const std::function<Index(Index)>& from) {
  std::vector<Tensor> heads;
  for (Index h = 0; h < bias.size(1); ++h) heads.push_back(bias.slice(1, from(h), 1));
  return joined_along(1, heads);
}

}  // namespace

Variants bias_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::biased_scores) || !run.inputs.attn_bias.defined()) return {};
  const Tensor now = run.inputs.attn_bias.contiguous();
  if (now.rank() != 4) return {};
  const std::string write = " Write scores = scores + bias.", of_head = " Write scores[:, h] + bias[:, h].";
  Variants variants;
  const auto add = [&](const Tensor& other, const std::string& what) {
    if (!all_agree(other, now)) variants.push_back(bias_instead(other, now, what));
  };
  const auto times = [&](float factor) { return each_number(now, [factor](float v) { return v * factor; }); };
  if (now.size(2) == now.size(3))
    add(now.transpose(2, 3).contiguous(),
        "The bias of the scores is transposed: its rows are keys, its columns queries. Write scores + "
        "bias.transpose(-2, -1).");
  add(times(-1), "The bias of the scores is subtracted." + write);
  add(times(2), "The bias of the scores is added twice." + write);
  const Index heads = now.size(1);
  if (heads > 1) {
    add(read_by_view(now),
        "The bias [n_q, n_k, H] is read as [H, n_q, n_k] without moving its axes, so that heads and words are mixed. "
        "Write bias.permute(2, 0, 1).");
    for (const Index by : {Index{1}, heads - 1})
      add(with_heads_from(now, [=](Index h) { return (h + by) % heads; }),
          "Each head is given the bias of the " + std::string(by == 1 ? "next" : "previous") + " head." + of_head);
    add(with_heads_from(now, [=](Index h) { return heads - 1 - h; }),
        "The heads' biases are in the reverse order." + of_head);
    add(with_heads_from(now, [](Index) { return 0; }), "Every head is given the bias of head 0." + of_head);
    add(mean_of_heads(now), "Every head is given the mean of the heads' biases." + of_head);
  }
  if (run.scale > 0)
    add(times(static_cast<float>(run.scale)),
        "The bias is added before the scale and so multiplied by it. Write scores = scores * scale + bias.");
  variants.push_back({.explanation = "The scores are multiplied by the bias." + write,
                      .rules = {{Stage::biased_scores, scores_times(now)}}});
  Variant& late = variants.emplace_back(
      Variant{"The bias is added to the weights, after the softmax. Write weights = (scores + bias).softmax(dim=-1)."});
  late.rules[Stage::biased_scores] = [](const Trace& t, const Usual&) {
    return t[*t.standing_for(Stage::capped_scores)];
  };
  late.rules[Stage::weights] = [now](const Trace&, const Usual& usual) {
    return combined(usual(), now, [](float a, float b) { return a + b; });
  };
  return variants;
}

Variants t5_buckets_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::optional<RelativeTable> table = relative_table(run);
  if (!table) return {};
  const Dims& d = run.dims();
  const bool both_ways = table->both_ways;
  const Index usual = table->furthest;
  using Distance = std::function<Index(Index)>;  // of k − q
  const auto by_distance = [&](bool bidirectional, Index furthest, const Distance& distance) {
    return from_cells(d.heads, d.n_q, d.n_k, [&](Index h, Index q, Index k) {
      const Index away = distance(k - run.query_offset - q);
      return table->values.matrix()(h, t5_bucket(away, bidirectional, table->values.size(1), furthest));
    });
  };
  const Distance plain = [](Index by) { return by; };
  const Tensor now = by_distance(both_ways, usual, plain);
  Variants variants;
  const auto add = [&](const Tensor& other, const std::string& what) {
    variants.push_back(bias_instead(other, now, what));
  };
  const std::string write = " Write relative_position = k - q.";
  add(by_distance(!both_ways, usual, plain), std::string("T5's buckets are those of ") +
                                                 (both_ways ? "a decoder" : "an encoder") +
                                                 ". Write bidirectional=" + (both_ways ? "True." : "False."));
  add(by_distance(both_ways, usual, std::negate<>()), "T5's relative positions have the wrong sign, q − k." + write);
  add(by_distance(both_ways, usual, [](Index by) { return -std::abs(by); }),
      "T5's buckets are symmetric: keys after the query have those of the keys before it." + write);
  add(by_distance(both_ways, usual, [](Index by) { return std::abs(by); }),
      "T5's buckets are symmetric: keys before the query have those of the keys after it." + write);
  for (const Index furthest : {32, 64, 128, 256, 20, 16}) {
    if (furthest == usual || furthest <= table->values.size(1) / (both_ways ? 4 : 2)) continue;
    add(by_distance(both_ways, furthest, plain), "T5's largest distance is " + std::to_string(furthest) +
                                                     " in your code. Write max_distance=" + std::to_string(usual) +
                                                     ".");
  }
  if (d.heads > 1) {
    const Tensor by_cell = now.view({d.heads, d.n_q, d.n_k}).transpose(0, 1).transpose(1, 2).contiguous();
    add(by_cell.view({1, d.heads, d.n_q, d.n_k}),
        "T5's bias [n_q, n_k, H] is read as [H, n_q, n_k] without moving its axes, so that heads and words are mixed. "
        "Write table[bucket].permute(2, 0, 1).");
  }
  return variants;
}

}  // namespace headlight::mistakes
