// Steps that are there with another number: the scale, the cap, groups and heads.

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {

namespace {

/// The scale of the user's scaled scores, if they are proportional to the run's.
std::optional<double> scale_seen(const Suspect& suspect) {
  const OwnStage* own = suspect.own.find(Stage::scaled_scores);
  if (!own || !own->fits || !suspect.run.has(Stage::scaled_scores)) return {};
  const auto factor = factor_between(own->values, suspect.run[Stage::scaled_scores], own->slack);
  return factor ? std::optional(*factor * static_cast<double>(suspect.run.scale)) : std::nullopt;
}

}  // namespace

Variants scale_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Dims& d = run.dims();
  const auto now = static_cast<double>(run.scale), root = std::sqrt(static_cast<double>(d.d_head));
  const auto with = [](double scale) {
    return Variant{.explanation = {}, .settings = [scale](Scenario& s) { s.scale = static_cast<float>(scale); }};
  };
  const std::string write = run.scenario.scale
                                ? "Write scores = q @ k.transpose(-2, -1) * " + formatted("%.6g", now) + "."
                                : "Write q @ k.transpose(-2, -1) / d_head ** 0.5.";
  Variants variants;
  const auto add = [&](double scale, const std::string& what) {
    const std::string yours = formatted("%.5g", scale);
    const bool is_said = std::ranges::find(variants, yours, &Variant::yours) != variants.end();
    if (!(scale > 0) || std::abs(scale / now - 1) < 1e-4 || is_said) return;
    variants.push_back(with(scale));
    variants.back().explanation = what + write;
    variants.back().yours = yours, variants.back().here = formatted("%.5g", now);
  };
  add(now * now, "The scale is applied twice: once to the scores, and once more before or after. ");
  const auto width = [&](Index channels, const std::string& what) {
    add(1 / std::sqrt(static_cast<double>(channels)),
        "The scores are divided by the square root of " + what + ", √" + std::to_string(channels) + ". ");
  };
  if (run.scenario.scale) add(1 / root, "The scores are divided by √d_head, where this model has a scale of its own. ");
  const auto head = static_cast<double>(d.d_head);
  const std::string half = "Python reads d_head ** 1 / 2 as (d_head ** 1) / 2: the scores are divided by ";
  add(1 / (2 * head), half + "d_head and then by 2. ");
  add(2 / head, half + "half of d_head. ");
  if (root > 2) add(1 / std::floor(root), "√d_head loses its fraction, as int() and // make it. ");
  if (d.kv_heads != d.heads) width(d.kv_heads * d.d_head, "the width of all keys");
  width(d.heads, "the number of heads");
  width(d.n_k, "the number of keys");
  if (d.d_head > 3) width(d.d_head / 2, "half a head's width");
  width(2 * d.d_head, "two heads' width");
  for (const Stage stage : {Stage::Q, Stage::Q_heads}) {
    if (!run.has(stage) || run.has(Stage::Q_normed)) continue;
    Variant& twice = variants.emplace_back(
        Variant{"The scale is applied twice: to the queries, and once more to the scores. " + write});
    twice.rules[stage] = multiplied_by(static_cast<float>(now));
  }
  const auto words = [&](const std::string& yours) {
    return "The scores are scaled by another number: your code has " + yours + ", this model " +
           formatted("%.5g", now) + ". Write scores = q @ k.transpose(-2, -1) * " + formatted("%.6g", now) +
           "  # yours: " + yours + ".";
  };
  const std::optional<double> seen = scale_seen(suspect);
  if (seen && std::abs(*seen / now - 1) < 1e-4) return variants;  // the user's scaled scores show that it is right
  for (Variant& variant :
       fitted(suspect, {.now = now, .low = now / 200, .high = now * 200, .seen = seen, .with = with, .words = words})) {
    if (std::ranges::find(variants, variant.yours, &Variant::yours) != variants.end()) continue;
    variant.rare = true;
    variants.push_back(std::move(variant));
  }
  return variants;
}

Variants cap_off(const Suspect& suspect) {
  if (!suspect.run.has(Stage::capped_scores)) return {};
  const auto now = static_cast<double>(*suspect.run.scenario.softcap);
  const auto with = [](double cap) {
    return Variant{.explanation = {}, .settings = [cap](Scenario& s) { s.softcap = static_cast<float>(cap); }};
  };
  const auto words = [now](const std::string& yours) {
    return "The soft-cap is another one: your code has " + yours + ", this model " + formatted("%.6g", now) +
           ". Write scores = " + formatted("%.6g", now) + " * torch.tanh(scores / " + formatted("%.6g", now) + ")" +
           (yours.empty() ? "." : "  # yours: " + yours + ".");
  };
  Variants variants = fitted(
      suspect,
      {.now = now, .low = 0.05, .high = 5000, .usual = {50, 30, 20, 10, 5, 100, 15}, .with = with, .words = words});
  const auto c = static_cast<float>(now);
  const std::string write = words("").substr(words("").find("Write"));
  const auto capped_by = [&](const std::string& what, float (*cap)(float score, float c)) {
    const Rule rule = [c, cap](const Trace& t, const Usual&) {
      return each_number(t[*t.standing_for(Stage::scaled_scores)], [c, cap](float score) { return cap(score, c); });
    };
    variants.push_back({.explanation = what + write, .rules = {{Stage::capped_scores, rule}}});
  };
  capped_by("The soft-cap does not multiply by the cap again, so that scores stay below 1. ",
            [](float score, float cap) { return std::tanh(score / cap); });
  capped_by("The soft-cap does not divide by the cap first, so that most scores are at the cap. ",
            [](float score, float cap) { return cap * std::tanh(score); });
  capped_by("The scores are cut off at the cap, where a soft-cap bends them. ",
            [](float score, float cap) { return std::clamp(score, -cap, cap); });
  return variants;
}

