// RoPE with another number or rule.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/projection.h"
#include "core/compute/run/stage_steps.h"
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

namespace {

constexpr double usual_bases[] = {10000, 500000, 1e6, 1e5, 1000, 100, 50000, 160000, 2.5e5, 1e7, 5e6};

std::function<void(Rotation&)> with_base(double base) {
  return [base](Rotation& rotation) { rotation.frequencies = rope_frequencies(base, rotation.turned()); };
}

/// Another base for the queries or the keys alone.
void add_base_of_one_side(double now, Variants& variants) {
  for (const Side side : {Side::queries, Side::keys}) {
    for (const double base : usual_bases) {
      if (base == now) continue;
      variants.push_back({.explanation = "RoPE's base" + std::string(of_side(side)) +
                                         " alone is another one: your code has " + digits(base) + ", this model " +
                                         digits(now) + " for both. Write base = " + digits(now) +
                                         "  # yours: " + digits(base) + ".",
                          .rules = rotated_by(with_base(base), side),
                          .rare = true,
                          .yours = digits(base),
                          .here = digits(now)});
    }
  }
}

}  // namespace

Variants rope_base(const Suspect& suspect) {
  if (!rotates(suspect) || !suspect.run.inputs.rules.rope_frequencies.empty()) return {};
  const auto now = static_cast<double>(suspect.run.scenario.rope_base);
  const auto with = [](double base) { return Variant{.explanation = {}, .rules = rotated_by(with_base(base))}; };
  const auto words = [now](const std::string& yours) {
    return "RoPE's base is another one: your code has " + yours + ", this model " + digits(now) +
           ". Write base = " + digits(now) + "  # yours: " + yours + ".";
  };
  Variants variants = fitted(suspect, {.now = now,
                                       .low = 2,
                                       .high = 1e9,
                                       .usual = {std::begin(usual_bases), std::end(usual_bases)},
                                       .with = with,
                                       .words = words});
  add_base_of_one_side(now, variants);
  return variants;
}

namespace {

std::string write_positions(Index first) {
  const std::string from = std::to_string(first);
  return "Write q_positions = torch.arange(" + from + ", " + from + " + n_q); k_positions = torch.arange(n_k).";
}

/// All queries, or all keys, at one position: a decoder's step of one word, applied to many.
void add_one_position(const Suspect& suspect, Variants& variants) {
  const Dims& d = suspect.run.dims();
  const Index first = suspect.run.query_offset;
  if (d.n_q < 2) return;
  std::set<Index> positions{d.n_k - 1, d.n_k, d.n_q, first, first + d.n_q - 1};
  positions.erase(0);  // nothing is turned there: the step is missing
  for (const Side side : {Side::queries, Side::keys}) {
    const auto [stage, from] = side == Side::queries ? std::pair(Stage::Q_rotated, Stage::Q_normed)
                                                     : std::pair(Stage::K_rotated, Stage::K_normed);
    for (const Index position : positions) {
      Variant& variant = variants.emplace_back();
      variant.explanation = std::string(side == Side::queries ? "All queries" : "All keys") +
                            " are rotated as at position " + std::to_string(position) + ". " + write_positions(first);
      variant.rules[stage] = [stage = stage, from = from, position](const Trace& t, const Usual&) {
        const Tensor heads = t[*t.standing_for(from)].contiguous();
        Rotation rotation = rotation_of(t, stage);
        rotation.first_position = position;
        const Tensor one_row_each = heads.view({heads.size(0), heads.size(1) * heads.size(2), 1, heads.size(3)});
        return rotate(one_row_each, rotation).contiguous().view(heads.shape());
      };
    }
  }
}

}  // namespace

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
      variants.push_back({.explanation = where + why + write_positions(first),
                          .rules = rotated_by([by](Rotation& rotation) { rotation.first_position += by; }, side)});
      variants.back().harmless = side == Side::both;
    }
  }
  add_one_position(suspect, variants);
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
    for (Variant* variant : {&variants.back(), &variants.back() - 1})
      variant->yours = std::to_string(turned), variant->here = std::to_string(now);
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
    variants.push_back({.explanation = "The rotary embedding turns the " + whose +
                                       " the other way: the sign of sin is wrong, or cos and sin have changed places. "
                                       "Write torch.cat((x1 * cos - x2 * sin, "
                                       "x1 * sin + x2 * cos), -1).",
                        .rules = rotated_by(turned_back, side)});
  }
  return variants;
}

