// What a row of the table of architectures draws a network with: the config, the checkpoint, and the spec being filled.
#pragma once

#include <cmath>

#include "core/attention/rope.h"
#include "core/network/architectures.h"

namespace headlight {

/// The rotation by base^(−2j/d), j < d/2.
RopeSpec plain_rope(Rope pairing, double base, Index d);

class Blueprint {
 public:
  Blueprint(const Config& given_config, const Checkpoint& given_file) : config(given_config), file(given_file) {}

  const Config& config;
  const Checkpoint& file;
  NetworkSpec network;
  std::string prefix;  ///< of all names, with its dot

  /// Sets `prefix` so that prefix + `ending` is there. Throws FileError where none is.
  void find_prefix(const std::string& ending);
  bool has(const std::string& name) const { return file.has(prefix + name); }
  /// prefix + the first of the names that is there. Throws FileError where none is, saying what for.
  std::string any_of(std::initializer_list<std::string> names, const std::string& what) const;

  /// Throws FileError where the array is missing, quantised, or of another shape. `why` tells where the shape is from.
  std::string array(const std::string& name, const Shape& shape, const std::string& why) const;
  /// The next block of a stack, whose tensors' names begin with `at`, "h.3.": it is called so, without the dot.
  BlockSpec& begin_block(StackSpec& stack, std::string_view at) const;
  /// name.weight [out, in] (or [in, out]), and name.bias where it is there or `bias` demands it.
  enum class Bias { where_there, none, needed };
  LinearSpec linear(const std::string& name, Index out, Index in, Bias bias = Bias::where_there,
                    bool in_out = false) const;
  /// name.weight [d] (or gamma) and, for a LayerNorm, name.bias (or beta) where it is there.
  NormSpec norm(const std::string& name, NormKind kind, Index d, double epsilon, bool plus_one = false) const;
  /// Rows of a packed linear layer.
  static LinearSpec part(LinearSpec whole, Index first, Index count);
  /// Gate and up in one array, the rows of one after the other.
  Activation activation(const std::string& word) const;
  /// The RoPE of `d` channels that config.json says: rope_theta, rope_scaling (linear, dynamic, longrope, llama3,
  /// yarn), or refused by name. Where rope_parameters say it for each kind of layer, that of `kind`.
  RopeSpec rope(Index d, Rope pairing, double default_base = 10000, const char* kind = "full_attention") const;
  /// How much of each head is rotated: rotary_pct or partial_rotary_factor, which newer files keep in rope_parameters.
  double rotary_share(double usual) const;
  /// Whether rope_parameters hold a rotation for each kind of layer.
  bool ropes_by_kind() const;
  [[noreturn]] void fail(const std::string& array, const std::string& wrong, const std::string& expected) const;
  [[noreturn]] void miss(const std::string& array, const std::string& wrong, const std::string& expected) const;

  /// The token embedding, [vocabulary, d]: its rows settle network.vocabulary, which config.json must not exceed.
  std::string tokens(const std::string& name, Index d);
  /// The token embedding where it is tied, else `name`, with or without the prefix. After the stacks are drawn.
  LinearSpec output_head(const std::string& name, Index d, bool tied) const;
};

/// Heads of an attention whose config.json says width and heads; d_head = width / heads. Throws where it does not
/// divide.
void settle_heads(const Blueprint& blueprint, AttentionSpec& attention, Index width, Index heads);

// gpt.cpp
void draw_gpt2(Blueprint& b);
void draw_nanogpt(Blueprint& b);
void draw_mingpt(Blueprint& b);
void draw_gpt_neo(Blueprint& b);
void draw_gpt_j(Blueprint& b);
void draw_attention_only(Blueprint& b);
// gpt_neox.cpp
void draw_gpt_neox(Blueprint& b);
void draw_bloom(Blueprint& b);
void draw_falcon(Blueprint& b);
void draw_mpt(Blueprint& b);
void draw_opt(Blueprint& b);
// llama.cpp
void draw_llama(Blueprint& b);
void draw_meta_llama(Blueprint& b);
void draw_mistral(Blueprint& b);
void draw_qwen2(Blueprint& b);
void draw_qwen3(Blueprint& b);
void draw_smollm3(Blueprint& b);
void draw_olmo2(Blueprint& b);
void draw_phi3(Blueprint& b);
void draw_granite(Blueprint& b);
void draw_gemma(Blueprint& b);
void draw_gemma2(Blueprint& b);
void draw_gemma3(Blueprint& b);
// bert.cpp
void draw_bert(Blueprint& b);
void draw_roberta(Blueprint& b);
void draw_distilbert(Blueprint& b);
// torch_transformer.cpp
void draw_torch_transformer(Blueprint& b);
// encoder_decoder.cpp
void draw_t5(Blueprint& b);
void draw_mt5(Blueprint& b);
void draw_bart(Blueprint& b);
void draw_mbart(Blueprint& b);
void draw_marian(Blueprint& b);

}  // namespace headlight
