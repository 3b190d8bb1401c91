// Inputs: the result of resolving a scenario: every tensor that the pipeline starts from, and the assumptions made. For
// each kind of source, one function reads each part; the parts are combined once.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/mask_rule.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

class TensorFile;

/// The sizes of one multi-head attention. d_head = d_model / H.
struct Dims {
  Index batch = 1, heads = 1, kv_heads = 1, n_q = 1, n_k = 1;
  Index d_query = 1, d_key = 1, d_value = 1;
  Index d_model = 1, d_head = 1, d_out = 1;
  Index groups() const { return heads / kv_heads; }  ///< query heads per key/value head
  Index size(Axis axis) const;
  bool operator==(const Dims&) const = default;
};

/// An assumption about a file that is shown to the user: {"mask", "attention_mask: true = may attend"}.
struct Assumption {
  std::string what;
  Message taken_for;
  bool operator==(const Assumption&) const = default;
};

struct NetworkRun;

inline constexpr double rms_epsilon = 1e-6;    ///< of QK-norm, as in Qwen3, Gemma 3 and OLMo 2
inline constexpr double layer_epsilon = 1e-5;  ///< torch.nn.LayerNorm's

/// The rules of the source's attention: of a file, of config.json, or of a network's layer.
struct Rules {
  // A scenario's own settings override these.
  std::optional<float> scale, softcap;
  Rope rope = Rope::none;
  float rope_base = 10000;
  std::optional<Index> rotary_dim;
  bool alibi = false;

  std::optional<MaskExpression> mask{};  ///< of a network's layer; in force if Scenario::mask is its text

  // No setting can express these.
  std::vector<double> rope_frequencies{};  ///< radians per position; the first 2·size channels of a head are rotated.
                                           ///< Empty: base^(−2j/d)
  double rope_gain = 1;                    ///< factor of cos and sin (YaRN)
  Index first_position = 0;                ///< of queries and keys, for the rotation
  QkNorm norm_kind = QkNorm::rms;          ///< of q_norm and k_norm
  Tensor q_norm, k_norm;  ///< learned weights of QK-norm: [d_head], or [heads·d_head] if norm_over_heads or if each
                          ///< head has its own
  Tensor q_norm_bias, k_norm_bias;  ///< same shapes; a LayerNorm may have none
  double qk_epsilon = rms_epsilon;
  bool norm_over_heads = false;       ///< the mean square is over all heads at once, as in OLMo 2
  Tensor sink_logits;                 ///< [H]
  Tensor to_place, from_place;        ///< [B, H, n, n]; their sum is the bias of disentangled attention (c2p, p2c)
  std::vector<Index> silent_heads{};  ///< knocked out: their head_outputs are zero
};

/// Weights and biases.
struct Parameters {
  Tensor W_q{}, W_k{}, W_v{}, W_o{};  ///< nn.Linear's [out, in]; W_o undefined: no output projection
  Tensor b_q{}, b_k{}, b_v{}, b_o{};  ///< [out], undefined: no bias
  bool packed = false;                ///< W_q, W_k, W_v are slices of one [.., in] matrix in the source
  bool random_parameters = false;     ///< drawn from the seed: the attention pattern has no meaning
};

/// The queries, keys and values.
struct Sequence {
  using Names = std::vector<std::vector<std::string>>;

  Tensor query{}, key{},
      value{};  ///< [B, n_q, d_query] [B, n_k, d_key] [B, n_k, d_value]; identical() in self-attention
  /// If the source has heads instead of inputs: [B, H, n_q, d_head] [B, G, n_k, d_head] [B, G, n_k, d_v]. All tensors
  /// above are then undefined. If V_heads is undefined, there is nothing after the weights.
  Tensor Q_heads{}, K_heads{}, V_heads{};
  Tensor weights{};  ///< [B, H, n_q, n_k] if the source has only the attention weights; then there are no heads either
  bool random_inputs = false;  ///< drawn from the seed: the attention pattern has no meaning
  /// Names of the queries and keys of each batch entry; empty if there are none. Every entry has n_q or n_k names.
  Names query_tokens{}, key_tokens{};
  /// The same as a tokenizer's convert_ids_to_tokens() spells them ("Ġthe"), where that differs from the names; empty:
  /// it does not.
  Names query_spelled{}, key_spelled{};
  std::string layer{};  ///< for a source with several attentions, the number of the chosen one

