// Decoders before LLaMA: GPT-2 (Radford et al. 2019) in the files of Hugging Face, nanoGPT and minGPT, GPT-Neo, GPT-J,
// networks of attention alone, GPT-NeoX, BLOOM, Falcon, MPT, OPT.

#include <algorithm>

#include "core/architecture/network_builder.h"
#include "core/files/error_place.h"
#include "core/position/relative_bias.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

struct GptFlavour {
  const char* activation;
  bool tied;
};

/// Blocks of ln_1, attention, ln_2, MLP; c_attn is q‖k‖v. The shape shows whether a weight is of Conv1D or nn.Linear.
void build_gpt(NetworkBuilder& b, const GptFlavour& flavour) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  const Index d = c.whole({"n_embd"}), blocks = c.whole({"n_layer"}), heads = c.whole({"n_head"});
  const Index positions = c.whole({"n_positions", "n_ctx", "block_size"});
  const Index inner = c.whole({"n_inner"}, 4 * d);
  const double epsilon = c.number({"layer_norm_epsilon", "layer_norm_eps"}, 1e-5);
  const Activation activation = b.activation(c.text({"activation_function", "activation"}, flavour.activation));
  const bool scaled = c.flag({"scale_attn_weights"}, true),
             by_layer = c.flag({"scale_attn_by_inverse_layer_idx"}, false);
  b.refuse_unless("add_cross_attention", false);
  c.flag({"bias"}, true);

  StackSpec& stack = b.begin_stack("wte.weight", d);
  b.add_positions(stack.embedding, "wpe.weight", positions, d);
  const bool in_out =
      b.has("h.0.attn.c_attn.weight") && b.file.entry(b.prefix + "h.0.attn.c_attn.weight").shape == Shape{d, 3 * d};
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = b.norm(at + "ln_1", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "attn", d, heads);
    a.scale = (scaled ? 1 / std::sqrt(static_cast<double>(a.d_head)) : 1) / static_cast<double>(by_layer ? i + 1 : 1);
    a.causal = true;
    split_packed(b.linear(at + "attn.c_attn", 3 * d, d, NetworkBuilder::Bias::where_there, in_out), 1, d, d, a);
    a.o = b.linear(at + "attn.c_proj", d, d, NetworkBuilder::Bias::where_there, in_out);
    block.before_mlp = b.norm(at + "ln_2", NormKind::layer, d, epsilon);
    block.mlp =
        b.mlp(at + "mlp.c_fc", at + "mlp.c_proj", inner, d, activation, NetworkBuilder::Bias::where_there, in_out);
  }
  stack.final_norm = b.norm("ln_f", NormKind::layer, d, epsilon);
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, flavour.tied));
}

}  // namespace

void build_gpt2(NetworkBuilder& b) { build_gpt(b, {"gelu_new", true}); }
void build_nanogpt(NetworkBuilder& b) { build_gpt(b, {"gelu", true}); }
void build_mingpt(NetworkBuilder& b) { build_gpt(b, {"gelu_new", false}); }

