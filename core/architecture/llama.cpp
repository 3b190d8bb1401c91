// LLaMA (Touvron et al. 2023) and the decoders that followed it: RMSNorm, rotary positions, a gated MLP.
#include <algorithm>

#include "core/architecture/gguf_model.h"
#include "core/architecture/network_builder.h"
#include "core/files/error_place.h"

namespace headlight {
namespace {

/// What one member of the family does its own way.
struct Flavour {
  bool tied = false;
  bool plus_one = false;    ///< norms' weights are one less than the gain (Gemma)
  bool root_scale = false;  ///< embeddings times √d (Gemma)
  const char* activation = "silu";
  bool norms_after = false;   ///< of attention and MLP, before the sum, and none before them (OLMo 2)
  bool norms_around = false;  ///< both (Gemma 2)
  enum class QkNorms { none, per_head, whole } qk_norms = QkNorms::none;
  double base = 10000;
  double epsilon = 1e-6;
  bool packed = false;            ///< qkv_proj and gate_up_proj (Phi-3)
  bool multipliers = false;       ///< of the embedding and of what a block adds (Granite)
  bool attention_bias = true;     ///< config.json's attention_bias says whether projections have biases
  bool window_by_flag = false;    ///< use_sliding_window switches the window on, from max_window_layers on (Qwen)
  bool window_unrotated = false;  ///< of the layers that are not rotated (SmolLM 3)
  enum class Experts { none, mixtral, qwen } experts = Experts::none;
  bool renormalised = false;  ///< without a norm_topk_prob the chosen experts' shares sum to one
};

/// Whether the layer has experts: mlp_only_layers and decoder_sparse_step say which have one MLP instead (Qwen).
bool has_experts(const Config& c, Index layer) {
  const nlohmann::json* single = c.find({"mlp_only_layers"});
  if (single && std::ranges::find(*single, nlohmann::json(layer)) != single->end()) return false;
  return (layer + 1) % std::max<Index>(1, c.whole({"decoder_sparse_step"}, 1)) == 0;
}

MixtureSpec mixture_of(const NetworkBuilder& b, const Flavour& flavour, const std::string& at, Index d, Index inner,
                       Activation activation) {
  const Config& c = b.config;
  const bool mixtral = flavour.experts == Flavour::Experts::mixtral;
  const auto mlp = [&](const std::string& name, Index width, const char* gate, const char* up, const char* down) {
    return MlpSpec{b.linear(name + gate, width, d), b.linear(name + up, width, d), b.linear(name + down, d, width),
                   activation};
  };
  MixtureSpec mixture;
  const Index count = c.whole({"num_local_experts", "num_experts"});
  mixture.chosen = c.whole({"num_experts_per_tok"});
  if (b.whole() && (mixture.chosen < 1 || mixture.chosen > count))
    c.fail("its num_experts_per_tok is " + std::to_string(mixture.chosen), "expected 1 to " + std::to_string(count));
  mixture.renormalised = mixtral || c.flag({"norm_topk_prob"}, flavour.renormalised);
  const std::string block = at + (mixtral ? "block_sparse_moe." : "mlp.");
  mixture.router = b.linear(block + "gate", count, d);
  const Index width = mixtral ? inner : c.whole({"moe_intermediate_size"}, inner);
  for (Index i = 0; i < (b.whole() ? count : 0); ++i) {
    const std::string name = block + "experts." + std::to_string(i) + ".";
    mixture.experts.push_back(mixtral ? mlp(name, width, "w1", "w3", "w2")
                                      : mlp(name, width, "gate_proj", "up_proj", "down_proj"));
  }
  if (const Index shared = c.whole({"shared_expert_intermediate_size"}, 0); shared > 0) {
    mixture.shared = mlp(block + "shared_expert.", shared, "gate_proj", "up_proj", "down_proj");
    mixture.shared_gate = b.linear(block + "shared_expert_gate", 1, d);
  }
  return mixture;
}

/// The keys that each layer's queries see, 0 for all: sliding_window, layer_types and what the family says without
/// them.
std::vector<Index> windows_of(const NetworkBuilder& b, const Flavour& flavour, Index blocks, Index usual_window,
                              Index pattern) {
  const Config& c = b.config;
  const bool said = c.fields().contains("sliding_window");
  const Index window = said ? c.whole({"sliding_window"}, 0) : usual_window;
  c.find({"sliding_window"});
  std::vector<Index> windows(static_cast<std::size_t>(blocks), 0);
  const nlohmann::json* types = c.find({"layer_types"});
  const bool used = c.flag({"use_sliding_window"}, !flavour.window_by_flag);
  const Index first = c.whole({"max_window_layers"}, flavour.window_by_flag && !flavour.window_unrotated ? 28 : 0);
  if (types && (b.whole() || (types->is_array() && static_cast<Index>(types->size()) >= blocks))) {
    if (!types->is_array() || (b.whole() && static_cast<Index>(types->size()) != blocks))
      c.fail("its layer_types name " + std::to_string(types->size()) + " layers",
             "expected one for each of " + std::to_string(blocks));
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if ((*types)[i] == "sliding_attention") {
        if (window == 0)
          c.fail("its layer_types have sliding_attention without a sliding_window",
                 "expected the number of keys that a query sees");
        windows[i] = window;
      } else if ((*types)[i] != "full_attention") {
        c.fail("its layer_types have " + (*types)[i].dump() + ", which is not computed here",
               "expected full_attention or sliding_attention");
      }
    }
    return windows;
  }
  if (window == 0 || !used) return windows;
  for (Index i = 0; i < blocks; ++i) {
    const bool full = pattern > 0 ? (i + 1) % pattern == 0 : i < first;
    windows[static_cast<std::size_t>(i)] = full ? 0 : window;
  }
  return windows;
}

/// Layers whose queries and keys are not rotated: no_rope_layers has 0 for them (SmolLM 3).
std::vector<bool> rotated_layers(const NetworkBuilder& b, Index blocks, Index usual_interval) {
  const Config& c = b.config;
  std::vector<bool> rotated(static_cast<std::size_t>(blocks), true);
  const Index interval = c.whole({"no_rope_layer_interval"}, usual_interval);
  if (const auto* list = c.find({"no_rope_layers"}); list && !list->empty()) {
    if (!list->is_array() || (b.whole() && static_cast<Index>(list->size()) != blocks))
      c.fail("its no_rope_layers name " + std::to_string(list->size()) + " layers",
             "expected one for each of " + std::to_string(blocks));
    for (std::size_t i = 0; i < std::min(rotated.size(), list->size()); ++i) rotated[i] = (*list)[i] != 0;
  } else if (interval > 0) {
    for (Index i = 0; i < blocks; ++i) rotated[static_cast<std::size_t>(i)] = (i + 1) % interval != 0;
  }
  return rotated;
}

void build_family(NetworkBuilder& b, const Flavour& flavour, Index usual_window = 0, Index window_pattern = 0,
                  Index no_rope_interval = 0) {
  const Config& c = b.config;
  b.find_prefix({"embed_tokens.weight"});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_hidden_layers"}),
              heads = c.whole({"num_attention_heads"}), inner = c.whole({"intermediate_size"});
  const Index kv_heads = c.whole({"num_key_value_heads"}, heads);
  if (heads == 0 || kv_heads == 0 || heads % kv_heads != 0)
    c.fail("says " + std::to_string(heads) + " heads on " + std::to_string(kv_heads) + " key/value heads",
           "expected a multiple");
  if (!c.has("head_dim") && d % heads != 0)
    c.fail("its hidden_size " + std::to_string(d) + " is no multiple of its " + std::to_string(heads) + " heads",
           "expected a head_dim");
  const Index d_head = c.whole({"head_dim"}, d / heads);
  const double epsilon = c.number({"rms_norm_eps"}, flavour.epsilon), share = b.rotary_share(1);
  // Gemma's first config.json say "gelu" in hidden_act and mean its tanh form.
  const Activation activation = b.activation(flavour.plus_one ? c.text({"hidden_activation"}, "gelu_pytorch_tanh")
                                                              : c.text({"hidden_act"}, flavour.activation));
  c.find({"hidden_act", "hidden_activation", "original_max_position_embeddings", "mlp_bias", "use_qk_norm",
          "sliding_window_pattern", "_sliding_window_pattern", "sliding_window_size", "output_router_logits",
          "router_aux_loss_coef", "router_jitter_noise"});
  c.refuse_unless("full_attn_mod", 1);
  const bool tied = c.flag({"tie_word_embeddings"}, flavour.tied);
  const bool says_bias = flavour.attention_bias && c.has("attention_bias");
  const auto bias = !says_bias                          ? NetworkBuilder::Bias::where_there
                    : c.flag({"attention_bias"}, false) ? NetworkBuilder::Bias::needed
                                                        : NetworkBuilder::Bias::none;
  c.find({"attention_bias"});
  const auto rotary = static_cast<Index>(share * static_cast<double>(d_head));
  if (rotary % 2 != 0 || rotary > d_head)
    c.fail("rotates " + std::to_string(rotary) + " of " + std::to_string(d_head) + " channels",
           "expected an even number");
  const Rope pairing = c.flag({"rope_interleaved"}, false) ? Rope::interleaved : Rope::half;
  RopeSpec rope = b.rope(rotary, pairing, flavour.base);
  if (b.whole()) apply_rope_factors(b.file, rope);
  const RopeSpec sliding_rope = b.ropes_by_kind() ? b.rope(rotary, pairing, flavour.base, "sliding_attention") : rope;
  const std::vector<Index> windows = windows_of(b, flavour, blocks, usual_window, window_pattern);
  const std::vector<bool> rotated = rotated_layers(b, blocks, no_rope_interval);
  const bool plus_one = flavour.plus_one && !c.flag({"norms_hold_gains"}, false);
  const auto norm = [&](const std::string& name, Index width) {
    return b.norm(name, NormKind::rms, width, epsilon, plus_one);
  };

  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("embed_tokens.weight", d);
  stack.embedding.scale = flavour.root_scale ? static_cast<double>(std::sqrt(static_cast<float>(d))) : 1;
  if (flavour.multipliers) stack.embedding.scale *= c.number({"embedding_multiplier"}, 1);
  // A base that grows with the text is meant for more than the trained length.
  stack.embedding.most_positions = rope.dynamic_factor > 0
                                       ? static_cast<Index>(rope.dynamic_factor * static_cast<double>(rope.original))
                                       : c.whole({"max_position_embeddings"}, 0);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    if (flavour.multipliers) block.multiplier = c.number({"residual_multiplier"}, 1);
    if (!flavour.norms_after) block.before_attention = norm(at + "input_layernorm", d);
    if (flavour.norms_after || flavour.norms_around) block.after_attention = norm(at + "post_attention_layernorm", d);
    if (flavour.norms_around) block.before_mlp = norm(at + "pre_feedforward_layernorm", d);
    if (flavour.norms_after || flavour.norms_around) block.after_mlp = norm(at + "post_feedforward_layernorm", d);
    if (!flavour.norms_after && !flavour.norms_around) block.before_mlp = norm(at + "post_attention_layernorm", d);
    AttentionSpec& a = block.attention;
    a.name = block.name + ".self_attn";
    a.heads = heads;
    a.kv_heads = kv_heads;
    a.d_head = d_head;
    a.scale = 1 / std::sqrt(static_cast<double>(d_head));
    if (flavour.norms_around) a.scale = 1 / std::sqrt(c.number({"query_pre_attn_scalar"}, static_cast<double>(d_head)));
    if (flavour.multipliers && c.has("attention_multiplier")) a.scale = c.number({"attention_multiplier"});
    if (flavour.norms_around && c.has("attn_logit_softcapping")) a.softcap = c.number({"attn_logit_softcapping"});
    a.causal = true;
    const bool is_rotated = rotated[static_cast<std::size_t>(i)];
    a.window =
        flavour.window_unrotated && is_rotated && !c.has("layer_types") ? 0 : windows[static_cast<std::size_t>(i)];
    if (is_rotated) a.rope = a.window > 0 ? sliding_rope : rope;
    if (flavour.packed) {
      const LinearSpec packed = b.linear(at + "self_attn.qkv_proj", (heads + 2 * kv_heads) * d_head, d, bias);
      a.q = NetworkBuilder::part(packed, 0, heads * d_head);
      a.k = NetworkBuilder::part(packed, heads * d_head, kv_heads * d_head);
      a.v = NetworkBuilder::part(packed, (heads + kv_heads) * d_head, kv_heads * d_head);
    } else {
      a.q = b.linear(at + "self_attn.q_proj", heads * d_head, d, bias);
      a.k = b.linear(at + "self_attn.k_proj", kv_heads * d_head, d, bias);
      a.v = b.linear(at + "self_attn.v_proj", kv_heads * d_head, d, bias);
    }
    a.o = b.linear(at + "self_attn.o_proj", d, heads * d_head, bias);
    if (flavour.qk_norms != Flavour::QkNorms::none) {
      a.norm_whole = flavour.qk_norms == Flavour::QkNorms::whole;
      a.q_norm = norm(at + "self_attn.q_norm", a.norm_whole ? heads * d_head : d_head);
      a.k_norm = norm(at + "self_attn.k_norm", a.norm_whole ? kv_heads * d_head : d_head);
    }
    if (flavour.experts != Flavour::Experts::none && has_experts(c, i)) {
      block.mixture = mixture_of(b, flavour, at, d, inner, activation);
      continue;
    }
    MlpSpec& mlp = block.mlp.emplace();
    mlp.activation = activation;
    if (flavour.packed) {
      const LinearSpec packed = b.linear(at + "mlp.gate_up_proj", 2 * inner, d);
      mlp.gate = NetworkBuilder::part(packed, 0, inner);
      mlp.up = NetworkBuilder::part(packed, inner, inner);
    } else {
      mlp.gate = b.linear(at + "mlp.gate_proj", inner, d);
      mlp.up = b.linear(at + "mlp.up_proj", inner, d);
    }
    mlp.down = b.linear(at + "mlp.down_proj", d, inner);
  }
  stack.final_norm = norm("norm", d);
  b.network.head.output = b.output_head("lm_head.weight", d, tied);
  if (flavour.multipliers) b.network.head.scale = 1 / c.number({"logits_scaling"}, 1);
  if (flavour.norms_around && c.has("final_logit_softcapping"))
    b.network.head.softcap = c.number({"final_logit_softcapping"});
}

}  // namespace

