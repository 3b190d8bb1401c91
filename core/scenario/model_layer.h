// The content of Inputs::file for a layer of a network: what the model says of that layer's attention, and the pass
// that computed its input.
#pragma once

#include <memory>
#include <vector>

#include "core/scenario/inputs.h"
#include "core/scenario/tensor_file.h"

namespace headlight {

struct NetworkRun;

inline constexpr double rms_epsilon = 1e-6;    ///< of QK-norm, as in Qwen3, Gemma 3 and OLMo 2
inline constexpr double layer_epsilon = 1e-5;  ///< torch.nn.LayerNorm's

/// What a model says of its attention that no setting of a scenario can express.
struct OwnRules {
  std::vector<double> rope_frequencies{};  ///< radians per position; the first 2·size channels of a head are rotated.
                                           ///< Empty: base^(−2j/d)
  double rope_gain = 1;                    ///< factor of cos and sin (YaRN)
  Index first_position = 0;                ///< of queries and keys, for rotation
  QkNorm norm_kind = QkNorm::rms;          ///< of q_norm and k_norm
  Tensor q_norm, k_norm;  ///< QK-norm's learned weights: [d_head], or [heads·d_head] where norm_over_heads or where
                          ///< each head has its own
  Tensor q_norm_bias, k_norm_bias;  ///< as many; a LayerNorm may have none
  double qk_epsilon = rms_epsilon;
  bool norm_over_heads = false;       ///< the mean square is over all heads at once, as in OLMo 2
  Tensor sink_logits;                 ///< [H]
  Tensor to_place, from_place;        ///< [B, H, n, n] whose sum is the bias of disentangled attention (c2p, p2c)
  std::vector<Index> silent_heads{};  ///< knocked out: their head_outputs are zero
};

class ModelLayer final : public TensorFile {
 public:
  ModelLayer(OwnRules own_rules, std::shared_ptr<const NetworkRun> of_pass,
             std::shared_ptr<const TensorFile> of_file = nullptr, std::shared_ptr<const Scenario> as_asked = nullptr)
      : own(std::move(own_rules)), pass(std::move(of_pass)), file(std::move(of_file)), asked(std::move(as_asked)) {}
  const OwnRules own;
  const std::shared_ptr<const NetworkRun> pass;  ///< null within the pass itself, and for a single layer
  const std::shared_ptr<const TensorFile> file;  ///< the file of a single layer; null in networks
  const std::shared_ptr<const Scenario> asked;   ///< for a layer of a network: the user's settings, without the model's
};

/// For the model of these inputs; without one, rules that change nothing.
const OwnRules& own_rules(const Inputs& inputs);
/// The file, with or without rules of its own; null if there is none.
std::shared_ptr<const TensorFile> file_under(const std::shared_ptr<const TensorFile>& file);
/// The user's settings for a layer of a network; null if the inputs are no such layer.
std::shared_ptr<const Scenario> asked_of(const Inputs& inputs);
/// The pass that computed the inputs; null if they are no layer of a network.
std::shared_ptr<const NetworkRun> network_of(const Inputs& inputs);

}  // namespace headlight
