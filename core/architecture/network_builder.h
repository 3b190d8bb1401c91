// NetworkBuilder: the tools of a builder function in the table of architectures: the config, the checkpoint, and the
// spec to fill.
#pragma once

#include <cmath>

#include "core/architecture/architectures.h"
#include "core/tensor/message.h"

namespace headlight {

/// The rotation by base^(−2j/d), j < d/2.
RopeSpec plain_rope(Rope pairing, double base, Index d);

class NetworkBuilder {
 public:
  /// With `layer`, for that layer alone: other arrays may be missing; only what its attention needs is checked.
  NetworkBuilder(const Config& given_config, const Checkpoint& given_file, const LayerAlone* given_layer = nullptr)
      : config(given_config), file(given_file), layer(given_layer) {}

  const Config& config;
  const Checkpoint& file;
  const LayerAlone* layer;  ///< null for a whole network
  NetworkSpec network;
  std::string prefix;  ///< of all names, with its dot

  bool whole() const { return layer == nullptr; }
  /// Sets `prefix` so that an array prefix + one of `endings` exists. Throws FileError if there is none. A single layer
  /// keeps its own prefix.
  void find_prefix(std::initializer_list<std::string> endings);
  /// As Config::refuse_unless, for a field that does not change attention: a single layer ignores it.
  void refuse_unless(std::string_view name, const nlohmann::json& harmless) const;
  bool has(const std::string& name) const { return file.has(prefix + name); }
  /// prefix + the first of the names that is there. Throws FileError where none is, saying what for.
  std::string any_of(std::initializer_list<std::string> names, const Message& what) const;

  /// Throws FileError where the array is missing, quantised, or of another shape, unless a layer is built alone. `why`
  /// tells where the shape is from.
  std::string array(const std::string& name, const Shape& shape, const Message& why) const;
  /// The next block of a stack, whose tensors' names begin with `at`, "h.3.": it is called so, without the dot.
  BlockSpec& begin_block(StackSpec& stack, std::string_view at) const;
  /// name.weight [out, in] (or [in, out]), and name.bias if it exists or `bias` demands it.
  enum class Bias { where_there, none, needed };
  LinearSpec linear(const std::string& name, Index out, Index in, Bias bias = Bias::where_there,
                    bool in_out = false) const;
  /// name.weight [d] (or gamma) and, for a LayerNorm, name.bias (or beta) if it exists.
  NormSpec norm(const std::string& name, NormKind kind, Index d, double epsilon, bool plus_one = false) const;
  /// Rows of a packed linear layer.
  static LinearSpec part(LinearSpec whole, Index first, Index count);
  Activation activation(const std::string& word) const;
  /// The RoPE of `d` channels by config.json: rope_theta, rope_scaling (linear, dynamic, longrope, llama3,
  /// yarn), or refused by name. If rope_parameters has one for each kind of layer, that of `kind`.
  RopeSpec rope(Index d, Rope pairing, double default_base = 10000, const char* kind = "full_attention") const;
  /// The share of each head that is rotated: rotary_pct or partial_rotary_factor, in newer files in rope_parameters.
  double rotary_share(double usual) const;
  /// Whether rope_parameters hold a rotation for each kind of layer.
  bool ropes_by_kind() const;
  [[noreturn]] void fail(const std::string& array, const Message& wrong, const Message& expected) const;
  [[noreturn]] void miss(const std::string& array, const Message& wrong, const Message& expected) const;

