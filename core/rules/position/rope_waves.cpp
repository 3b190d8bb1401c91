#include "core/rules/position/rope_waves.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "core/base/files/error_place.h"

namespace headlight {
namespace {

double llama3_frequency(double frequency, double factor, double low, double high, double original) {
  const double wave = 2 * std::numbers::pi / frequency;
  if (wave < original / high) return frequency;
  if (wave > original / low) return frequency / factor;
  const double smooth = (original / wave - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

}  // namespace

std::vector<double> llama3_frequencies(std::vector<double> frequencies, double factor, double low, double high,
                                       double original) {
  for (double& f : frequencies) f = llama3_frequency(f, factor, low, high, original);
  return frequencies;
}

std::vector<double> frequencies_for(const RopeWaves& rope, Index n) {
  if (rope.original == 0 || n <= rope.original) return rope.frequencies;
  if (!rope.long_frequencies.empty()) return rope.long_frequencies;
  const auto d = static_cast<double>(2 * rope.frequencies.size());
  const double f = rope.dynamic_factor,
               stretch = f * static_cast<double>(n) / static_cast<double>(rope.original) - (f - 1);
  return rope_frequencies(rope.dynamic_base * std::pow(stretch, d / (d - 2)),
                          static_cast<Index>(2 * rope.frequencies.size()));
}

std::vector<double> rope_frequencies(double base, Index rotated) {
  std::vector<double> frequencies;
  for (Index j = 0; j < rotated / 2; ++j)
    frequencies.push_back(std::pow(base, -2 * static_cast<double>(j) / static_cast<double>(rotated)));
  return frequencies;
}

RopeWaves plain_waves(double base, Index d) { return {rope_frequencies(base, d), 1, base}; }

namespace {

/// The fields of a rope_scaling, and how to report that one is wrong.
struct Scaling {
  const nlohmann::json& fields;
  const std::function<void(const Message&, const Message&)>& fail;

  double number(const char* name, double fallback) const {
    return fields.contains(name) && fields[name].is_number() ? fields[name].get<double>() : fallback;
  }
};

std::vector<double> divided_by(const Scaling& scaling, const char* name, std::vector<double> frequencies) {
  const auto found = scaling.fields.find(name);
  if (found == scaling.fields.end() || !found->is_array() || found->size() != frequencies.size()) {
    scaling.fail(Message("its rope_scaling has no {0} of {1} numbers", std::string(name), frequencies.size()),
                 "expected one for each pair of rotated channels");
  }
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const nlohmann::json& by = (*found)[j];
    if (!by.is_number() || !(by.get<double>() > 0))
      scaling.fail(Message("its {0} has {1}", std::string(name), by.dump()), "expected numbers above 0");
    frequencies[j] /= by.get<double>();
  }
  return frequencies;
}

/// LongRoPE (Ding et al. 2024): a factor for each frequency, from one list up to the original length and from another
/// one beyond it.
void scale_longrope(const Scaling& scaling, double most, double original, RopeWaves& spec) {
  spec.base = 0;
  spec.long_frequencies = divided_by(scaling, "long_factor", spec.frequencies);
  spec.frequencies = divided_by(scaling, "short_factor", spec.frequencies);
  spec.original = static_cast<Index>(original);
  const double stretch = most > original ? most / original : scaling.number("factor", 1);
  spec.gain =
      scaling.number("attention_factor", stretch <= 1 ? 1 : std::sqrt(1 + std::log(stretch) / std::log(original)));
  if (scaling.fields.contains("short_mscale"))
    spec.gain = scaling.number("short_mscale", 1);  // Phi-3.5-MoE: instead of the factor from the lengths
  if (scaling.fields.contains("long_mscale")) spec.long_gain = scaling.number("long_mscale", 1);
}

/// YaRN (Peng et al. 2023): between two numbers of turns the frequencies are blended; cos and sin grow with the factor.
void scale_yarn(const Scaling& scaling, double base, Index d, double factor, double most, RopeWaves& spec) {
  const double original = scaling.number("original_max_position_embeddings", most);
  const auto pair_of_turns = [&](double turns) {
    return static_cast<double>(d) * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  const bool whole = !scaling.fields.contains("truncate") || scaling.fields["truncate"] != false;
  double low = pair_of_turns(scaling.number("beta_fast", 32)), high = pair_of_turns(scaling.number("beta_slow", 1));
  if (whole) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(d - 1));
  if (low == high) high += 0.001;
  for (std::size_t j = 0; j < spec.frequencies.size(); ++j) {
    const double ramp = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
    spec.frequencies[j] = spec.frequencies[j] / factor * ramp + spec.frequencies[j] * (1 - ramp);
  }
  const auto growth = [&](double m) { return factor <= 1 ? 1.0 : 0.1 * m * std::log(factor) + 1; };
  const bool both = scaling.fields.contains("mscale") && scaling.fields.contains("mscale_all_dim") &&
                    scaling.number("mscale", 0) != 0 && scaling.number("mscale_all_dim", 0) != 0;
  spec.gain = scaling.number(
      "attention_factor",
      both ? growth(scaling.number("mscale", 1)) / growth(scaling.number("mscale_all_dim", 1)) : growth(1));
}

}  // namespace

RopeWaves scaled_waves(double base, Index d, const nlohmann::json& scaling, const ModelLengths& lengths,
                       const std::function<void(const Message&, const Message&)>& fail) {
  const Scaling settings{scaling, fail};
  RopeWaves spec = plain_waves(base, d);
  std::string type = "default";
  for (const char* name : {"type", "rope_type"}) {
    if (scaling.contains(name) && scaling[name].is_string()) type = scaling[name].get<std::string>();
  }
  if (type == "default") return spec;
  const double original = settings.number("original_max_position_embeddings", lengths.original.value_or(lengths.most));
  if (type == "longrope" || type == "su") {
    scale_longrope(settings, lengths.most, original, spec);
    return spec;
  }
  const double factor = settings.number("factor", 0);
  if (!(factor >= 1)) fail("its rope_scaling has no factor", "expected a number, 1 or more");
  if (type == "dynamic") {
    // Beyond the trained length the base grows with the text ("NTK-aware", transformers' dynamic).
    spec.original = static_cast<Index>(original);
    spec.dynamic_factor = factor;
    spec.dynamic_base = base;
    return spec;
  }
  spec.base = 0;
  if (type == "linear") {
    for (double& f : spec.frequencies) f /= factor;
  } else if (type == "llama3") {
    spec.frequencies = llama3_frequencies(spec.frequencies, factor, settings.number("low_freq_factor", 1),
                                          settings.number("high_freq_factor", 4),
                                          settings.number("original_max_position_embeddings", 8192));
  } else if (type == "yarn") {
    scale_yarn(settings, base, d, factor, lengths.most, spec);
  } else {
    fail(Message("its rope_scaling is of the type {0}, which is not computed here", in_quotes(type)),
         "expected default, linear, dynamic, longrope, llama3 or yarn");
  }
  return spec;
}

}  // namespace headlight
