// Decoders before LLaMA: GPT-2 (Radford et al. 2019) in the files of Hugging Face, nanoGPT and minGPT, GPT-Neo, GPT-J,
// networks of attention alone, GPT-NeoX, BLOOM, Falcon, MPT, OPT.

#include <algorithm>

#include "core/base/tensor/message.h"
#include "core/models/architecture/network_builder.h"
#include "core/rules/mask/mask_rule.h"
#include "core/rules/position/relative_bias.h"

namespace headlight {
namespace {

/// Blocks of ln_1, attention, ln_2, MLP.
constexpr BlockLayout gpt_blocks{
    .names = {"h.", "attn", {"q_proj", "k_proj", "v_proj", "out_proj"}, "ln_1", "ln_2", {"mlp.c_fc", "mlp.c_proj"}},
    .causal = true};

/// The last norm, and the table of the words.
void end_decoder(NetworkBuilder& b, const BlockLayout& layout, const char* final_norm, bool tied,
                 Bias bias = Bias::where_there) {
  b.network.stacks.back().final_norm = b.norm(final_norm, layout);
  b.network.head.output = b.output_head("lm_head.weight", layout.d, b.config.flag({"tie_word_embeddings"}, tied), bias);
}

/// c_attn is q‖k‖v. The shape shows whether a weight is of Conv1D or nn.Linear.
void build_gpt(NetworkBuilder& b, const char* activation, bool tied) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  BlockLayout layout = gpt_blocks;
  layout.names.linears = {"c_attn", "c_proj"};
  layout.read_sizes(c, {"n_embd"}, {"n_layer"}, {"n_head"});
  const Index d = layout.d;
  layout.inner = c.whole({"n_inner"}, 4 * d);
  const Index positions = c.whole({"n_positions", "n_ctx", "block_size"});
  layout.epsilon = c.number({"layer_norm_epsilon", "layer_norm_eps"}, 1e-5);
  layout.activation = b.activation(c.text({"activation_function", "activation"}, activation));
  const bool scaled = c.flag({"scale_attn_weights"}, true),
             by_layer = c.flag({"scale_attn_by_inverse_layer_idx"}, false);
  b.refuse_unless("add_cross_attention", false);
  if (!c.flag({"bias"}, true)) layout.set_biases(Bias::where_there);

  StackSpec& stack = b.begin_stack(d, "wte.weight");
  b.add_positions(stack.embedding, "wpe.weight", positions, d);
  if (b.has("h.0.attn.c_attn.weight") && b.file.entry(b.prefix + "h.0.attn.c_attn.weight").shape == Shape{d, 3 * d})
    layout.weights = WeightLayout::in_out;
  Index number = 0;
  for (BlockSpec& block : b.add_blocks(stack, layout)) {
    double& scale = block.attention.scale;
    scale = (scaled ? scale : 1) / static_cast<double>(by_layer ? ++number : 1);
  }
  end_decoder(b, layout, "ln_f", tied);
}

}  // namespace

void build_gpt2(NetworkBuilder& b) { build_gpt(b, "gelu_new", true); }
void build_nanogpt(NetworkBuilder& b) { build_gpt(b, "gelu", true); }
void build_mingpt(NetworkBuilder& b) { build_gpt(b, "gelu_new", false); }

