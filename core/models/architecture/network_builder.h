// NetworkBuilder: the tools of a builder function in the table of architectures: the config, the checkpoint, and the
// spec to fill.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/models/architecture/architectures.h"

namespace headlight {

/// The rotation by base^(−2j/d), j < d/2.
RopeSpec plain_rope(Rope pairing, double base, Index d);

/// Whether a linear layer has a bias: if the file has it, never, or in any case.
/// `expected`: as `where_there`, but its absence is named.
enum class Bias : std::uint8_t { where_there, none, needed, expected };

/// The arrays of an MLP. `packed`: `up` holds the gate's rows, then its own.
struct MlpNames {
  const char *up = "", *down = "", *gate = "";
  bool packed = false;
};

/// The names of a block's arrays within the block; "" is a part that it does not have.
struct BlockNames {
  const char* blocks = "";     ///< before its number: "h."
  const char* attention = "";  ///< "attn"
  /// Within the attention: queries, keys, values and output; or all three in one matrix, and output; or none, where the
  /// family reads them itself.
  std::array<const char*, 4> linears{};
  const char *attention_norm = "", *mlp_norm = "";
  MlpNames mlp{};
  const char *cross = "", *cross_norm = "";  ///< cross-attention, with the same `linears`
};

/// How the blocks of a stack are built: names, the places of norms, sizes.
struct BlockLayout {
  BlockNames names;
  NormKind norm = NormKind::layer;
  bool causal = false;
  bool norms_after = false;  ///< after the sums, not before the parts
  bool parallel = false;     ///< attention and MLP side by side, from one norm where `mlp_norm` is ""
  bool by_group = false;     ///< one matrix has the queries, key and value of each key/value head in turn
  WeightLayout weights = WeightLayout::out_in;

  Index d = 0, count = 0, heads = 0, inner = 0;
  std::optional<Index> kv_heads{}, d_head{};  ///< none: `heads`, d / heads
  double epsilon = 1e-5;
  Activation activation = Activation::gelu;
  /// Of queries, keys and values; of the attention's output; of the MLP; of LayerNorms.
  Bias attention_bias = Bias::expected, output_bias = Bias::expected, mlp_bias = Bias::expected,
       norm_bias = Bias::expected;
  void set_biases(Bias all) { attention_bias = output_bias = mlp_bias = norm_bias = all; }

  /// Reads d, count and heads, each from the first of its fields that exists.
  using Fields = std::initializer_list<std::string_view>;
  void read_sizes(const Config& config, Fields d_fields = {"hidden_size"}, Fields count_fields = {"num_hidden_layers"},
                  Fields heads_fields = {"num_attention_heads"}) {
    d = config.whole(d_fields), count = config.whole(count_fields), heads = config.whole(heads_fields);
  }
  /// "h.3."
  std::string place(Index i) const { return names.blocks + std::to_string(i) + "."; }
};
/// fairseq's names (OPT, BART).
inline constexpr BlockLayout fairseq_blocks{.names = {"layers.",
                                                      "self_attn",
                                                      {"q_proj", "k_proj", "v_proj", "out_proj"},
                                                      "self_attn_layer_norm",
                                                      "final_layer_norm",
                                                      {"fc1", "fc2"}}};

class NetworkBuilder {
 public:
  /// With `layer`, for that layer alone: other arrays may be missing; only what its attention needs is checked.
  NetworkBuilder(const Config& given_config, const Checkpoint& given_file, const LayerAlone* given_layer = nullptr)
      : config(given_config), file(given_file), layer(given_layer) {}

  const Config& config;
  const Checkpoint& file;
  const LayerAlone* layer;  ///< null for a whole network
  NetworkSpec network;
  std::string prefix;                           ///< of all names, with its dot
  mutable std::set<std::string> used;           ///< all that array() has found
  mutable std::map<std::string, bool> lacking;  ///< biases that are not there, and whether they are expected

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
  /// The next stack of blocks of width d, with this token embedding, [vocabulary, d]; "": none.
  StackSpec& begin_stack(Index d, const std::string& embedding = "");
  /// Learned positions: `name` is [rows, d]; the first position has row `offset`.
  void add_positions(EmbeddingSpec& embedding, const std::string& name, Index rows, Index d, Index offset = 0) const;
  /// The next block of a stack; the names of its arrays begin with `at`, "h.3.".
  BlockSpec& add_block(StackSpec& stack, const BlockLayout& layout, const std::string& at) const;
  /// All of them.
  std::vector<BlockSpec>& add_blocks(StackSpec& stack, const BlockLayout& layout) const;
  /// name.weight [out, in] (or [in, out]), and name.bias if it exists or `bias` demands it.
  LinearSpec linear(const std::string& name, Index out, Index in, Bias bias = Bias::where_there,
                    WeightLayout layout = WeightLayout::out_in) const;
  /// up [inner, d], down [d, inner] and, where there is one, a gate as `up`, whose names begin with `at`.
  MlpSpec mlp(const std::string& at, const MlpNames& names, Index inner, Index d, Activation activation,
              Bias bias = Bias::where_there, WeightLayout layout = WeightLayout::out_in) const;
  /// name.weight [d] (or gamma) and, for a LayerNorm, name.bias (or beta) if it exists.
  NormSpec norm(const std::string& name, NormKind kind, Index d, double epsilon, bool plus_one = false,
                Bias bias = Bias::expected) const;
  /// The same of the stack's width, as its blocks have theirs.
  NormSpec norm(const std::string& name, const BlockLayout& layout) const {
    return norm(name, layout.norm, layout.d, layout.epsilon, false, layout.norm_bias);
  }
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
  /// "as config.json says", in errors about shapes.
  std::string as_config_says() const { return "as " + config.path() + " says"; }
  [[noreturn]] void fail(const std::string& array, const Message& wrong, const Message& expected) const;
  [[noreturn]] void miss(const std::string& array, const Message& wrong, const Message& expected) const;