/// Black et al. 2021: GPT-2 with separate projections, scores that are not scaled, and a window in every other layer.
void build_gpt_neo(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_layers"}), heads = c.whole({"num_heads"}),
              positions = c.whole({"max_position_embeddings"});
  const Index inner = c.whole({"intermediate_size"}, 4 * d), window = c.whole({"window_size"}, 256);
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  const Activation activation = b.activation(c.text({"activation_function"}, "gelu_new"));
  std::vector<std::string> kinds;
  if (const auto* listed = c.find({"attention_layers"}); listed && listed->is_array()) {
    for (const auto& kind : *listed) kinds.push_back(kind.is_string() ? kind.get<std::string>() : "");
  } else if (const auto* types = c.find({"attention_types"}); types && types->is_array()) {
    for (const auto& group : *types) {  // [["global", "local"], 12]
      if (!group.is_array() || group.size() != 2 || !group[0].is_array() || !group[1].is_number_unsigned()) continue;
      for (Index i = 0; i < std::min<Index>(group[1].get<Index>(), blocks); ++i) {
        for (const auto& kind : group[0]) kinds.push_back(kind.is_string() ? kind.get<std::string>() : "");
      }
    }
  }
  c.find({"attention_types"});
  if (!b.whole()) {
    while (static_cast<Index>(kinds.size()) < blocks) kinds.push_back(kinds.size() % 2 == 0 ? "global" : "local");
  } else if (static_cast<Index>(kinds.size()) != blocks)
    c.fail(Message("its attention_layers name {0} layers", kinds.size()),
           Message("expected global or local for each of {0}", blocks));
  StackSpec& stack = b.begin_stack("wte.weight", d);
  b.add_positions(stack.embedding, "wpe.weight", positions, d);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".", kind = kinds[static_cast<std::size_t>(i)];
    if (kind != "global" && kind != "local" && b.whole())
      c.fail(Message("its attention_layers say \"{0}\"", kind), "expected global or local");
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = b.norm(at + "ln_1", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "attn.attention", d, heads);
    a.scale = 1;
    a.causal = true;
    a.window = kind == "local" ? window : 0;
    b.add_projections(a, at + "attn.attention.", {"q_proj", "k_proj", "v_proj", "out_proj"}, d);
    block.before_mlp = b.norm(at + "ln_2", NormKind::layer, d, epsilon);
    block.mlp = b.mlp(at + "mlp.c_fc", at + "mlp.c_proj", inner, d, activation);
  }
  stack.final_norm = b.norm("ln_f", NormKind::layer, d, epsilon);
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, true));
}

/// Wang & Komatsuzaki 2021: one norm, then attention and MLP side by side; rotation of the first rotary_dim channels in
/// pairs.
void build_gpt_j(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  const Index d = c.whole({"n_embd"}), blocks = c.whole({"n_layer"}), heads = c.whole({"n_head"});
  const Index inner = c.whole({"n_inner"}, 4 * d), rotary = c.whole({"rotary_dim"}, 64);
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  const Activation activation = b.activation(c.text({"activation_function"}, "gelu_new"));
  c.flag({"scale_attn_weights"}, true);
  c.flag({"rotary"}, true);
  StackSpec& stack = b.begin_stack("wte.weight", d);
  stack.embedding.most_positions = c.whole({"n_positions"}, 2048);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.parallel = true;
    block.before_attention = block.before_mlp = b.norm(at + "ln_1", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "attn", d, heads);
    if (rotary > a.d_head || rotary % 2 != 0)
      c.fail(Message("its rotary_dim is {0}", rotary), Message("expected an even number up to d_head {0}", a.d_head));
    a.causal = true;
    a.rope = plain_rope(Rope::interleaved, 10000, rotary);
    b.add_projections(a, at + "attn.", {"q_proj", "k_proj", "v_proj", "out_proj"}, d);
    block.mlp = b.mlp(at + "mlp.fc_in", at + "mlp.fc_out", inner, d, activation);
  }
  stack.final_norm = b.norm("ln_f", NormKind::layer, d, epsilon);
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, false));
}

/// Attention and nothing else: x ← x + attention(x). A norm before it, a last norm and biases where the file has them.
void build_attention_only(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"token_embedding.weight"});
  const Index d = c.whole({"d_model"}), blocks = c.whole({"num_layers"}), heads = c.whole({"num_heads"}),
              positions = c.whole({"n_positions"});
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  StackSpec& stack = b.begin_stack("token_embedding.weight", d);
  b.add_positions(stack.embedding, "position_embedding.weight", positions, d);
  const auto norm = [&](const std::string& name) {
    return b.has(name + ".weight") ? b.norm(name, NormKind::layer, d, epsilon) : NormSpec{};
  };
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = norm(at + "norm");
    AttentionSpec& a = b.begin_attention(block, "attn", d, heads);
    a.causal = true;
    b.add_projections(a, at + "attn.", {"q_proj", "k_proj", "v_proj", "o_proj"}, d);
  }
  stack.final_norm = norm("norm");
  b.network.head.output = b.output_head("unembedding.weight", d, c.flag({"tie_word_embeddings"}, false));
}

