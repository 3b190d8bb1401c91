// Inputs: what a scenario resolves to: every tensor that the pipeline starts from, and what was assumed on the way. Its
// parts are read each by one function for each kind of source, and put together once.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/mask/evaluate.h"
#include "core/mask/mask_rule.h"
#include "core/scenario/scenario.h"
#include "core/scenario/tensor_file.h"
#include "core/stage/stage.h"
#include "core/tensor/message.h"
#include "core/tensor/tensor.h"

namespace headlight {

class TensorFile;

/// The sizes of one multi-head attention. d_head = d_model / H.
struct Dims {
  Index batch = 1, heads = 1, kv_heads = 1, n_q = 1, n_k = 1;
  Index d_query = 1, d_key = 1, d_value = 1;
  Index d_model = 1, d_head = 1, d_out = 1;
  Index groups() const { return heads / kv_heads; }  ///< query heads that share one key/value head
  Index size(Axis axis) const;
  bool operator==(const Dims&) const = default;
};

/// One thing that was taken for granted about a file, said to the person: {"mask", "attention_mask: true = may
/// attend"}.
struct Assumption {
  std::string what;
  Message taken_for;
  bool operator==(const Assumption&) const = default;
};

/// Settings that the source says of its own; a scenario's win where it has them.
struct SourceSettings {
  std::optional<float> scale, softcap;
  Rope rope = Rope::none;
  float rope_base = 10000;
  std::optional<Index> rotary_dim;
  bool alibi = false;
  bool operator==(const SourceSettings&) const = default;
};

/// What is multiplied with.
struct Parameters {
  Tensor W_q{}, W_k{}, W_v{}, W_o{};  ///< nn.Linear's [out, in]; W_o undefined: no output projection
  Tensor b_q{}, b_k{}, b_v{}, b_o{};  ///< [out], undefined: no bias
  bool packed = false;                ///< W_q, W_k, W_v are slices of one [.., in] matrix in the source
  bool random_parameters = false;     ///< drawn from the seed: what attends to what means nothing
};

/// What attends, and to what.
struct Sequence {
  using Names = std::vector<std::vector<std::string>>;

  Tensor query{}, key{},
      value{};  ///< [B, n_q, d_query] [B, n_k, d_key] [B, n_k, d_value]; identical() in self-attention
  /// Where the source knows no inputs, but the heads: [B, H, n_q, d_head] [B, G, n_k, d_head] [B, G, n_k, d_v]. V_heads
  /// undefined: nothing after the weights. All else above is undefined then.
  Tensor Q_heads{}, K_heads{}, V_heads{};
  Tensor weights{};            ///< [B, H, n_q, n_k] where the source knows the attention alone; no heads then either
  bool random_inputs = false;  ///< drawn from the seed: what attends to what means nothing
  /// Names of the queries and keys of each batch entry; empty where there are none. All entries have n_q / n_k names.
  Names query_tokens{}, key_tokens{};
  std::string layer{};  ///< of a source with the attention of several: the number of the one that was taken

  bool self_attention() const { return identical(query, key) && identical(key, value); }
  /// The name of a query or key; its number if it has none, and along other axes.
  std::string name_along(Axis axis, Index batch, Index index) const;
};

/// Which of them may, and what is added to their scores.
struct Masking {
  Tensor file_mask{};  ///< 0/1, 1 = may attend, broadcastable to [B, H, n_q, n_k]; undefined: none
  /// What the file's mask says besides, in the mask language: "causal()", "doc(q) == doc(k)"; "": nothing. file() is
  /// both.
  std::string file_rule{};
  Tensor valid_lens{};  ///< [B] or [B, n_q]; undefined: none
  Tensor doc_ids{};  ///< [1, n] or [B, n], of as many queries as keys: which document each token belongs to; undefined:
                     ///< none
  Tensor bias{};     ///< additive, broadcastable to [B, H, n_q, n_k]; undefined: none
  std::optional<float> fill{};  ///< the source's own fill value
  PictureGrid grid{};           ///< of row(q) and col(q), where the tokens are patches

  bool has_file_mask() const { return file_mask.defined() || !file_rule.empty(); }
};

struct Inputs : Parameters, Sequence, Masking {
  Dims dims{};
  SourceSettings says{};  ///< the source's own scale and the like
  std::vector<Assumption> assumptions{};
  std::shared_ptr<const TensorFile> file{};  ///< where the source is a file; kept so that the next resolve can share it
  std::shared_ptr<const TensorFile> mask_file{};  ///< the same for Scenario::mask_file
  std::shared_ptr<const Inputs> unedited{};       ///< the same before CellEdits; null where there are none

  /// The first of the stages: query, or where the source begins later Q_heads or weights.
  Stage first_stage() const {
    return weights.defined() ? Stage::weights : Q_heads.defined() ? Stage::Q_heads : Stage::query;
  }
  /// What the source knows of a stage or parameter; undefined where that is computed, or absent.
  const Tensor& matrix(Stage stage) const;
  /// Where it is kept; null for a stage that no source knows.
  Tensor* known(Stage stage);
};

/// The scenario with what its source says where it says nothing itself: what the pipeline computes by.
Scenario with_source_settings(Scenario scenario, const SourceSettings& says);

/// The scenario's tensors: opened, sampled or made from text, edits applied. Asks `last` for tensors whose
/// determining settings did not change, so that they stay identical(). Throws FileError or SettingError.
/// Thread-safe. A file is read again when its size or time of change differs from when it was last read. Throws
/// Cancelled soon after it was asked to stop.
Inputs resolve(const Scenario& scenario, const Scenario* last_scenario = nullptr, const Inputs* last = nullptr,
               std::stop_token stop = {});

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

/// Whether there is a mask: an expression, one in the file, valid lengths, or painted cells.
bool has_mask(const Scenario& scenario, const Inputs& inputs);

/// The expression without painted cells: the scenario's, else the source's rule, "file()" and "padding()" joined by &&;
/// "full()" if there is none.
std::string expression_in_force(const Scenario& scenario, const Inputs& inputs);

/// That expression with its inputs and the painted cells. Throws ExpressionError.
MaskRule mask_rule(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