  bool self_attention() const { return identical(query, key) && identical(key, value); }
  /// The spelling of a query or key; "" if it is the name, or there is none.
  std::string spelled_along(Axis axis, Index batch, Index index) const;
  /// The name of a query or key; its number if it has no name, and for other axes.
  std::string name_along(Axis axis, Index batch, Index index) const;
};

/// Which cells are masked, and what is added to the scores.
struct Masking {
  Tensor file_mask{};  ///< 0/1, 1 = may attend, broadcastable to [B, H, n_q, n_k]; undefined: none
  /// The part of the file's mask that is a rule: causal(), doc(q) == doc(k). file() combines both.
  std::optional<MaskExpression> file_rule{};
  Tensor valid_lens{};          ///< [B] or [B, n_q]; undefined: none
  Tensor doc_ids{};             ///< [1, n] or [B, n], only if n_q = n_k: the document of each token; undefined: none
  Tensor attn_bias{};           ///< added to the scores, broadcastable to [B, H, n_q, n_k]; undefined: none
  bool guessed{};               ///< file_mask was guessed: the source gives weights alone, and no mask
  std::optional<float> fill{};  ///< the source's own fill value
  Index own_keys = 0;           ///< the last keys, which no input has (bias_k, add_zero_attn); no mask hides them
  PictureGrid grid{};           ///< for row(q) and col(q), if the tokens are patches

  bool has_file_mask() const { return file_mask.defined() || file_rule; }
};

struct Inputs : Parameters, Sequence, Masking {
  Dims dims{};
  Rules rules{};
  std::vector<Assumption> assumptions{};
  std::shared_ptr<const TensorFile> file{};  ///< if the source is a file; kept so that the next resolve can share it
  std::shared_ptr<const NetworkRun> pass{};  ///< if they are those of a network's layer: the pass that computed them,
  std::shared_ptr<const Scenario> asked{};   ///< and the user's settings, without the model's
  std::shared_ptr<const TensorFile> mask_file{};  ///< the same for Scenario::mask_file
  std::shared_ptr<const Inputs> unedited{};       ///< the inputs before CellEdits; null if there are no edits

  /// The first stage: query or, if the source starts later, Q_heads or weights.
  Stage first_stage() const {
    return weights.defined() ? Stage::weights : Q_heads.defined() ? Stage::Q_heads : Stage::query;
  }
  /// The source's tensor for a stage or parameter; undefined if that is computed, or absent.
  const Tensor& matrix(Stage stage) const;
  /// The member that stores it; null for a stage that no source provides.
  Tensor* known(Stage stage);
};

/// The pass that computed the inputs; null if they are no layer of a network.
inline const std::shared_ptr<const NetworkRun>& network_of(const Inputs& inputs) { return inputs.pass; }

/// The scenario with unset settings taken from its source's rules: the settings that the pipeline uses.
Scenario with_rules(Scenario scenario, const Rules& rules);

/// The scenario's tensors: read, sampled or made from text, with edits applied. Tensors of `last` are reused if the
/// settings that determine them are the same, so that they stay identical(). A file is read again if its size or
/// modification time has changed. Thread-safe. Throws FileError, SettingError, and Cancelled soon after a stop is
/// requested.
Inputs resolve(const Scenario& scenario, const Scenario* last_scenario = nullptr, const Inputs* last = nullptr,
               std::stop_token stop = {});

/// Whether there is a mask: an expression, one in the file, valid lengths, or painted cells.
bool has_mask(const Scenario& scenario, const Inputs& inputs);

/// The mask: the scenario's expression, else the source's rule, file() and padding() joined by &&, full() if there is
/// none; its inputs, and the painted cells. Throws ExpressionError.
MaskRule mask_rule(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