  /// The token embedding, [vocabulary, d]: sets network.vocabulary to its rows; config.json must not say more.
  std::string tokens(const std::string& name, Index d);
  /// The output table: the token embedding if tied, else `name`, with or without the prefix; none, with a note, if the
  /// file has neither. To be called after the stacks are built.
  LinearSpec output_head(const std::string& name, Index d, bool tied);
};

/// Queries, keys and values in one matrix: for each group the rows of its queries, then its keys, then its values.
void split_packed(const LinearSpec& packed, Index groups, Index query_rows, Index key_rows, AttentionSpec& attention);

/// Heads of an attention whose config.json says width and heads; d_head = width / heads, or a single layer's own.
/// Throws if heads does not divide width.
void settle_heads(const NetworkBuilder& builder, AttentionSpec& attention, Index width, Index heads);

/// A family known only for single layers: how it rotates, scales and masks, and the norm before its attention.
struct LayerFamily {
  Rope pairing = Rope::half;  ///< none: only where a field of config.json says so
  double base = 10000, share = 1;
  Index rotary_dim = 0;  ///< channels that are rotated; 0: `share` of the head
  double scale = 0;      ///< of scores; 0: 1/√d_head
  Index full_every = 0;  ///< of each so many layers the last sees all keys, unrotated (Cohere 2)
  bool causal = true;
  bool relative = false;           ///< it adds relative positions, which are not computed for a single layer
  NormKind norm = NormKind::none;  ///< before attention; none: not known
  bool plus_one = false;           ///< its gain is weight + 1
  double epsilon = 1e-5;
  const char* norm_name = "input_layernorm";
  const char* tokens = "embed_tokens.weight";
};
void build_layers(NetworkBuilder& b, const LayerFamily& family);
void build_chatglm(NetworkBuilder& b);
void build_codegen(NetworkBuilder& b);
void build_gpt_bigcode(NetworkBuilder& b);

// gpt.cpp
void build_gpt2(NetworkBuilder& b);
void build_nanogpt(NetworkBuilder& b);
void build_mingpt(NetworkBuilder& b);
void build_gpt_neo(NetworkBuilder& b);
void build_gpt_j(NetworkBuilder& b);
void build_attention_only(NetworkBuilder& b);
// gpt_neox.cpp
void build_gpt_neox(NetworkBuilder& b);
void build_persimmon(NetworkBuilder& b);
void build_bloom(NetworkBuilder& b);
void build_falcon(NetworkBuilder& b);
void build_mpt(NetworkBuilder& b);
void build_opt(NetworkBuilder& b);
// llama.cpp
void build_llama(NetworkBuilder& b);
void build_nanochat(NetworkBuilder& b);
void build_meta_llama(NetworkBuilder& b);
void build_mistral(NetworkBuilder& b);
void build_qwen2(NetworkBuilder& b);
void build_qwen3(NetworkBuilder& b);
void build_smollm3(NetworkBuilder& b);
void build_olmo2(NetworkBuilder& b);
void build_olmo(NetworkBuilder& b);
void build_olmo3(NetworkBuilder& b);
void build_phi(NetworkBuilder& b);
void build_phi3(NetworkBuilder& b);
void build_stablelm(NetworkBuilder& b);
void build_starcoder2(NetworkBuilder& b);
void build_cohere(NetworkBuilder& b);
void build_cohere2(NetworkBuilder& b);
void build_glm(NetworkBuilder& b);
void build_granite(NetworkBuilder& b);
void build_granite_moe(NetworkBuilder& b);
void build_gpt_oss(NetworkBuilder& b);
void build_mixtral(NetworkBuilder& b);
void build_qwen2_moe(NetworkBuilder& b);
void build_qwen3_moe(NetworkBuilder& b);
void build_olmoe(NetworkBuilder& b);
void build_deepseek(NetworkBuilder& b);
void build_llama4(NetworkBuilder& b);
void build_gemma(NetworkBuilder& b);
void build_gemma2(NetworkBuilder& b);
void build_gemma3(NetworkBuilder& b);
// bert.cpp
void build_bert(NetworkBuilder& b);
void build_roberta(NetworkBuilder& b);
void build_electra(NetworkBuilder& b);
void build_albert(NetworkBuilder& b);
void build_modernbert(NetworkBuilder& b);
void build_deberta2(NetworkBuilder& b);
void build_distilbert(NetworkBuilder& b);
// vision.cpp
void build_vit(NetworkBuilder& b);
void build_deit(NetworkBuilder& b);
void build_dinov2(NetworkBuilder& b);
void build_clip(NetworkBuilder& b);
void build_siglip(NetworkBuilder& b);
void build_timm_vit(NetworkBuilder& b);
void build_clip_text(NetworkBuilder& b);
void build_siglip_text(NetworkBuilder& b);
/// The part for the image tower in a config.json of two towers, with that of the text tower as its text_config.
nlohmann::json image_tower_config(const nlohmann::json& whole, const std::string& type);
/// timm's config.json (a name and a preprocessor) as Hugging Face would write it; unchanged if it is no plain ViT.
nlohmann::json timm_config(const nlohmann::json& whole, const Checkpoint& file);
// torch_transformer.cpp
void build_torch_transformer(NetworkBuilder& b);
// encoder_decoder.cpp
void build_t5(NetworkBuilder& b);
void build_mt5(NetworkBuilder& b);
void build_bart(NetworkBuilder& b);
void build_mbart(NetworkBuilder& b);
void build_whisper(NetworkBuilder& b);
void build_marian(NetworkBuilder& b);

}  // namespace headlight