/// What `headlight train` writes where GPT-2's config.json cannot say it (core/compute/training): GPT-2's arrays,
/// perhaps without MLPs or positions, with grouped heads, any mask, scale, soft-cap, RoPE and ALiBi.
void build_headlight(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  BlockLayout layout = gpt_blocks;
  layout.names.linears = {"c_attn", "c_proj"};
  layout.weights = WeightLayout::in_out, layout.causal = false;
  layout.read_sizes(c, {"n_embd"}, {"n_layer"}, {"n_head"});
  layout.kv_heads = c.whole({"kv_heads"}, layout.heads);
  layout.inner = c.whole({"n_inner"}, 0);
  if (layout.inner == 0) layout.names.mlp = {}, layout.names.mlp_norm = "";
  const bool norms = c.flag({"norms"}, true);
  if (!norms) layout.names.attention_norm = layout.names.mlp_norm = "";
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  layout.activation = b.activation(c.text({"activation_function"}, "gelu_new"));
  if (*layout.kv_heads < 1 || layout.heads < 1 || layout.heads % *layout.kv_heads != 0)
    c.fail(Message("its kv_heads are {0} for {1} heads", *layout.kv_heads, layout.heads), "expected a divisor");
  StackSpec& stack = b.begin_stack(layout.d, "wte.weight");
  const Index positions = c.whole({"n_positions"});
  if (c.flag({"positions"}, true)) b.add_positions(stack.embedding, "wpe.weight", positions, layout.d);
  const std::string mask = c.text({"mask"}, "full()"), pairing = c.text({"rope"}, "none");
  const std::string dead_row = c.text({"dead_row"}, "zero");
  if (pairing != "none" && pairing != "half" && pairing != "interleaved")
    c.fail(Message("its rope is \"{0}\"", pairing), "expected none, half or interleaved");
  if (dead_row != "zero" && dead_row != "uniform" && dead_row != "nan")
    c.fail(Message("its dead_row is \"{0}\"", dead_row), "expected zero, uniform or nan");
  for (BlockSpec& block : b.add_blocks(stack, layout)) {
    AttentionSpec& a = block.attention;
    a.scale = c.number({"scale"}, a.scale);
    if (c.has("softcap")) a.softcap = c.number({"softcap"});
    a.causal = mask == "causal()";
    if (!a.causal && mask != "full()") a.mask = parse_mask(mask);
    a.dead_row = dead_row;
    a.alibi = c.flag({"alibi"}, false);
    if (pairing != "none")
      a.rope = plain_rope(pairing == "half" ? Rope::half : Rope::interleaved, c.number({"rope_base"}, 10000), a.d_head);
  }
  c.number({"rope_base"}, 10000);
  if (norms) return end_decoder(b, layout, "ln_f", true);
  b.network.head.output = b.output_head("lm_head.weight", layout.d, true);
}

/// Black et al. 2021: GPT-2 with separate projections, scores that are not scaled, and a window in every other layer.
void build_gpt_neo(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  BlockLayout layout = gpt_blocks;
  layout.names.attention = "attn.attention";
  layout.attention_bias = Bias::where_there;
  layout.read_sizes(c, {"hidden_size"}, {"num_layers"}, {"num_heads"});
  layout.inner = c.whole({"intermediate_size"}, 4 * layout.d);
  const Index blocks = layout.count;
  const Index positions = c.whole({"max_position_embeddings"}), window = c.whole({"window_size"}, 256);
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  layout.activation = b.activation(c.text({"activation_function"}, "gelu_new"));
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
  StackSpec& stack = b.begin_stack(layout.d, "wte.weight");
  b.add_positions(stack.embedding, "wpe.weight", positions, layout.d);
  for (Index i = 0; i < blocks; ++i) {
    const std::string& kind = kinds[static_cast<std::size_t>(i)];
    if (kind != "global" && kind != "local" && b.whole())
      c.fail(Message("its attention_layers say \"{0}\"", kind), "expected global or local");
    AttentionSpec& a = b.add_block(stack, layout, layout.place(i)).attention;
    a.scale = 1;
    a.window = kind == "local" ? window : 0;
  }
  end_decoder(b, layout, "ln_f", true);
}

/// Wang & Komatsuzaki 2021: one norm, then attention and MLP side by side; rotation of the first rotary_dim channels in
/// pairs.
void build_gpt_j(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  BlockLayout layout = gpt_blocks;
  layout.names.mlp = {"mlp.fc_in", "mlp.fc_out"}, layout.names.mlp_norm = "", layout.parallel = true;
  layout.attention_bias = layout.output_bias = Bias::where_there;
  layout.read_sizes(c, {"n_embd"}, {"n_layer"}, {"n_head"});
  layout.inner = c.whole({"n_inner"}, 4 * layout.d);
  const Index rotary = c.whole({"rotary_dim"}, 64);
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  layout.activation = b.activation(c.text({"activation_function"}, "gelu_new"));
  c.flag({"scale_attn_weights"}, true);
  c.flag({"rotary"}, true);
  StackSpec& stack = b.begin_stack(layout.d, "wte.weight");
  stack.embedding.most_positions = c.whole({"n_positions"}, 2048);
  for (BlockSpec& block : b.add_blocks(stack, layout)) {
    const Index d_head = block.attention.d_head;
    if (rotary > d_head || rotary % 2 != 0)
      c.fail(Message("its rotary_dim is {0}", rotary), Message("expected an even number up to d_head {0}", d_head));
    block.attention.rope = plain_rope(Rope::interleaved, 10000, rotary);
  }
  end_decoder(b, layout, "ln_f", false, Bias::expected);
}