// Decoders whose projections are packed head by head, and other decoders of that time: GPT-NeoX, BLOOM, Falcon, MPT,
// OPT.
namespace {

struct NeoxFlavour {
  std::string tokens = "embed_in.weight", head = "embed_out.weight";
  const char *attention = "attention", *final_norm = "final_layer_norm";
  double share = 0.25, base = 10000;
  bool parallel = true, normed_heads = false;
  const char* activation = "gelu";
};

void build_neox_family(NetworkBuilder& b, const NeoxFlavour& flavour) {
  const Config& c = b.config;
  b.find_prefix({flavour.tokens});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_hidden_layers"}),
              heads = c.whole({"num_attention_heads"}), inner = c.whole({"intermediate_size"}, 4 * d);
  const double epsilon = c.number({"layer_norm_eps"}, 1e-5), share = b.rotary_share(flavour.share);
  const bool parallel = c.flag({"use_parallel_residual"}, flavour.parallel), bias = c.flag({"attention_bias"}, true);
  const Activation activation = b.activation(c.text({"hidden_act"}, flavour.activation));
  StackSpec& stack = b.begin_stack(flavour.tokens, d);
  stack.embedding.most_positions = c.whole({"max_position_embeddings"}, 2048);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.parallel = parallel;
    block.before_attention = b.norm(at + "input_layernorm", NormKind::layer, d, epsilon);
    block.before_mlp = b.norm(at + "post_attention_layernorm", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, flavour.attention, d, heads);
    const std::string part = at + flavour.attention + ".";
    a.causal = true;
    const auto rotary = static_cast<Index>(share * static_cast<double>(a.d_head));
    a.rope = b.rope(rotary, Rope::half, flavour.base);
    const auto wanted = bias ? NetworkBuilder::Bias::needed : NetworkBuilder::Bias::none;
    split_packed(b.linear(part + "query_key_value", 3 * d, d, wanted), heads, a.d_head, a.d_head, a);
    a.o = b.linear(part + "dense", d, d, wanted);
    if (flavour.normed_heads && c.flag({"qk_layernorm"}, true)) {
      a.q_norm = b.norm(part + "q_layernorm", NormKind::layer, a.d_head, epsilon);
      a.k_norm = b.norm(part + "k_layernorm", NormKind::layer, a.d_head, epsilon);
    }
    block.mlp = b.mlp(at + "mlp.dense_h_to_4h", at + "mlp.dense_4h_to_h", inner, d, activation);
  }
  stack.final_norm = b.norm(flavour.final_norm, NormKind::layer, d, epsilon);
  if (c.flag({"tie_word_embeddings"}, false) || b.file.has(flavour.head))
    b.network.head.output = b.output_head(flavour.head, d, c.flag({"tie_word_embeddings"}, false));
}

}  // namespace

/// Black et al. 2022, and Pythia (Biderman et al. 2023).
void build_gpt_neox(NetworkBuilder& b) { build_neox_family(b, {}); }
/// Elsen et al. 2023.
void build_persimmon(NetworkBuilder& b) {
  build_neox_family(b, {.tokens = "embed_tokens.weight",
                        .head = "lm_head.weight",
                        .attention = "self_attn",
                        .final_norm = "final_layernorm",
                        .share = 0.5,
                        .base = 25000,
                        .parallel = false,
                        .normed_heads = true,
                        .activation = "relu2"});
}