void build_llama(NetworkBuilder& b) { build_family(b, {}); }
void build_mistral(NetworkBuilder& b) { build_family(b, {.attention_bias = false}, 4096); }
void build_qwen2(NetworkBuilder& b) { build_family(b, {.attention_bias = false, .window_by_flag = true}, 4096); }
void build_qwen3(NetworkBuilder& b) {
  build_family(b, {.qk_norms = Flavour::QkNorms::per_head, .window_by_flag = true}, 4096);
}
void build_smollm3(NetworkBuilder& b) {
  build_family(b, {.tied = true, .base = 2000000, .window_by_flag = true, .window_unrotated = true}, 0, 0, 4);
}
void build_olmo2(NetworkBuilder& b) {
  build_family(b, {.norms_after = true, .qk_norms = Flavour::QkNorms::whole, .epsilon = 1e-5});
}
void build_phi3(NetworkBuilder& b) { build_family(b, {.epsilon = 1e-5, .packed = true, .attention_bias = false}); }
void build_granite(NetworkBuilder& b) { build_family(b, {.multipliers = true}); }
/// Mixtures of experts: Jiang et al. 2024; Qwen's of 2024 and 2025; Muennighoff et al. 2024.
void build_mixtral(NetworkBuilder& b) {
  build_family(b, {.base = 1000000, .epsilon = 1e-5, .attention_bias = false, .experts = Flavour::Experts::mixtral});
}
void build_qwen2_moe(NetworkBuilder& b) {
  build_family(b, {.attention_bias = false, .window_by_flag = true, .experts = Flavour::Experts::qwen}, 4096);
}
void build_qwen3_moe(NetworkBuilder& b) {
  build_family(b, {.qk_norms = Flavour::QkNorms::per_head, .window_by_flag = true, .experts = Flavour::Experts::qwen},
               4096);
}
void build_olmoe(NetworkBuilder& b) {
  b.config.refuse_unless("clip_qkv", nlohmann::json());
  build_family(b, {.qk_norms = Flavour::QkNorms::whole, .epsilon = 1e-5, .experts = Flavour::Experts::qwen});
}
void build_gemma(NetworkBuilder& b) { build_family(b, {.tied = true, .plus_one = true, .root_scale = true}); }