/// Attention and nothing else: x ← x + attention(x). A norm before it, a last norm and biases where the file has them.
void build_attention_only(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"token_embedding.weight"});
  BlockLayout layout{.names = {"layers.", "attn", {"q_proj", "k_proj", "v_proj", "o_proj"}}};
  layout.causal = true;
  layout.read_sizes(c, {"d_model"}, {"num_layers"}, {"num_heads"});
  const Index positions = c.whole({"n_positions"});
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  StackSpec& stack = b.begin_stack(layout.d, "token_embedding.weight");
  b.add_positions(stack.embedding, "position_embedding.weight", positions, layout.d);
  for (Index i = 0; i < layout.count; ++i) {
    layout.names.attention_norm = b.has(layout.place(i) + "norm.weight") ? "norm" : "";
    b.add_block(stack, layout, layout.place(i));
  }
  if (b.has("norm.weight")) stack.final_norm = b.norm("norm", layout);
  b.network.head.output = b.output_head("unembedding.weight", layout.d, c.flag({"tie_word_embeddings"}, false));
}

// Decoders whose projections are packed head by head, and other decoders of that time: GPT-NeoX, BLOOM, Falcon, MPT,
// OPT.
namespace {

constexpr BlockLayout packed_by_head{.names = {"h.",
                                               "self_attention",
                                               {"query_key_value", "dense"},
                                               "input_layernorm",
                                               "post_attention_layernorm",
                                               {"mlp.dense_h_to_4h", "mlp.dense_4h_to_h"}},
                                     .causal = true,
                                     .by_group = true};

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
  BlockLayout layout = packed_by_head;
  layout.names.blocks = "layers.", layout.names.attention = flavour.attention;
  layout.read_sizes(c);
  layout.inner = c.whole({"intermediate_size"}, 4 * layout.d);
  layout.epsilon = c.number({"layer_norm_eps"}, 1e-5);
  const double share = b.rotary_share(flavour.share);
  layout.parallel = c.flag({"use_parallel_residual"}, flavour.parallel);
  layout.attention_bias = layout.output_bias = c.flag({"attention_bias"}, true) ? Bias::needed : Bias::none;
  layout.activation = b.activation(c.text({"hidden_act"}, flavour.activation));
  StackSpec& stack = b.begin_stack(layout.d, flavour.tokens);
  stack.embedding.most_positions = c.whole({"max_position_embeddings"}, 2048);
  for (Index i = 0; i < layout.count; ++i) {
    AttentionSpec& a = b.add_block(stack, layout, layout.place(i)).attention;
    a.rope = b.rope(static_cast<Index>(share * static_cast<double>(a.d_head)), Rope::half, flavour.base);
    if (!flavour.normed_heads || !c.flag({"qk_layernorm"}, true)) continue;
    const std::string part = layout.place(i) + flavour.attention + ".";
    a.q_norm = b.norm(part + "q_layernorm", NormKind::layer, a.d_head, layout.epsilon);
    a.k_norm = b.norm(part + "k_layernorm", NormKind::layer, a.d_head, layout.epsilon);
  }
  stack.final_norm = b.norm(flavour.final_norm, layout);
  const bool tied = c.flag({"tie_word_embeddings"}, false);
  if (tied || b.file.has(flavour.head)) b.network.head.output = b.output_head(flavour.head, layout.d, tied);
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
  BlockLayout layout = packed_by_head;
  layout.read_sizes(c, {"hidden_size", "n_embed"}, {"n_layer", "num_hidden_layers"}, {"n_head", "num_attention_heads"});
  layout.inner = 4 * layout.d;
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  layout.activation = Activation::gelu_tanh;
  b.refuse_unless("apply_residual_connection_post_layernorm", false);
  StackSpec& stack = b.begin_stack(layout.d, "word_embeddings.weight");
  stack.embedding.norm = b.norm("word_embeddings_layernorm", layout);
  for (BlockSpec& block : b.add_blocks(stack, layout)) block.attention.alibi = true;
  end_decoder(b, layout, "ln_f", true);
}