/// Le Scao et al. 2022: ALiBi, a norm after the embedding.
void build_bloom(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"word_embeddings.weight"});
  const Index d = c.whole({"hidden_size", "n_embed"}), blocks = c.whole({"n_layer", "num_hidden_layers"}),
              heads = c.whole({"n_head", "num_attention_heads"});
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  b.refuse_unless("apply_residual_connection_post_layernorm", false);
  StackSpec& stack = b.begin_stack("word_embeddings.weight", d);
  stack.embedding.norm = b.norm("word_embeddings_layernorm", NormKind::layer, d, epsilon);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = b.norm(at + "input_layernorm", NormKind::layer, d, epsilon);
    block.before_mlp = b.norm(at + "post_attention_layernorm", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "self_attention", d, heads);
    a.causal = a.alibi = true;
    split_packed(b.linear(at + "self_attention.query_key_value", 3 * d, d), heads, a.d_head, a.d_head, a);
    a.o = b.linear(at + "self_attention.dense", d, d);
    block.mlp = b.mlp(at + "mlp.dense_h_to_4h", at + "mlp.dense_4h_to_h", 4 * d, d, Activation::gelu_tanh);
  }
  stack.final_norm = b.norm("ln_f", NormKind::layer, d, epsilon);
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, true));
}

/// Almazrouei et al. 2023: one key/value head (7B) or one a group (40B), attention and MLP side by side.
void build_falcon(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"word_embeddings.weight"});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_hidden_layers", "n_layer"}),
              heads = c.whole({"num_attention_heads", "n_head"});
  const bool grouped = c.flag({"new_decoder_architecture"}, false), single = c.flag({"multi_query"}, true),
             bias = c.flag({"bias"}, false);
  const bool parallel = c.flag({"parallel_attn"}, true);
  const Index groups = grouped ? c.whole({"num_kv_heads", "n_head_kv"}, heads) : single ? 1 : heads;
  c.find({"num_kv_heads", "n_head_kv"});
  const Index inner = c.whole({"ffn_hidden_size"}, 4 * d),
              norms = c.whole({"num_ln_in_parallel_attn"}, grouped ? 2 : 1);
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  const Activation activation = b.activation(c.text({"activation"}, "gelu"));
  c.find({"max_position_embeddings"});  // RoPE has no largest position
  const bool alibi = c.flag({"alibi"}, false);
  if (alibi) b.network.notes.push_back("ALiBi scaled with the scores, in bfloat16 as Falcon has it");
  b.refuse_unless("apply_residual_connection_post_layernorm", false);
  if (groups == 0 || heads % groups != 0)
    c.fail(Message("says {0} key/value heads", groups), Message("expected a divisor of its {0} heads", heads));
  StackSpec& stack = b.begin_stack("word_embeddings.weight", d);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.parallel = parallel || grouped;
    const bool two = grouped && norms == 2;
    block.before_attention = b.norm(at + (two ? "ln_attn" : "input_layernorm"), NormKind::layer, d, epsilon);
    block.before_mlp = two              ? b.norm(at + "ln_mlp", NormKind::layer, d, epsilon)
                       : block.parallel ? block.before_attention
                                        : b.norm(at + "post_attention_layernorm", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "self_attention", d, heads);
    a.kv_heads = groups;
    a.causal = true;
    a.scaled_alibi = alibi;
    if (!alibi) a.rope = b.rope(a.d_head, Rope::half);
    const auto wanted = bias ? NetworkBuilder::Bias::needed : NetworkBuilder::Bias::none;
    split_packed(b.linear(at + "self_attention.query_key_value", (heads + 2 * groups) * a.d_head, d, wanted), groups,
                 heads / groups * a.d_head, a.d_head, a);
    a.o = b.linear(at + "self_attention.dense", d, heads * a.d_head, wanted);
    block.mlp = b.mlp(at + "mlp.dense_h_to_4h", at + "mlp.dense_4h_to_h", inner, d, activation, wanted);
  }
  stack.final_norm = b.norm("ln_f", NormKind::layer, d, epsilon);
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, true));
}

