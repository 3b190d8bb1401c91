// RoPE with a changed formula: the pairing of one side, scaled positions, other frequencies, cos and sin exchanged,
// other channels.

#include <array>
#include <cmath>
#include <optional>

#include "core/base/text/number_text.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {
namespace {

constexpr Stage both_rotated[] = {Stage::Q_rotated, Stage::K_rotated};

/// The queries or keys that RoPE rotates.
const Tensor& before_rotation(const Trace& t, Stage rotated) {
  return t[*t.standing_for(rotated == Stage::Q_rotated ? Stage::Q_normed : Stage::K_normed)];
}

const char* sides_name(Stage rotated) { return rotated == Stage::Q_rotated ? "queries" : "keys"; }

using TurnedNumber = double (*)(double own, double other, double cos, double sin);

/// Each channel of a pair made of its own number in `heads`, that of the other one in `others`, −b for a and a for b,
/// and the angle.
Tensor turned_by(const Tensor& heads, const Tensor& others, const Rotation& rotation, TurnedNumber turned) {
  const Tensor own = heads.contiguous(), from = others.contiguous();
  Buffer values(own.values().begin(), own.values().end());
  const Index rows = heads.size(2), d = heads.size(3), pairs = rotation.turned() / 2;
  std::vector<std::pair<double, double>> turns;  // cos and sin, [rows, pairs]
  for (Index row = 0; row < rows; ++row) {
    for (Index j = 0; j < pairs; ++j) {
      const double angle = rotation.angle(row, j);
      turns.emplace_back(rotation.gain * std::cos(angle), rotation.gain * std::sin(angle));
    }
  }
  for (Index at = 0; at < heads.count(); at += d) {
    for (Index i = 0; i < 2 * pairs; ++i) {
      const RotaryPair pair = rotation.pair_of(i);
      const bool first = pair.first == i;
      const auto [cos, sin] = turns[static_cast<std::size_t>(at / d % rows * pairs + pair.index)];
      const auto number = [at](const Tensor& x, Index channel) {
        return static_cast<double>(x.values()[static_cast<std::size_t>(at + channel)]);
      };
      const double other = number(from, first ? pair.second : pair.first);
      values[static_cast<std::size_t>(at + i)] =
          static_cast<float>(turned(number(own, i), first ? -other : other, cos, sin));
    }
  }
  return Tensor(heads.shape(), std::move(values));
}

Variant rotated_with(const std::string& what, const std::function<void(Rotation&)>& change) {
  Variant variant{what};
  for (const Stage stage : both_rotated) {
    variant.rules[stage] = [stage, change](const Trace& t, const Usual&) {
      Rotation rotation = rotation_of(t, stage);
      change(rotation);
      return rotate(before_rotation(t, stage), rotation);
    };
  }
  return variant;
}

std::function<void(Rotation&)> times_frequencies(double factor) {
  return [factor](Rotation& rotation) {
    std::vector<double> frequencies = rotation.frequencies;
    for (double& each : frequencies) each *= factor;
    rotation.frequencies = frequencies;
  };
}

}  // namespace

Variants rope_pairing_of_one(const Suspect& suspect) {
  if (!suspect.run.has(Stage::Q_rotated)) return {};
  const bool half = suspect.run.scenario.rope == Rope::half;
  Variants variants;
  for (const Stage stage : both_rotated) {
    Variant& variant = variants.emplace_back(
        Variant{std::string("The rotary embedding of the ") + sides_name(stage) + " alone turns " +
                (half ? "neighbouring channels (2j, 2j + 1) where this model pairs the two halves (j, j + d_head/2)"
                      : "the two halves (j, j + d_head/2) where this model pairs neighbouring channels (2j, 2j + 1)") +
                ", as where only one of q_proj and k_proj was permuted. Write q, k = apply_rotary(q, cos, sin), "
                "apply_rotary(k, cos, sin)."});
    variant.rules[stage] = [stage, half](const Trace& t, const Usual&) {
      Rotation rotation = rotation_of(t, stage);
      rotation.pairing = half ? Rope::interleaved : Rope::half;
      return rotate(before_rotation(t, stage), rotation);
    };
  }
  return variants;
}

Variants rope_positions_scaled(const Suspect& suspect) {
  if (!suspect.run.has(Stage::Q_rotated)) return {};
  Variants variants;
  const Rotation now = rotation_of(suspect.run, Stage::Q_rotated);
  const auto base = static_cast<double>(suspect.run.scenario.rope_base);
  if (suspect.run.inputs.rules.rope_frequencies.empty()) {
    const double first = std::pow(base, -2.0 / static_cast<double>(now.turned()));
    variants.push_back(rotated_with(
        "The frequencies begin at base^(−2/d) where RoPE's first is 1: the range begins at 2 in place of 0. Write "
        "inv_freq = base ** (-torch.arange(0, d, 2) / d).",
        times_frequencies(first)));
  }
  const auto words = [](const std::string& yours) {
    return "The positions are multiplied by " + yours +
           " for the rotary embedding, as position interpolation does; this model takes them as they are. Write angles "
           "= positions[:, None] * inv_freq  # yours: " +
           yours + " * positions.";
  };
  const std::vector<double> usual{0.5, 0.25, 0.125, 0.0625, 0.03125, 2, 4, 8, 16, 32};
  const auto with = [](double factor) { return rotated_with({}, times_frequencies(factor)); };
  Variants others;
  if (scores_of(suspect.run) <= scores_to_search_in) {
    others = fitted(suspect, {.now = 1, .low = 1.0 / 64, .high = 64, .usual = usual, .with = with, .words = words});
  } else {
    for (const double factor : usual) {
      others.push_back(with(factor));
      others.back().explanation = words(formatted("%.5g", factor));
    }
  }
  for (Variant& variant : others) variant.rare = true;
  append(variants, std::move(others));
  return variants;
}

