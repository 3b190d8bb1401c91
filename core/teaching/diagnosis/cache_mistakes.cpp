// Mistakes with a cache of keys and values: places that are not written, rotated otherwise, or another sequence's.

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {
namespace {

const char* const write_cache = " Write K = torch.cat((past_K, K), 2); V = torch.cat((past_V, V), 2).";

/// Parts [B, H, n, d] one after the other, [B, H, Σ n, d].
Tensor rows_joined(const std::vector<Tensor>& parts) { return joined_along(2, parts); }

Tensor rows_of(const Tensor& heads, Index first, Index count) { return heads.slice(2, first, count).contiguous(); }

Tensor zero_rows_like(const Tensor& heads, Index count) {
  return Tensor::full({heads.size(0), heads.size(1), count, heads.size(3)}, 0);
}

Stage last_of_keys(const Trace& run) { return run.standing_for(Stage::K_rotated).value_or(Stage::K_heads); }

/// The keys that were there before this step's: none where there are as many queries as keys.
Index cached_keys(const Trace& run) { return std::max<Index>(run.dims().n_k - run.dims().n_q, 0); }

using OfHeads = std::function<Tensor(const Tensor&)>;

/// `change` of keys and values, of the keys alone and of the values alone.
void add_for_each(const Trace& run, const std::string& text, const OfHeads& change, Variants& variants) {
  const Stage keys = last_of_keys(run);
  const std::vector<Stage> both{keys, Stage::V_heads};
  for (const auto& [who, stages] : {std::pair("keys and values", both), std::pair("keys", std::vector{keys}),
                                    std::pair("values", std::vector{Stage::V_heads})}) {
    std::string what = text;
    what.replace(what.find("{}"), 2, who);
    Variant& variant = variants.emplace_back(Variant{what + (what.find("Write") == what.npos ? write_cache : "")});
    variant.rare = true;
    for (const Stage stage : stages)
      variant.rules[stage] = [change](const Trace&, const Usual& usual) { return change(usual()); };
  }
}

}  // namespace

Variants cache_unwritten(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index n = run.dims().n_k, cached = cached_keys(run), fresh = n - cached;
  if (n < 2 || !run.has(Stage::V_heads)) return {};
  Variants variants;
  if (cached > 0) {
    add_for_each(
        run, "The new {} are never written into the cache: zeros stand in their place.",
        [=](const Tensor& x) {
          return rows_joined({rows_of(x, 0, cached), zero_rows_like(x, fresh)});
        },
        variants);
    add_for_each(
        run, "The new {} are written one place too early, over the last ones of the cache; zeros follow.",
        [=](const Tensor& x) {
          return rows_joined({rows_of(x, 0, cached - 1), rows_of(x, cached, fresh), zero_rows_like(x, 1)});
        },
        variants);
  }
  if (n > 2)
    add_for_each(
        run, "The newest of the {} is written over the first one; zeros stand in the last place.",
        [=](const Tensor& x) {
          return rows_joined({rows_of(x, n - 1, 1), rows_of(x, 1, n - 2), zero_rows_like(x, 1)});
        },
        variants);
  add_for_each(
      run, "The {} stand one place too late, with zeros in the first place.",
      [=](const Tensor& x) {
        return rows_joined({zero_rows_like(x, 1), rows_of(x, 0, n - 1)});
      },
      variants);
  add_for_each(
      run, "The {} stand one place too early, with zeros in the last place.",
      [=](const Tensor& x) {
        return rows_joined({rows_of(x, 1, n - 1), zero_rows_like(x, 1)});
      },
      variants);
  return variants;
}

Variants cache_of_other_sequence(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index batch = run.dims().batch, cached = cached_keys(run), fresh = run.dims().n_k - cached;
  if (batch < 2 || cached == 0 || !run.has(Stage::V_heads)) return {};
  Variants variants;
  for (Index by = 1; by < std::min<Index>(batch, 8); ++by) {
    const OfHeads moved = [=](const Tensor& x) {
      const Tensor old = rows_of(x, 0, cached);
      const Tensor others = joined(std::vector{old.slice(0, by, batch - by), old.slice(0, 0, by)});
      return rows_joined({others, rows_of(x, cached, fresh)});
    };
    add_for_each(run,
                 "The cached {} are those of another sequence of the batch, (b + " + std::to_string(by) + ") % " +
                     std::to_string(batch) +
                     ": the cache was not reordered with the beams. Write past = past.index_select(0, beam_idx).",
                 moved, variants);
  }
  return variants;
}

Variants cache_given_keys(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index cached = cached_keys(run), fresh = run.dims().n_k - cached;
  if (cached == 0 || !run.has(Stage::V_heads)) return {};
  Variants variants;
  const auto add = [&](Stage keys, Stage stage, const Rule& rule) {
    if (!run.has(keys) || run[keys].shape() != run[Stage::V_heads].shape()) return;
    variants.push_back(
        {.explanation = std::string("The new keys are appended to the cache of the values.") + write_cache,
         .rules = {{stage, rule}},
         .rare = true});
  };
  const auto mixed = [=](const Tensor& values, const Tensor& keys) {
    return rows_joined({rows_of(values, 0, cached), rows_of(keys, cached, fresh)});
  };
  const Stage keys = last_of_keys(run);
  if (keys != Stage::K_heads) {  // they are not there yet when the values are split
    add(keys, Stage::head_outputs, [=](const Trace& t, const Usual&) {
      return gather_values(t[*t.standing_for(Stage::dropped_weights)], mixed(t[Stage::V_heads], t[keys]));
    });
  }
  add(Stage::K_heads, Stage::V_heads,
      [=](const Trace& t, const Usual& usual) { return mixed(usual(), t[Stage::K_heads]); });
  return variants;
}

namespace {

/// Weights of the masked scores with `extra` more in the sum for each row, less its highest score or 0.
Tensor with_keys_of_zeros(const Tensor& scores, double extra) {
  const Tensor packed = scores.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const auto n = static_cast<std::size_t>(scores.size(3));
  for (std::size_t first = 0; first < values.size(); first += n) {
    const std::span<float> row = std::span(values).subspan(first, n);
    const double top = std::max(0.0, static_cast<double>(*std::ranges::max_element(row)));
    double sum = extra * std::exp(-top);
    for (const float v : row) sum += std::exp(static_cast<double>(v) - top);
    for (float& v : row) v = static_cast<float>(std::exp(static_cast<double>(v) - top) / sum);
  }
  return Tensor(scores.shape(), std::move(values));
}

Variant attending_to_zeros(double extra) {
  return {.explanation = {}, .rules = {{Stage::weights, [extra](const Trace& t, const Usual&) {
                                          return with_keys_of_zeros(t[Stage::masked_scores], extra);
                                        }}}};
}

}  // namespace

Variants cache_read_too_far(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index cached = cached_keys(run), n = run.dims().n_k;
  if (run.sink_logits.defined() || !run.has(Stage::V_heads)) return {};
  Variants variants;
  if (cached > 0) {
    Variant& twice = variants.emplace_back(Variant{
        std::string("The new keys and values are appended twice, so that they get twice the weight.") + write_cache});
    twice.rare = true;
    twice.rules[Stage::weights] = [cached, n](const Trace& t, const Usual&) {
      Index at = 0;
      return softmax(each_number(t[Stage::masked_scores],
                                 [&](float score) { return at++ % n < cached ? score : score + std::log(2.0F); }));
    };
  }
  constexpr Index most = 1 << 16;  // in larger runs a search of a number costs seconds
  if (scores_of(run) > most) return variants;
  const auto words = [n](const std::string& yours) {
    return "Keys of zeros are attended to, too (" + yours +
           " of them): places of the cache that are not filled yet. Write K, V = K_cache[:, :, :" + std::to_string(n) +
           "], V_cache[:, :, :" + std::to_string(n) + "].";
  };
  for (Variant& variant :
       fitted(suspect, {.now = 0, .low = 1, .high = 1e4, .with = attending_to_zeros, .words = words})) {
    const double count = std::atof(variant.yours.c_str());
    if (count < 1.5 || std::abs(count - std::round(count)) > 1e-3 * count) continue;  // 1 is a softmax of its own
    variant.rare = true;
    variants.push_back(std::move(variant));
  }
  return variants;
}

Variants cache_rotated_otherwise(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const Index cached = cached_keys(run), fresh = run.dims().n_k - cached;
  if (cached == 0 || !run.has(Stage::K_rotated)) return {};
  using Part = std::function<Tensor(const Tensor& keys, const Rotation& rotation)>;
  const Part none = [](const Tensor& keys, const Rotation&) { return keys; };
  const Part usual = [](const Tensor& keys, const Rotation& rotation) { return rotate(keys, rotation); };
  const Part twice = [](const Tensor& keys, const Rotation& r) { return rotate(rotate(keys, r), r); };
  const Part from_zero = [](const Tensor& keys, Rotation rotation) {
    rotation.first_position = 0;
    return rotate(keys, rotation);
  };
  const auto keys_by = [=](const Part& old, const Part& added) -> Rule {
    return [=](const Trace& t, const Usual&) {
      const Tensor& keys = t[*t.standing_for(Stage::K_normed)];
      Rotation rotation = rotation_of(t, Stage::K_rotated);
      const Tensor before = old(rows_of(keys, 0, cached), rotation);
      rotation.first_position += cached;
      return rows_joined({before, added(rows_of(keys, cached, fresh), rotation)});
    };
  };
  const std::string write = " Write k = apply_rotary(k, new_positions); K = torch.cat((past_K, k), 2).";
  Variants variants;
  const auto add = [&](const std::string& what, const Part& old, const Part& added) {
    variants.push_back({.explanation = what + write, .rules = {{Stage::K_rotated, keys_by(old, added)}}});
  };
  add("The cached keys are not rotated; only the new ones are.", none, usual);
  add("The new keys are not rotated; only the cached ones are.", usual, none);
  add("The cached keys are rotated a second time.", twice, usual);
  add("The new keys are rotated as at positions from 0; those of the cache have these positions.", usual, from_zero);
  add("Queries and new keys are rotated as at positions from 0; the keys of the cache have these positions.", usual,
      from_zero);
  variants.back().rules[Stage::Q_rotated] = [from_zero](const Trace& t, const Usual&) {
    return from_zero(t[*t.standing_for(Stage::Q_normed)], rotation_of(t, Stage::Q_rotated));
  };
  return variants;
}

Variants rope_positions_repeated(const Suspect& suspect) {
  const Trace& run = suspect.run;
  constexpr Index most_scores = 1 << 20, most_period = 16;
  if (!run.has(Stage::K_rotated) || scores_of(run) > most_scores) return {};
  Variants variants;
  for (Index period = 2; period < std::min(run.dims().n_k, most_period + 1); ++period) {
    Variant& variant = variants.emplace_back(
        Variant{"The positions begin anew after every " + std::to_string(period) +
                ", as places of a rolling cache do, where RoPE needs those in the text. Write positions = "
                "torch.arange(n_k)."});
    variant.rare = true;
    for (const auto& [stage, from] :
         {std::pair(Stage::Q_rotated, Stage::Q_normed), std::pair(Stage::K_rotated, Stage::K_normed)}) {
      variant.rules[stage] = [period, stage = stage, from = from](const Trace& t, const Usual&) {
        const Tensor& heads = t[*t.standing_for(from)];
        Rotation rotation = rotation_of(t, stage);
        const Index first = rotation.first_position;
        std::vector<Tensor> parts;
        for (Index row = 0; row < heads.size(2);) {
          rotation.first_position = (first + row) % period;
          const Index count = std::min(period - rotation.first_position, heads.size(2) - row);
          parts.push_back(rotate(rows_of(heads, row, count), rotation).contiguous());
          row += count;
        }
        return rows_joined(parts);
      };
    }
  }
  return variants;
}

}  // namespace headlight::mistakes