namespace {

/// Key/value heads for each query head: head h uses group(h).
Rule grouped_by(Index heads, const std::function<Index(Index)>& group) {
  return [=](const Trace&, const Usual& usual) {
    const Tensor all = usual();
    std::vector<Tensor> parts;
    for (Index b = 0; b < all.size(0); ++b) {
      for (Index h = 0; h < heads; ++h) parts.push_back(all.slice(0, b, 1).slice(1, group(h), 1));
    }
    return joined(parts).view({all.size(0), heads, all.size(2), all.size(3)});
  };
}

}  // namespace

Variants groups_off(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.kv_heads == 1) return {};
  const bool grouped = d.kv_heads < d.heads;
  const std::string groups = std::to_string(d.groups());
  const std::string write =
      grouped ? ". Write k.repeat_interleave(" + groups + ", dim=1), v.repeat_interleave(" + groups + ", dim=1)."
              : ". Write k.view(B, n, H, d_head).transpose(1, 2), v.view(B, n, H, d_head).transpose(1, 2).";
  Variants variants;
  const auto add = [&](const std::string& what, const std::function<Index(Index)>& group) {
    for (const auto& stages :
         {std::vector{Stage::K_heads, Stage::V_heads}, std::vector{Stage::K_heads}, std::vector{Stage::V_heads}}) {
      Variant& variant = variants.emplace_back(Variant{(stages.size() == 2            ? "The key/value heads"
                                                        : stages[0] == Stage::K_heads ? "The key heads"
                                                                                      : "The value heads") +
                                                       what + write});
      for (const Stage stage : stages) variant.rules[stage] = grouped_by(d.heads, group);
    }
  };
  for (Index used = 1; grouped && used < d.kv_heads; ++used) {
    if (d.heads % used != 0) continue;
    add(" are grouped as if there were " + std::to_string(used) + " of them, not " + std::to_string(d.kv_heads),
        [size = d.heads / used](Index h) { return h / size; });
  }
  const Index n = d.kv_heads, size = d.groups();
  if (!grouped) add(" of head 0 serve all heads", [](Index) { return Index{0}; });
  add(" are in the reverse order", [n, size](Index h) { return n - 1 - h / size; });
  for (const Index by : {Index{1}, n - 1}) {
    if (n > 2) add(" are those of the next head", [=](Index h) { return (h / size + by) % n; });
  }
  return variants;
}

namespace {

/// Whether something has numbers for each head, which another number of heads would not fit.
bool has_numbers_of_heads(const Trace& run) {
  const Rules& rules = run.inputs.rules;
  const auto for_heads = [](const Tensor& x) { return x.defined() && x.rank() == 4 && x.size(1) > 1; };
  return (rules.q_norm.defined() && !rules.norm_over_heads) || run.sink_logits.defined() || run.t5_table.defined() ||
         for_heads(run.inputs.attn_bias) || for_heads(run.inputs.file_mask);
}

}  // namespace

Variants heads_off(const Suspect& suspect) {
  const Dims& d = suspect.run.dims();
  if (d.kv_heads != d.heads || suspect.run.inputs.first_stage() != Stage::query || has_numbers_of_heads(suspect.run))
    return {};
  const Index width = d.heads * d.d_head;
  Variants variants;
  for (Index heads = 1; heads <= std::min<Index>(width, 64); ++heads) {
    if (heads == d.heads || width % heads != 0) continue;
    Variant& variant = variants.emplace_back(Variant{"The number of heads is another one: your code has " +
                                                     std::to_string(heads) + ", this model " + std::to_string(d.heads) +
                                                     ". Write num_heads = " + std::to_string(d.heads) + "."});
    variant.inputs = [heads, size = width / heads](Inputs& in) {
      in.dims.heads = in.dims.kv_heads = heads;
      in.dims.d_head = size;
    };
    variant.yours = std::to_string(heads), variant.here = std::to_string(d.heads);
    variant.rare = true;
  }
  return variants;
}

}  // namespace headlight::mistakes