  /// The token embedding, [vocabulary, d]: sets network.vocabulary to its rows; config.json must not say more.
  std::string tokens(const std::string& name, Index d);
  /// The output table: the token embedding if tied, else `name`, with or without the prefix; none, with a note, if the
  /// file has neither. To be called after the stacks are built.
  LinearSpec output_head(const std::string& name, Index d, bool tied, Bias bias = Bias::where_there);

 private:
  AttentionSpec attention(const BlockLayout& layout, const std::string& name) const;
};

/// As long as it lives, names begin with another prefix: "", the root of the file.
class OtherPrefix {
 public:
  explicit OtherPrefix(NetworkBuilder& builder, std::string prefix = "")
      : builder_(builder), own_(std::exchange(builder.prefix, std::move(prefix))) {}
  ~OtherPrefix() { builder_.prefix = std::move(own_); }
  OtherPrefix(const OtherPrefix&) = delete;
  OtherPrefix& operator=(const OtherPrefix&) = delete;

 private:
  NetworkBuilder& builder_;
  std::string own_;
};

/// A family known only for single layers: how it rotates, scales and masks, and the norm before its attention.
struct LayerFamily {
  Rope pairing = Rope::half;  ///< none: only where a field of config.json says so
  double share = 1;
  Index rotary_dim = 0;  ///< channels that are rotated; 0: `share` of the head
  double scale = 0;      ///< of scores; 0: 1/√d_head
  bool causal = true;
  bool relative = false;           ///< it adds relative positions, which are not computed for a single layer
  NormKind norm = NormKind::none;  ///< before attention; none: not known
  bool plus_one = false;           ///< its gain is weight + 1
  double epsilon = 1e-5;
  const char* norm_name = "input_layernorm";
  const char* tokens = "embed_tokens.weight";
};
/// The row that builds a layer of that model_type; null if there is none.
const Architecture* layer_architecture(std::string_view type);
/// Throws FileError where config.json says a size that the file cannot hold, before anything is made of it: no more
/// layers than arrays, no head wider than the largest array.
void check_sizes(const Config& config, const Checkpoint& checkpoint);
void build_layers(NetworkBuilder& b, const LayerFamily& family);
/// One for each row of the table of architectures, by the file that it is in.
using Build = void(NetworkBuilder& b);
// layer_families.cpp
Build build_chatglm, build_codegen, build_gpt_bigcode;
// gpt.cpp
Build build_gpt2, build_headlight, build_nanogpt, build_mingpt, build_gpt_neo, build_gpt_j, build_attention_only,
    build_gpt_neox, build_persimmon, build_bloom, build_falcon, build_mpt, build_opt;
// llama.cpp
Build build_llama, build_nanochat, build_meta_llama, build_mistral, build_qwen2, build_qwen3, build_smollm3,
    build_olmo2, build_olmo, build_olmo3, build_phi, build_phi3, build_stablelm, build_starcoder2, build_cohere,
    build_cohere2, build_glm, build_granite, build_granite_moe, build_gpt_oss, build_mixtral, build_qwen2_moe,
    build_qwen3_moe, build_olmoe, build_deepseek, build_llama4, build_gemma, build_gemma2, build_gemma3;
// bert.cpp
Build build_bert, build_roberta, build_electra, build_albert, build_modernbert, build_deberta2, build_distilbert;
// vision.cpp
Build build_vit, build_deit, build_dinov2, build_clip, build_siglip, build_timm_vit, build_clip_text, build_siglip_text;
// encoder_decoder.cpp
Build build_torch_transformer, build_t5, build_mt5, build_bart, build_mbart, build_marian;
/// The part for the image tower in a config.json of two towers, with that of the text tower as its text_config.
nlohmann::json image_tower_config(const nlohmann::json& whole, const std::string& type);
/// timm's config.json (a name and a preprocessor) as Hugging Face would write it; unchanged if it is no plain ViT.
nlohmann::json timm_config(const nlohmann::json& whole, const Checkpoint& file);

// How a picture is prepared for a network, by preprocessor_config.json, and the patches it is cut into.

/// {"height", "width"}, a number for both, or {"shortest_edge"} alone.
struct SizeSaid {
  int width = 0, height = 0, shorter_side = 0;
};
SizeSaid size_said(const Config& config, const char* field, bool number_is_shorter_side = false);

/// The defaults of a kind of preprocessor.
struct Preprocessor {
  bool crops = false;
  bool number_is_shorter_side = false;
  Resampling filter = Resampling::bilinear;
  std::array<float, 3> mean{0.5F, 0.5F, 0.5F}, deviation{0.5F, 0.5F, 0.5F};
};

/// preprocessor_config.json beside config.json; without one, what is usual, at `width` × `height`.
PictureSteps steps_of(NetworkBuilder& b, const Preprocessor& usual, int width, int height);
/// Square patches of a picture of this size.
void set_grid(const NetworkBuilder& b, PictureSpec& picture, const SizeSaid& image);
/// The grid from config.json's image_size and patch_size, and how a picture is prepared.
PictureSpec picture_of(NetworkBuilder& b, const Preprocessor& usual);

}  // namespace headlight
