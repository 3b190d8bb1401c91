// Decoders built like LLaMA: rotary positions, grouped heads, a norm for each part, under Hugging Face's names.
#pragma once

#include "core/models/architecture/network_builder.h"

namespace headlight {

/// How one member of the family differs from LLaMA, whose values are the defaults.
struct LlamaFlavour {
  bool tied = false;
  NormKind norm = NormKind::rms;
  bool gains = true;                ///< norms have weights (not in OLMo)
  Bias norm_bias = Bias::expected;  ///< of LayerNorms (where_there in Cohere)
  bool plus_one = false;            ///< the gain of a norm is its weight + 1 (Gemma)
  double epsilon = 1e-6;
  /// Where the norms of attention and MLP stand: before them; after them, before the sum (OLMo 2); both (Gemma 2, and
  /// under other names GLM 4).
  enum class Norms { before, after, around, around_glm } norms = Norms::before;
  bool parallel = false;  ///< attention and MLP side by side, from one norm (Phi, Cohere)
  /// unit: without weights, of the layers that are rotated (Llama 4).
  /// each: an array for each head (StableLM 2).
  enum class QkNorms { none, per_head, whole, unit, each } qk_norms = QkNorms::none;
  bool latent = false;  ///< multi-head latent attention (DeepSeek)

  double base = 10000;
  double rotated_share = 1;  ///< share of a head's channels
  Rope pairing = Rope::half;
  bool backwards = false;                      ///< heads turn the other way round (nanochat)
  Index usual_window = 0, window_pattern = 0;  ///< without the fields; of so many layers the last one sees all keys
  bool window_by_field = false;                ///< sliding_window alone says that there is a window (Mixtral, Phi 3)
  bool window_by_flag = false;    ///< use_sliding_window switches the window on, from max_window_layers on (Qwen)
  bool window_unrotated = false;  ///< only unrotated layers have a window (SmolLM 3)
  bool window_rotated = false;    ///< only layers with a window are rotated (Cohere 2)
  bool window_plain = false;      ///< rope_scaling holds only in layers without a window (OLMo 3)
  Index unrotated_every = 0;      ///< default: of each so many layers the last is not rotated
  bool chunks = false;            ///< in rotated layers a query sees only its own chunk (Llama 4)
  bool sinks = false;

  const char* bias = "attention_bias";  ///< the field that says whether projections have biases; "": the file shows it
  bool always_bias = false;             ///< queries, keys and values always have biases, whatever config.json says
  bool output_bias = true;              ///< that field covers the output projection, too
  const char *tokens = "embed_tokens.weight", *blocks = "layers.", *attention = "self_attn";
  std::array<const char*, 4> linears{"q_proj", "k_proj", "v_proj", "o_proj"};
  MlpNames mlp{"mlp.up_proj", "mlp.down_proj", "mlp.gate_proj"};
  const char* final_norm = "norm";
  const char* activation = "silu";
  enum class Experts { none, mixtral, qwen, granite, gpt_oss, deepseek, llama4 } experts = Experts::none;

  bool embedding_norm = false;
  double softcap = 0;        ///< of logits, without the field; 0: none
  bool root_scale = false;   ///< embeddings times √d (Gemma)
  bool multipliers = false;  ///< factors of the embedding and of what a block adds (Granite)
  double logit_scale = 0;    ///< default of logit_scale, a factor of the logits; 0: none (Cohere)
};

/// The MLPs of one member: one for each layer, or experts chosen by a router (llama_mlp.cpp).
class LlamaMlps {
 public:
  LlamaMlps(const NetworkBuilder& builder, const LlamaFlavour& flavour, const BlockLayout& layout)
      : b_(builder), c_(builder.config), flavour_(flavour), layout_(layout), d_(layout.d), inner_(layout.inner) {}
  /// Adds layer i's, whose arrays begin with `at`, "layers.3.".
  void add(BlockSpec& block, const std::string& at, Index i) const;

 private:
  bool has_experts(Index layer) const;
  MixtureSpec mixture(const std::string& at) const;
  LinearSpec shared_gate(const std::string& name) const;
  void choose(MixtureSpec& mixture, const std::string& router, Index count) const;
  MlpSpec expert(const std::string& at, Index expert, Index count) const;
  MlpSpec stacked_expert(const std::string& at, Index width, Index expert, Index count) const;
  MlpSpec expert_of_granite(const std::string& at, Index expert, Index count) const;
  MlpSpec expert_of_gpt_oss(const std::string& at, Index expert, Index count) const;
  MlpSpec expert_of_llama4(const std::string& at, Index expert, Index count) const;
  LinearSpec one_of(const std::string& name, const std::string& bias, Index expert, Shape shape,
                    WeightLayout layout) const;

  const NetworkBuilder& b_;
  const Config& c_;
  const LlamaFlavour& flavour_;
  const BlockLayout& layout_;
  Index d_ = 0, inner_ = 0;
};

/// DeepSeek's latent attention on d channels, whose arrays begin with `at`: all but the output projection.
void add_latent_attention(const NetworkBuilder& b, const std::string& at, Index d, AttentionSpec& attention);

void build_llama_family(NetworkBuilder& b, const LlamaFlavour& flavour);

}  // namespace headlight
