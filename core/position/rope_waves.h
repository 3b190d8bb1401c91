// A model's rotation as its config.json has it: rope_scaling (or rope_parameters) over the powers of a base.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/tensor/message.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// How the rotated channels pair: j with j + d/2 (LLaMA), or 2j with 2j + 1 (RoFormer, GPT-J).
enum class Rope : std::uint8_t { none, half, interleaved };

/// Rotation of the first 2·frequencies.size() channels of each head.
struct RopeWaves {
  std::vector<double> frequencies{};  ///< radians a position
  double gain = 1;                    ///< times cos and sin, YaRN's attention factor
  double base = 0;                    ///< of which the frequencies are the powers; 0: they are the model's own
  /// Of texts longer than `original` tokens, where they have frequencies of their own: longrope's long factors, or with
  /// a dynamic factor f of base · (f · n / original − (f − 1))^(d / (d − 2)) for n tokens.
  Index original = 0;
  std::vector<double> long_frequencies{};
  double long_gain = 0;  ///< of such texts; 0: as `gain`
  double dynamic_factor = 0, dynamic_base = 0;
};
/// The frequencies for a text of n tokens.
std::vector<double> frequencies_for(const RopeWaves& rope, Index n);

/// base^(−2j/r), j = 0 … r/2 − 1.
std::vector<double> rope_frequencies(double base, Index turned);
/// The same, nothing scaled.
RopeWaves plain_waves(double base, Index d);
/// Stretched as LLaMA 3.1's: long waves by the factor, short ones not.
std::vector<double> llama3_frequencies(std::vector<double> frequencies, double factor, double low, double high,
                                       double original);

/// Positions that a model was made for, where rope_scaling does not say.
struct ModelLengths {
  double most = 2048;                ///< max_position_embeddings
  std::optional<double> original{};  ///< original_max_position_embeddings beside it
};
/// Of `d` rotated channels, by the fields of rope_scaling: linear, dynamic, longrope, llama3 or yarn. `fail` throws
/// with what is wrong and what was expected, for what is not known or does not fit.
RopeWaves scaled_waves(double base, Index d, const nlohmann::json& scaling, const ModelLengths& lengths,
                       const std::function<void(const Message&, const Message&)>& fail);

}  // namespace headlight
