// A model's rotation as its config.json defines it: rope_scaling (or rope_parameters) applied to the powers of a base.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

/// Which channels form pairs: j with j + d/2 (LLaMA), or 2j with 2j + 1 (RoFormer, GPT-J).
enum class Rope : std::uint8_t { none, half, interleaved };

/// Rotation of the first 2·frequencies.size() channels of each head.
struct RopeWaves {
  std::vector<double> frequencies{};  ///< radians per position
  double gain = 1;                    ///< factor of cos and sin: YaRN's attention factor
  double base = 0;                    ///< the frequencies are its powers; 0: the frequencies are the model's own
  /// Texts longer than `original` tokens have other frequencies: longrope's long factors or, with a dynamic factor f,
  /// the powers of base · (f · n / original − (f − 1))^(d / (d − 2)) for n tokens.
  Index original = 0;
  std::vector<double> long_frequencies{};
  double long_gain = 0;  ///< the gain for such texts; 0: `gain`
  double dynamic_factor = 0, dynamic_base = 0;
};
/// The frequencies for a text of n tokens.
std::vector<double> frequencies_for(const RopeWaves& rope, Index n);

/// base^(−2j/r), j = 0 … r/2 − 1.
std::vector<double> rope_frequencies(double base, Index turned);
/// The unscaled rotation with these frequencies.
RopeWaves plain_waves(double base, Index d);
/// Scaled as in LLaMA 3.1: long waves by the factor, short ones not at all.
std::vector<double> llama3_frequencies(std::vector<double> frequencies, double factor, double low, double high,
                                       double original);

/// The lengths that a model was trained for, used if rope_scaling does not have them.
struct ModelLengths {
  double most = 2048;                ///< max_position_embeddings
  std::optional<double> original{};  ///< original_max_position_embeddings outside rope_scaling
};
/// The rotation of `d` channels as the fields of rope_scaling define it: linear, dynamic, longrope, llama3 or yarn. For
/// unknown or unsuitable values, `fail` is called with what is wrong and what was expected; it throws.
RopeWaves scaled_waves(double base, Index d, const nlohmann::json& scaling, const ModelLengths& lengths,
                       const std::function<void(const Message&, const Message&)>& fail);

}  // namespace headlight