/// Almazrouei et al. 2023: one key/value head (7B) or one a group (40B), attention and MLP side by side.
void build_falcon(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"word_embeddings.weight"});
  BlockLayout layout = packed_by_head;
  layout.read_sizes(c, {"hidden_size"}, {"num_hidden_layers", "n_layer"}, {"num_attention_heads", "n_head"});
  const Index heads = layout.heads;
  const bool grouped = c.flag({"new_decoder_architecture"}, false), single = c.flag({"multi_query"}, true);
  layout.attention_bias = layout.output_bias = layout.mlp_bias = c.flag({"bias"}, false) ? Bias::needed : Bias::none;
  layout.parallel = c.flag({"parallel_attn"}, true) || grouped;
  const Index groups = grouped ? c.whole({"num_kv_heads", "n_head_kv"}, heads) : single ? 1 : heads;
  c.find({"num_kv_heads", "n_head_kv"});
  layout.kv_heads = groups;
  layout.inner = c.whole({"ffn_hidden_size"}, 4 * layout.d);
  const Index norms = c.whole({"num_ln_in_parallel_attn"}, grouped ? 2 : 1);
  if (grouped && norms == 2) layout.names.attention_norm = "ln_attn", layout.names.mlp_norm = "ln_mlp";
  else if (layout.parallel) layout.names.mlp_norm = "";
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  layout.activation = b.activation(c.text({"activation"}, "gelu"));
  c.find({"max_position_embeddings"});  // RoPE has no largest position
  const bool alibi = c.flag({"alibi"}, false);
  if (alibi) b.network.notes.push_back("ALiBi scaled with the scores, in bfloat16 as Falcon has it");
  b.refuse_unless("apply_residual_connection_post_layernorm", false);
  if (groups == 0 || heads % groups != 0)
    c.fail(Message("says {0} key/value heads", groups), Message("expected a divisor of its {0} heads", heads));
  StackSpec& stack = b.begin_stack(layout.d, "word_embeddings.weight");
  for (BlockSpec& block : b.add_blocks(stack, layout)) {
    block.attention.scaled_alibi = alibi;
    if (!alibi) block.attention.rope = b.rope(block.attention.d_head, Rope::half);
  }
  end_decoder(b, layout, "ln_f", true);
}

/// MosaicML 2023: no biases, ALiBi.
void build_mpt(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"wte.weight"});
  BlockLayout layout{
      .names = {"blocks.", "attn", {"Wqkv", "out_proj"}, "norm_1", "norm_2", {"ffn.up_proj", "ffn.down_proj"}},
      .causal = true};
  layout.read_sizes(c, {"d_model"}, {"n_layers"}, {"n_heads"});
  const Index heads = layout.heads;
  layout.inner = layout.d * c.whole({"expansion_ratio"}, 4);
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-5);
  c.find({"norm_type", "max_seq_len", "init_config", "embedding_fraction", "use_norm_bias"});
  if (c.flag({"no_bias"}, true)) layout.set_biases(Bias::where_there);
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
  StackSpec& stack = b.begin_stack(layout.d, "wte.weight");
  b.refuse_unless("logit_scale", nlohmann::json());
  const bool standard_slopes = largest_bias == 8 && (heads & (heads - 1)) == 0;
  for (BlockSpec& block : b.add_blocks(stack, layout)) {
    AttentionSpec& a = block.attention;
    a.alibi = alibi && standard_slopes;
    if (alibi && !standard_slopes) a.slopes = mpt_slopes(heads, largest_bias);
    if (own_scale) a.scale = a_config.number({"softmax_scale"});
  }
  end_decoder(b, layout, "norm_f", true);
}

/// Zhang et al. 2022: positions begin at row 2. The 350M model has its norms after the sums and a narrower embedding.
void build_opt(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embed_tokens.weight"});
  BlockLayout layout = fairseq_blocks;
  layout.causal = true;
  layout.read_sizes(c);
  layout.inner = c.whole({"ffn_dim"});
  const Index d = layout.d;
  const Index narrow = c.whole({"word_embed_proj_dim"}, d), positions = c.whole({"max_position_embeddings"}, 2048);
  layout.norms_after = !c.flag({"do_layer_norm_before"}, true);
  const bool last = !c.flag({"_remove_final_layer_norm"}, false);
  b.refuse_unless("layer_norm_elementwise_affine", true);
  layout.attention_bias = layout.output_bias = layout.mlp_bias =
      c.flag({"enable_bias"}, true) ? Bias::needed : Bias::none;
  layout.activation = b.activation(c.text({"activation_function"}, "relu"));
  StackSpec& stack = b.begin_stack(d);
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
  b.add_blocks(stack, layout);
  if (!layout.norms_after && last) stack.final_norm = b.norm("final_layer_norm", layout);
  b.network.head.output = b.output_head("lm_head.weight", narrow, c.flag({"tie_word_embeddings"}, true));
}

}  // namespace headlight