/// Gemma 2 (Rivière et al. 2024): every other layer has a window, the first one too.
void build_gemma2(NetworkBuilder& b) {
  build_family(b, {.tied = true, .plus_one = true, .root_scale = true, .norms_around = true}, 4096, 2);
  // What a config.json of Gemma 2 leaves out has Gemma 2's own values.
  for (BlockSpec& block : b.network.stacks.front().blocks) {
    if (!b.config.has("query_pre_attn_scalar")) block.attention.scale = 1.0 / 16;
    if (!b.config.fields().contains("attn_logit_softcapping")) block.attention.softcap = 50;
  }
  if (!b.config.fields().contains("final_logit_softcapping")) b.network.head.softcap = 30;
}

/// Gemma 3's text model: a window in five of six layers, which rotate by their own base; QK-norm.
void build_gemma3(NetworkBuilder& b) {
  const Config& c = b.config;
  const Index pattern = c.whole({"sliding_window_pattern", "_sliding_window_pattern"}, 6);
  build_family(b,
               {.tied = true,
                .plus_one = true,
                .root_scale = true,
                .norms_around = true,
                .qk_norms = Flavour::QkNorms::per_head,
                .base = 1000000},
               4096, pattern);
  const double local = c.number({"rope_local_base_freq"}, 10000);
  const bool said_by_kind = b.ropes_by_kind();
  for (BlockSpec& block : b.network.stacks.front().blocks) {
    AttentionSpec& a = block.attention;
    if (!c.has("query_pre_attn_scalar")) a.scale = 1.0 / 16;
    if (a.window > 0 && !said_by_kind) a.rope = plain_rope(Rope::half, local, a.d_head);
  }
}

