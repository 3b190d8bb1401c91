// What stands in Inputs::file where the inputs are a layer of a network: what the model says of that layer's attention,
// and the pass that gave its input.
#pragma once

#include <memory>
#include <vector>

#include "core/scenario/inputs.h"
#include "core/scenario/tensor_file.h"

namespace headlight {

struct NetworkRun;

inline constexpr double rms_epsilon = 1e-6;    ///< of QK-norm, as in Qwen3, Gemma 3 and OLMo 2
inline constexpr double layer_epsilon = 1e-5;  ///< torch.nn.LayerNorm's

/// What a model says of its own attention that no setting of a scenario says.
struct OwnRules {
  std::vector<double>
      rope_frequencies{};    ///< radians a position; the first 2·size channels of a head turn. Empty: base^(−2j/d)
  double rope_gain = 1;      ///< times cos and sin (YaRN)
  Index first_position = 0;  ///< of queries and keys, for rotation
  QkNorm norm_kind = QkNorm::rms;  ///< of q_norm and k_norm: rms or layer
  Tensor q_norm, k_norm;  ///< QK-norm's learned weights: [d_head], or [heads·d_head] where norm_over_heads or where
                          ///< each head has its own
  Tensor q_norm_bias, k_norm_bias;  ///< as many; a LayerNorm may have none
  double qk_epsilon = rms_epsilon;
  bool norm_over_heads = false;       ///< the mean square is over all heads at once, as in OLMo 2
  Tensor sink_logits;                 ///< [H]
  std::vector<Index> silent_heads{};  ///< knocked out: their head_outputs are zero
};

class ModelLayer final : public TensorFile {
 public:
  ModelLayer(OwnRules own_rules, std::shared_ptr<const NetworkRun> of_pass,
             std::shared_ptr<const TensorFile> of_file = nullptr, std::shared_ptr<const Scenario> as_asked = nullptr)
      : own(std::move(own_rules)), pass(std::move(of_pass)), file(std::move(of_file)), asked(std::move(as_asked)) {}
  const OwnRules own;
  const std::shared_ptr<const NetworkRun>
      pass;  ///< null inside the pass itself, and of a layer that is looked at alone
  const std::shared_ptr<const TensorFile> file;  ///< that a layer alone was read from; null in networks
  const std::shared_ptr<const Scenario>
      asked;  ///< of a layer of a network: the person's own settings, without the model's
};

/// Of the model that the inputs are a layer of; without one, rules that change nothing.
const OwnRules& own_rules(const Inputs& inputs);
/// The file itself, with rules of its own or without; null where the inputs are of none.
std::shared_ptr<const TensorFile> file_under(const std::shared_ptr<const TensorFile>& file);
/// The settings that a layer of a network was asked for with; null where the inputs are of none.
std::shared_ptr<const Scenario> asked_of(const Inputs& inputs);
/// The pass that the inputs come from; null where they are no layer of a network.
std::shared_ptr<const NetworkRun> network_of(const Inputs& inputs);

}  // namespace headlight
