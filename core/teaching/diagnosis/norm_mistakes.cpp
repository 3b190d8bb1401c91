// The norm of queries and keys in another way: another kind, axis or epsilon, other learned weights.

#include <array>
#include <cmath>
#include <span>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/projection.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

constexpr std::array<std::pair<Stage, Stage>, 2> norms{
    {{Stage::Q_normed, Stage::Q_heads}, {Stage::K_normed, Stage::K_heads}}};

const char* name_of(QkNorm kind) {
  switch (kind) {
    case QkNorm::rms: return "the root mean square";
    case QkNorm::l2: return "the length (L2)";
    case QkNorm::layer: return "LayerNorm";
    default: return "nothing";
  }
}

using Change = std::function<void(HeadNorm&)>;

/// Normalises queries, keys or both in another way; an empty change leaves them as they are.
Variant normed_by(const Change& queries, const Change& keys, std::string explanation) {
  Variant variant{std::move(explanation)};
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const auto [stage, from] = norms[i];
    const Change& change = i == 0 ? queries : keys;
    if (!change) continue;
    variant.rules[stage] = [=, stage = stage, from = from](const Trace& t, const Usual&) {
      HeadNorm norm = norm_of(t, stage);
      change(norm);
      return normalise_heads(t[from], norm);
    };
  }
  return variant;
}

Variant normed_by(const Change& change, std::string explanation) {
  return normed_by(change, change, std::move(explanation));
}

/// A row for each head: the same numbers for all where [d], as they are where [H·d].
Tensor for_each_head(const Tensor& learned, Index heads, Index d) {
  if (!learned.defined() || learned.count() == heads * d) return learned;
  return learned.contiguous().view({1, d}).expand({heads, d}).contiguous().view({heads * d});
}

}  // namespace

Variants norm_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_normed)) return {};
  const HeadNorm now = norm_of(run, Stage::Q_normed);
  const std::string write =
      std::string("; this model by ") + name_of(now.kind) + ". Write q, k = q_norm(q), k_norm(k).";
  Variants variants;
  for (const QkNorm kind : {QkNorm::rms, QkNorm::layer, QkNorm::l2}) {
    if (kind == now.kind) continue;
    const std::string text = std::string("Queries and keys are normalised by ") + name_of(kind) + write;
    const double epsilon = kind == QkNorm::layer ? layer_epsilon : rms_epsilon;
    for (const double each : {epsilon, static_cast<double>(now.epsilon)})
      variants.push_back(normed_by([=](HeadNorm& norm) { norm.kind = kind, norm.epsilon = each; }, text));
    if (!Tensor(now.gain).defined()) continue;
    variants.push_back(normed_by(
        [=](HeadNorm& norm) { norm.kind = kind, norm.epsilon = epsilon, norm.gain = norm.bias = Tensor(); }, text));
  }
  const auto of_values = [](const Trace& t, const Tensor& values) {
    HeadNorm norm = norm_of(t, Stage::K_normed);
    norm.gain = norm.bias = Tensor();
    norm.over_all_heads = false;
    return normalise_heads(values, norm);
  };
  const std::string values_too =
      "The values are normalised too; the norm belongs to queries and keys alone. Write q, k = q_norm(q), k_norm(k).";
  variants.push_back(
      {.explanation = values_too,
       .rules = {{Stage::V_heads, [of_values](const Trace& t, const Usual& usual) { return of_values(t, usual()); }}}});
  variants.push_back(
      {.explanation = values_too, .rules = {{Stage::head_outputs, [of_values](const Trace& t, const Usual&) {
                                               return gather_values(t[*t.standing_for(Stage::dropped_weights)],
                                                                    of_values(t, t[Stage::V_heads]));
                                             }}}});
  const Dims& d = run.dims();
  if (d.heads == 1) return variants;
  const auto whole = [&d](Index heads) {
    return [heads, size = d.d_head](HeadNorm& norm) {
      norm.over_all_heads = !norm.over_all_heads;
      norm.gain = for_each_head(norm.gain, heads, size), norm.bias = for_each_head(norm.bias, heads, size);
    };
  };
  variants.push_back(normed_by(whole(d.heads), whole(d.kv_heads),
                               now.over_all_heads
                                   ? "Each head is normalised by itself, where this model normalises the whole width. "
                                     "Write q = q_norm(q).view(B, n, H, d_head)."
                                   : "The whole width is normalised at once, where this model normalises each head by "
                                     "itself. Write q = q_norm(q.view(B, n, H, d_head))."));
  return variants;
}