namespace {

constexpr std::array<std::pair<Stage, Stage>, 2> rotations{
    {{Stage::Q_rotated, Stage::Q_normed}, {Stage::K_rotated, Stage::K_normed}}};

/// Each pair (a, b) as (a cos θ + b sin θ, a sin θ + b cos θ): rotate_half without its minus.
Tensor turned_without_minus(const Tensor& heads, Rotation rotation) {
  const Tensor once = rotate(heads, rotation);
  std::vector<double> back = rotation.frequencies;
  for (double& each : back) each = -each;
  rotation.frequencies = back;
  const Tensor other = rotate(heads, rotation);
  std::size_t at = 0;
  const auto d = static_cast<std::size_t>(heads.size(3)), turned = static_cast<std::size_t>(rotation.turned());
  return each_number(once, [&](float v) {
    const std::size_t i = at % d;
    const bool first = i < turned && rotation.pair_of(static_cast<Index>(i)).first == static_cast<Index>(i);
    const float mirrored = other.values()[at++];  // a cos θ + b sin θ in the place of the first
    return first ? mirrored : v;
  });
}

/// The pairs of this rotation, but each channel by the angle that it would have in the other pairing.
Tensor turned_with_mixed_angles(const Tensor& heads, const Rotation& rotation) {
  const Tensor packed = heads.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  const Index rows = heads.size(2), d = heads.size(3), turned = rotation.turned();
  for (Index at = 0; at < heads.count(); at += d) {
    const auto x = packed.values().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(d));
    for (Index i = 0; i < turned; ++i) {
      const RotaryPair pair = rotation.pair_of(i);
      const Index other = pair.first == i ? pair.second : pair.first;
      const double sign = pair.first == i ? -1 : 1;
      const double angle = rotation.angle(at / d % rows, rotation.pairing == Rope::half ? i / 2 : i % (turned / 2));
      values[static_cast<std::size_t>(at + i)] =
          static_cast<float>(static_cast<double>(x[static_cast<std::size_t>(i)]) * std::cos(angle) +
                             sign * static_cast<double>(x[static_cast<std::size_t>(other)]) * std::sin(angle));
    }
  }
  return Tensor(heads.shape(), std::move(values));
}

}  // namespace

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
  if (turned < static_cast<double>(run.dims().d_head))
    variants.push_back({.explanation = "The frequencies are made for a whole head's width, where RoPE has that of the "
                                       "rotated channels." +
                                       write,
                        .rules = rotated_by(powers(static_cast<double>(run.dims().d_head) / 2))});
  Variant& twice = variants.emplace_back(Variant{
      "The rotary embedding is applied twice. Write q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)."});
  for (const Stage stage : {Stage::Q_rotated, Stage::K_rotated})
    twice.rules[stage] = [stage](const Trace& t, const Usual& usual) { return rotate(usual(), rotation_of(t, stage)); };
  Variant& plus = variants.emplace_back(
      Variant{"The rotary embedding has no minus: both channels of a pair are added to each other, so that lengths "
              "change. Write torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), -1)."});
  for (const auto& [stage, from] : rotations) {
    plus.rules[stage] = [stage = stage, from = from](const Trace& t, const Usual&) {
      return turned_without_minus(t[*t.standing_for(from)], rotation_of(t, stage));
    };
  }
  Variant& mixed = variants.emplace_back(Variant{
      run.scenario.rope == Rope::half
          ? "The angles belong to neighbouring channels (freqs.repeat_interleave(2)), but the halves are turned. "
            "Write emb = torch.cat((freqs, freqs), -1)."
          : "The angles belong to the two halves (torch.cat((freqs, freqs))), but neighbouring channels are "
            "turned. Write emb = freqs.repeat_interleave(2, -1)."});
  for (const auto& [stage, from] : rotations) {
    mixed.rules[stage] = [stage = stage, from = from](const Trace& t, const Usual&) {
      return turned_with_mixed_angles(t[*t.standing_for(from)], rotation_of(t, stage));
    };
  }
  if (run.dims().heads > 1 && turned == static_cast<double>(run.dims().d_head)) {
    Variant& whole = variants.emplace_back(
        Variant{"The whole width is rotated before it is split into heads, so that a head does not have all "
                "frequencies. Write q = apply_rotary(q.view(B, n, H, d_head).transpose(1, 2))."});
    for (const auto& [stage, from] : rotations) {
      whole.rules[stage] = [stage = stage, from = from, base](const Trace& t, const Usual&) {
        const Tensor& heads = t[*t.standing_for(from)];
        const Tensor merged = merge_heads(heads);
        const Index batch = merged.size(0), rows = merged.size(1), width = merged.size(2);
        Rotation rotation = rotation_of(t, stage);
        rotation.frequencies = rope_frequencies(base, width);
        const Tensor rotated = rotate(merged.view({batch, 1, rows, width}), rotation).contiguous();
        return split_heads(rotated.view({batch, rows, width}), heads.size(1)).contiguous();
      };
    }
  }
  Variant& along_heads = variants.emplace_back(
      Variant{"The positions are counted along the heads: the rotary embedding takes [B, n, H, d] here. Write q = "
              "apply_rotary(q.transpose(1, 2)).transpose(1, 2)."});
  for (const auto& [stage, from] : rotations) {
    along_heads.rules[stage] = [stage = stage, from = from](const Trace& t, const Usual&) {
      const Tensor turned_axes = t[*t.standing_for(from)].transpose(1, 2).contiguous();
      return rotate(turned_axes, rotation_of(t, stage)).transpose(1, 2).contiguous();
    };
  }
  return variants;
}

}  // namespace headlight::mistakes