Variants rope_angles(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_rotated)) return {};
  const std::string write = " Write torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), -1).";
  Variants variants;
  const auto add = [&](const std::string& what, TurnedNumber turned) {
    Variant& variant = variants.emplace_back(Variant{what + write});
    variant.rare = true;
    for (const Stage stage : both_rotated) {
      variant.rules[stage] = [stage, turned](const Trace& t, const Usual&) {
        const Tensor& heads = before_rotation(t, stage);
        return turned_by(heads, heads, rotation_of(t, stage), turned);
      };
    }
  };
  add("cos and sin have changed places in the rotary embedding.",
      [](double own, double other, double cos, double sin) { return own * sin + other * cos; });
  add("The rotary embedding multiplies both parts by cos.",
      [](double own, double other, double cos, double) { return (own + other) * cos; });
  add("The rotary embedding multiplies both parts by sin.",
      [](double own, double other, double, double sin) { return (own + other) * sin; });
  add("The rotary embedding is x * cos alone; its other part, rotate_half(x) * sin, is left out.",
      [](double own, double, double cos, double) { return own * cos; });
  add("The rotary embedding subtracts rotate_half of the other sign: x * cos - rotate_half(x) * sin.",
      [](double own, double other, double cos, double sin) { return own * cos - other * sin; });
  const bool alike = before_rotation(run, Stage::Q_rotated).shape() == before_rotation(run, Stage::K_rotated).shape();
  for (const Stage stage : both_rotated) {
    if (!alike) break;
    const Stage from = stage == Stage::K_rotated ? Stage::Q_rotated : Stage::K_rotated;
    const std::string own = stage == Stage::K_rotated ? "k" : "q", other = stage == Stage::K_rotated ? "q" : "k";
    Variant& variant = variants.emplace_back(Variant{
        std::string("The ") + sides_name(stage) + " are rotated with a part of the " + sides_name(from) + ": " + own +
        " * cos + rotate_half(" + other + ") * sin. Write " + own + " * cos + rotate_half(" + own + ") * sin."});
    variant.rules[stage] = [stage, from](const Trace& t, const Usual&) {
      return turned_by(before_rotation(t, stage), before_rotation(t, from), rotation_of(t, stage),
                       [](double x, double y, double cos, double sin) { return x * cos + y * sin; });
    };
  }
  return variants;
}

namespace {

/// The last channels of each head rotated in place of the first ones.
Tensor last_channels_rotated(const Tensor& heads, const Rotation& rotation) {
  const Index d = heads.size(3), turned = rotation.turned();
  const Tensor packed = heads.contiguous();
  const Tensor last = rotate(heads.slice(3, d - turned, turned).contiguous(), rotation).contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  for (Index row = 0; row < heads.count() / d; ++row) {
    const auto from = last.values().begin() + row * turned;
    std::copy(from, from + turned, values.begin() + (row + 1) * d - turned);
  }
  return Tensor(heads.shape(), std::move(values));
}

/// The frequencies that the user's rotated queries or keys show between their first two positions.
std::optional<std::vector<double>> frequencies_seen(const Suspect& suspect) {
  for (const Stage stage : both_rotated) {
    const OwnStage* own = suspect.own.find(stage);
    const Tensor before = before_rotation(suspect.run, stage).contiguous();
    if (!own || !own->fits || own->values.shape() != before.shape() || before.size(2) < 2) continue;
    const Tensor after = own->values.contiguous();
    const Rotation rotation = rotation_of(suspect.run, stage);
    std::vector<double> frequencies;
    for (Index j = 0; j < rotation.turned() / 2; ++j) {
      const auto [a, b, index] = rotation.pair(j);
      const auto angle_in = [&, a = a, b = b](Index row) {
        const auto at = [row](const Tensor& x, Index channel) {
          return static_cast<double>(x.at({0, 0, row, channel}));
        };
        const double x = at(before, a), y = at(before, b), u = at(after, a), v = at(after, b);
        return std::atan2(x * v - y * u, x * u + y * v);
      };
      frequencies.push_back(std::remainder(angle_in(1) - angle_in(0), 2 * std::acos(-1.0)));
    }
    return frequencies;
  }
  return {};
}

}  // namespace

Variants rope_channels(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::Q_rotated)) return {};
  const Rotation now = rotation_of(run, Stage::Q_rotated);
  const Index d = run.dims().d_head, turned = now.turned();
  const std::string first = "the first " + std::to_string(turned) + " channels of a head";
  Variants variants;
  if (turned < d) {
    Variant& last =
        variants.emplace_back(Variant{"The rotary embedding turns the last channels of a head; this model "
                                      "turns " +
                                      first + ". Write x_rot, x_pass = x[..., :" + std::to_string(turned) +
                                      "], x[..., " + std::to_string(turned) + ":]."});
    for (const Stage stage : both_rotated) {
      last.rules[stage] = [stage](const Trace& t, const Usual&) {
        return last_channels_rotated(before_rotation(t, stage), rotation_of(t, stage));
      };
    }
  }
  if (const std::optional<std::vector<double>> seen = frequencies_seen(suspect)) {
    const std::vector<double>& right = now.frequencies;
    Variant& other = variants.emplace_back(rotated_with("RoPE's frequencies are others: yours are " + listed(*seen) +
                                                            "; this model's are " + listed(right) +
                                                            ". Write inv_freq = base ** (-torch.arange(0, d, 2) / d).",
                                                        [seen](Rotation& rotation) { rotation.frequencies = *seen; }));
    other.yours = listed(*seen), other.here = listed(right);
    other.rare = true;
  }
  return variants;
}

}  // namespace headlight::mistakes