namespace {

/// What a head's numbers are divided by, and what is subtracted before.
using OfRow = RowNorm (*)(std::span<const float> row);

template <typename OfNumber>
double mean_in(std::span<const float> row, OfNumber of) {
  double sum = 0;
  for (const float v : row) sum += of(static_cast<double>(v));
  return sum / static_cast<double>(row.size());
}

double mean_of(std::span<const float> row) {
  return mean_in(row, [](double v) { return v; });
}

double mean_square_of(std::span<const float> row) {
  return mean_in(row, [](double v) { return v * v; });
}

/// The standard deviation with n − 1, as torch.std gives it.
double unbiased_deviation(std::span<const float> row) {
  const double mean = mean_of(row), n = static_cast<double>(row.size());
  return std::sqrt(mean_in(row, [mean](double v) { return (v - mean) * (v - mean); }) * n / std::max(n - 1, 1.0));
}

Tensor normed_as(const Tensor& heads, const HeadNorm& norm, OfRow of_row) {
  const Tensor packed = heads.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const Index count = heads.size(1), rows = heads.size(2), d = heads.size(3);
  for (Index at = 0; at < heads.count(); at += d) {
    const std::span<float> row = std::span(values).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(d));
    const RowNorm by = of_row(row);
    const Index head = at / d / rows % count;
    Index i = 0;
    for (float& v : row) {
      v = static_cast<float>((static_cast<double>(v) - by.mean) / by.divisor * norm.gain_of(head, i, d) +
                             norm.bias_of(head, i, d));
      ++i;
    }
  }
  return Tensor(heads.shape(), std::move(values));
}

}  // namespace

Variants norm_formula(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_normed) || norm_of(run, Stage::Q_normed).over_all_heads) return {};
  Variants variants;
  const auto add = [&](const std::string& what, OfRow of_row) {
    Variant& variant = variants.emplace_back(Variant{"Queries and keys are " + what + "; this model normalises by " +
                                                     name_of(norm_of(run, Stage::Q_normed).kind) +
                                                     ". Write q, k = q_norm(q), k_norm(k)."});
    for (const auto& [stage, from] : norms) {
      variant.rules[stage] = [of_row, stage = stage, from = from](const Trace& t, const Usual&) {
        return normed_as(t[from], norm_of(t, stage), of_row);
      };
    }
  };
  add("divided by their mean square: its root is missing", [](std::span<const float> row) {
    return RowNorm{0, mean_square_of(row)};
  });
  add("multiplied by their root mean square, not divided", [](std::span<const float> row) {
    return RowNorm{0, 1 / std::sqrt(mean_square_of(row))};
  });
  add("divided by their mean magnitude", [](std::span<const float> row) {
    return RowNorm{0, mean_in(row, [](double v) { return std::abs(v); })};
  });
  add("divided by the sum of their squares: its root is missing", [](std::span<const float> row) {
    return RowNorm{0, mean_square_of(row) * static_cast<double>(row.size())};
  });
  add("divided by the sum of their magnitudes (L1)", [](std::span<const float> row) {
    return RowNorm{0, mean_in(row, [](double v) { return std::abs(v); }) * static_cast<double>(row.size())};
  });
  add("divided by torch.std, which divides by n − 1, less their mean", [](std::span<const float> row) {
    return RowNorm{mean_of(row), unbiased_deviation(row)};
  });
  add("divided by torch.std + 1e-5, which divides by n − 1, less their mean", [](std::span<const float> row) {
    return RowNorm{mean_of(row), unbiased_deviation(row) + 1e-5};
  });
  add("divided by their standard deviation; their mean is not subtracted", [](std::span<const float> row) {
    const double mean = mean_of(row);
    return RowNorm{0, std::sqrt(mean_square_of(row) - mean * mean)};
  });
  add("less their mean, and not divided", [](std::span<const float> row) { return RowNorm{mean_of(row), 1}; });
  return variants;
}