/// The files that Meta gives out: params.json and consolidated.00.pth, rotated in neighbouring pairs.
void build_meta_llama(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"tok_embeddings.weight"});
  const Index d = c.whole({"dim"}), blocks = c.whole({"n_layers"}), heads = c.whole({"n_heads"});
  const Index kv_heads = c.whole({"n_kv_heads"}, heads);
  const double epsilon = c.number({"norm_eps"}, 1e-5), base = c.number({"rope_theta"}, 10000);
  c.find({"multiple_of", "ffn_dim_multiplier", "max_seq_len", "max_batch_size"});
  for (const char* name : {"moe", "vision_chunk_size", "quantization_args"}) b.refuse_unless(name, nlohmann::json());
  if (heads == 0 || kv_heads == 0 || (b.whole() && d % heads != 0) || heads % kv_heads != 0)
    c.fail("says " + std::to_string(heads) + " heads on " + std::to_string(kv_heads) + " key/value heads",
           "expected divisors of dim " + std::to_string(d));
  const std::string first = b.prefix + "layers.0.feed_forward.w1.weight";
  if (b.whole() && (!b.file.has(first) || b.file.entry(first).shape.size() != 2))
    b.miss(first, "holds no " + in_quotes(first), "expected the first layer's MLP, [inner, dim]");
  const Index inner = b.whole() ? b.file.entry(first).shape[0] : 0, d_head = b.whole() ? d / heads : b.layer->d_head;
  RopeSpec rope = plain_rope(Rope::interleaved, base, d_head);
  if (c.flag({"use_scaled_rope"}, false)) {
    rope.base = 0;
    rope.frequencies = llama3_frequencies(rope.frequencies, c.number({"rope_scaling_factor"}, 8),
                                          c.number({"low_freq_factor"}, 1), c.number({"high_freq_factor"}, 4), 8192);
  }
  const auto norm = [&](const std::string& name) { return b.norm(name, NormKind::rms, d, epsilon); };

  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  const std::string tokens = b.prefix + "tok_embeddings.weight";
  if (b.file.has(tokens) && !b.file.entry(tokens).shape.empty())
    b.network.vocabulary = b.file.entry(tokens).shape[0];  // params.json may say −1
  if (const auto* said = c.find({"vocab_size"}); said && said->is_number_integer() && said->get<Index>() > 0)
    b.network.vocabulary = said->get<Index>();
  stack.embedding.tokens = b.array("tok_embeddings.weight", {b.network.vocabulary, d}, "as " + c.path() + " says");
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = norm(at + "attention_norm");
    block.before_mlp = norm(at + "ffn_norm");
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attention";
    settle_heads(b, a, d, heads);
    a.kv_heads = kv_heads;
    a.causal = true;
    a.rope = rope;
    a.q = b.linear(at + "attention.wq", d, d);
    a.k = b.linear(at + "attention.wk", kv_heads * d_head, d);
    a.v = b.linear(at + "attention.wv", kv_heads * d_head, d);
    a.o = b.linear(at + "attention.wo", d, d);
    block.mlp = MlpSpec{b.linear(at + "feed_forward.w1", inner, d), b.linear(at + "feed_forward.w3", inner, d),
                        b.linear(at + "feed_forward.w2", d, inner), Activation::silu};
  }
  stack.final_norm = norm("norm");
  // LLaMA 3.2's small ones have no output.weight: it is the embedding.
  b.network.head.output = b.output_head("output.weight", d, !b.has("output.weight"));
}

}  // namespace headlight