/// MosaicML 2023: no biases, ALiBi.
void build_mpt(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  const Index d = c.whole({"d_model"}), blocks = c.whole({"n_layers"}), heads = c.whole({"n_heads"});
  const Index inner = d * c.whole({"expansion_ratio"}, 4);
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  c.find({"norm_type", "no_bias", "max_seq_len", "init_config", "embedding_fraction", "use_norm_bias"});
  c.flag({"learned_pos_emb"}, true);  // ALiBi replaces learned positions
  nlohmann::json rules = nlohmann::json::object();
  if (const auto* attn_config = c.find({"attn_config"}); attn_config && attn_config->is_object()) rules = *attn_config;
  const Config a_config(rules, c.path() + ": attn_config");
  const bool alibi = a_config.flag({"alibi"}, true);
  a_config.refuse_unless("clip_qkv", nlohmann::json());
  const bool own_scale = a_config.has("softmax_scale");
  for (const char* name : {"qk_ln", "prefix_lm", "attn_uses_sequence_id"}) a_config.refuse_unless(name, false);
  a_config.refuse_unless("attn_type", "multihead_attention");
  const double largest_bias = a_config.number({"alibi_bias_max"}, 8);
  if (!alibi && b.whole()) c.fail("its attn_config has no alibi", "expected ALiBi, the positions of MPT computed here");
  StackSpec& stack = b.begin_stack("wte.weight", d);
  b.refuse_unless("logit_scale", nlohmann::json());
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "blocks." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = b.norm(at + "norm_1", NormKind::layer, d, epsilon);
    block.before_mlp = b.norm(at + "norm_2", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "attn", d, heads);
    a.causal = true;
    const bool standard_slopes = largest_bias == 8 && (heads & (heads - 1)) == 0;
    a.alibi = alibi && standard_slopes;
    if (alibi && !standard_slopes) a.slopes = mpt_slopes(heads, largest_bias);
    if (own_scale) a.scale = a_config.number({"softmax_scale"});
    split_packed(b.linear(at + "attn.Wqkv", 3 * d, d), 1, d, d, a);
    a.o = b.linear(at + "attn.out_proj", d, d);
    block.mlp = b.mlp(at + "ffn.up_proj", at + "ffn.down_proj", inner, d, Activation::gelu);
  }
  stack.final_norm = b.norm("norm_f", NormKind::layer, d, epsilon);
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, true));
}

/// Zhang et al. 2022: positions begin at row 2. The 350M model has its norms after the sums and a narrower embedding.
void build_opt(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embed_tokens.weight"});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_hidden_layers"}),
              heads = c.whole({"num_attention_heads"}), inner = c.whole({"ffn_dim"});
  const Index narrow = c.whole({"word_embed_proj_dim"}, d), positions = c.whole({"max_position_embeddings"}, 2048);
  const bool before = c.flag({"do_layer_norm_before"}, true), last = !c.flag({"_remove_final_layer_norm"}, false);
  b.refuse_unless("layer_norm_elementwise_affine", true);
  const auto bias = c.flag({"enable_bias"}, true) ? NetworkBuilder::Bias::needed : NetworkBuilder::Bias::none;
  const Activation activation = b.activation(c.text({"activation_function"}, "relu"));
  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("embed_tokens.weight", narrow);
  stack.embedding.position_kind = PositionKind::learned;
  stack.embedding.positions = b.array("embed_positions.weight", {positions + 2, d},
                                      "two rows more than the positions that " + c.path() + " says");
  stack.embedding.position_offset = 2;
  stack.embedding.most_positions = positions;
  if (narrow != d) {
    stack.embedding.projection = b.linear("project_in", d, narrow);
    stack.projection = b.linear("project_out", narrow, d);
  }
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    (before ? block.before_attention : block.attention_sum) =
        b.norm(at + "self_attn_layer_norm", NormKind::layer, d, 1e-5);
    (before ? block.before_mlp : block.mlp_sum) = b.norm(at + "final_layer_norm", NormKind::layer, d, 1e-5);
    AttentionSpec& a = b.begin_attention(block, "self_attn", d, heads);
    a.causal = true;
    b.add_projections(a, at + "self_attn.", {"q_proj", "k_proj", "v_proj", "out_proj"}, d, bias);
    block.mlp = b.mlp(at + "fc1", at + "fc2", inner, d, activation, bias);
  }
  if (before && last) stack.final_norm = b.norm("final_layer_norm", NormKind::layer, d, 1e-5);
  b.network.head.output = b.output_head("lm_head.weight", narrow, c.flag({"tie_word_embeddings"}, true));
}

}  // namespace headlight