Variants norm_weights_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_normed)) return {};
  const HeadNorm q = norm_of(run, Stage::Q_normed), k = norm_of(run, Stage::K_normed);
  const Tensor gains[] = {q.gain, k.gain}, biases[] = {q.bias, k.bias};
  if (!gains[0].defined() && !gains[1].defined()) return {};
  const bool biased = biases[0].defined() || biases[1].defined();
  const std::string write = std::string(" Write x = norm(x) * weight") + (biased ? " + bias." : ".");
  const Change none = [](HeadNorm& norm) { norm.gain = norm.bias = Tensor(); };
  Variants variants{
      normed_by(none, "The learned weights of the norm of queries and keys are left out." + write),
      normed_by(none, {},
                "The learned weights of the norm are left out for the queries; only the keys have them." + write),
      normed_by({}, none,
                "The learned weights of the norm are left out for the keys; only the queries have them." + write)};
  if (biased) {
    variants.push_back(normed_by([](HeadNorm& norm) { norm.bias = Tensor(); },
                                 "The learned bias of the norm of queries and keys is left out." + write));
  }
  for (const float by : {1.0F, -1.0F}) {
    const Change moved = [by](HeadNorm& norm) { norm.gain = each_number(norm.gain, [by](float w) { return w + by; }); };
    variants.push_back(
        normed_by(moved, by > 0 ? "1 is added to the learned weights of the norm, as Gemma's code does; "
                                  "these are used as they are. Write x = norm(x) * weight."
                                : "The norm multiplies by the stored weight, where this model multiplies "
                                  "by 1 + weight, as Gemma's code does. Write x = norm(x) * (1 + weight)."));
  }
  if (gains[0].shape() != gains[1].shape()) return variants;
  const std::string right = " Write q, k = q_norm(q), k_norm(k).";
  const auto of = [&](std::size_t which) -> Change {
    return [gain = gains[which], bias = biases[which]](HeadNorm& norm) { norm.gain = gain, norm.bias = bias; };
  };
  variants.push_back(
      normed_by({}, of(0), "The keys are normalised with the queries' learned weights, q_norm." + right));
  variants.push_back(
      normed_by(of(1), {}, "The queries are normalised with the keys' learned weights, k_norm." + right));
  variants.push_back(
      normed_by(of(1), of(0), "The norms of queries and keys have changed places: q_norm(k), k_norm(q)." + right));
  return variants;
}

Variants norm_epsilon(const Suspect& suspect) {
  if (!suspect.run.has(Stage::Q_normed) || suspect.run.scenario.qk_norm == QkNorm::l2) return {};
  const double now = norm_of(suspect.run, Stage::Q_normed).epsilon;
  const auto with = [](double epsilon) { return normed_by([=](HeadNorm& norm) { norm.epsilon = epsilon; }, {}); };
  const auto words = [now](const std::string& yours) {
    return "The norm's epsilon is another one: your code has " + yours + ", this model " + formatted("%.6g", now) +
           ". Write eps=" + formatted("%.6g", now) + "  # yours: " + yours + ".";
  };
  return fitted(suspect, {.now = now,
                          .low = 1e-12,
                          .high = 10,
                          .usual = {1e-5, 1e-6, 1e-8, 1e-12, 1e-3, 1e-2},
                          .with = with,
                          .words = words});
}

namespace {

/// x normalised along this axis; then the learned weights, as usual.
Tensor normed_along(const Tensor& x, Index axis, HeadNorm norm, bool learned) {
  const HeadNorm usual = norm;
  norm.gain = norm.bias = Tensor();
  norm.over_all_heads = false;
  const Tensor turned = x.transpose(axis, 3).contiguous();
  const Tensor made = normalise_heads(turned, norm).transpose(axis, 3).contiguous();
  if (!learned) return made;
  const Index heads = x.size(1), rows = x.size(2), d = x.size(3);
  Index i = 0;
  return each_number(made, [&](float v) {
    const Index channel = i % d, head = i / (d * rows) % heads;
    ++i;
    return static_cast<float>(static_cast<double>(v) * usual.gain_of(head, channel, d) +
                              usual.bias_of(head, channel, d));
  });
}

}  // namespace

Variants norm_axis(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_normed)) return {};
  const bool learned = Tensor(norm_of(run, Stage::Q_normed).gain).defined();
  Variants variants;
  for (const auto& [axis, what] :
       {std::pair(Index{2}, "positions"), std::pair(Index{1}, "heads"), std::pair(Index{0}, "sequences")}) {
    for (const bool with_weights : {true, false}) {
      if (with_weights && !learned) continue;
      Variant& variant =
          variants.emplace_back(Variant{std::string("Queries and keys are normalised over the ") + what +
                                        " in place of each head's channels. Write x = norm(x, dim=-1)."});
      for (const auto& [stage, from] : norms) {
        variant.rules[stage] = [=, axis = axis, stage = stage, from = from](const Trace& t, const Usual&) {
          return normed_along(t[from], axis, norm_of(t, stage), with_weights);
        };
      }
    }
  }
  return variants;
}

}  // namespace headlight::mistakes
