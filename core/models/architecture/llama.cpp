// LLaMA (Touvron et al. 2023) and the decoders that followed it, each with its differences.
#include "core/base/files/error_place.h"
#include "core/models/architecture/llama_family.h"

namespace headlight {
namespace {

using Flavour = LlamaFlavour;

constexpr MlpNames packed_mlp{.up = "mlp.gate_up_proj", .down = "mlp.down_proj", .packed = true};

}  // namespace

void build_llama(NetworkBuilder& b) { build_llama_family(b, {}); }
void build_mistral(NetworkBuilder& b) { build_llama_family(b, {.usual_window = 4096, .bias = ""}); }
void build_qwen2(NetworkBuilder& b) {
  build_llama_family(b, {.usual_window = 4096, .window_by_flag = true, .bias = "", .always_bias = true});
}
void build_qwen3(NetworkBuilder& b) {
  build_llama_family(b, {.qk_norms = Flavour::QkNorms::per_head, .usual_window = 4096, .window_by_flag = true});
}
void build_smollm3(NetworkBuilder& b) {
  build_llama_family(
      b, {.tied = true, .base = 2000000, .window_by_flag = true, .window_unrotated = true, .unrotated_every = 4});
}
void build_phi3(NetworkBuilder& b) {
  build_llama_family(
      b, {.epsilon = 1e-5, .window_by_field = true, .bias = "", .linears = {"qkv_proj", "o_proj"}, .mlp = packed_mlp});
}
void build_granite(NetworkBuilder& b) { build_llama_family(b, {.multipliers = true}); }

/// OLMo (Groeneveld et al. 2024): norms without weights. OLMo 2: norms after attention and MLP, before the sums. OLMo
/// 3: three of four layers have windows, and their RoPE is not scaled.
void build_olmo(NetworkBuilder& b) {
  b.config.refuse_unless("clip_qkv", nlohmann::json(), "expected queries, keys and values that are not clipped");
  build_llama_family(b, {.norm = NormKind::layer, .gains = false, .epsilon = 1e-5});
}
void build_olmo2(NetworkBuilder& b) {
  build_llama_family(b, {.epsilon = 1e-5, .norms = Flavour::Norms::after, .qk_norms = Flavour::QkNorms::whole});
}
void build_olmo3(NetworkBuilder& b) {
  build_llama_family(b, {.epsilon = 1e-5,
                         .norms = Flavour::Norms::after,
                         .qk_norms = Flavour::QkNorms::whole,
                         .usual_window = 4096,
                         .window_pattern = 4,
                         .window_plain = true});
}

/// Phi 1 to 2 (Li et al. 2023): one norm, then attention and MLP side by side; biases everywhere.
void build_phi(NetworkBuilder& b) {
  b.config.refuse_unless("qk_layernorm", false);
  build_llama_family(b, {.norm = NormKind::layer,
                         .epsilon = 1e-5,
                         .parallel = true,
                         .rotated_share = 0.5,
                         .bias = "",
                         .linears = {"q_proj", "k_proj", "v_proj", "dense"},
                         .mlp = {"mlp.fc1", "mlp.fc2"},
                         .final_norm = "final_layernorm",
                         .activation = "gelu_new"});
}
/// StableLM 2 (Bellagente et al. 2024).
void build_stablelm(NetworkBuilder& b) {
  using Norms = Flavour::QkNorms;
  build_llama_family(b, {.norm = NormKind::layer,
                         .epsilon = 1e-5,
                         .parallel = b.config.flag({"use_parallel_residual"}, false),
                         .qk_norms = b.config.flag({"qk_layernorm"}, false) ? Norms::each : Norms::none,
                         .rotated_share = 0.25,
                         .bias = "use_qkv_bias",
                         .output_bias = false});
}
/// nanochat (Karpathy 2025) with transformers' names and with its own: norms without weights, one of them after the
/// embedding.
void build_nanochat(NetworkBuilder& b) {
  Flavour flavour{.gains = false,
                  .qk_norms = Flavour::QkNorms::unit,
                  .backwards = true,
                  .mlp = {"mlp.fc1", "mlp.fc2"},
                  .activation = "relu2",
                  .embedding_norm = true,
                  .softcap = 15};
  if (const auto own = b.file.prefix_of("transformer.wte.weight")) {
    flavour.tokens = "wte.weight", flavour.blocks = "h.", flavour.attention = "attn";
    flavour.linears = {"c_q", "c_k", "c_v", "c_proj"};
    flavour.mlp = {"mlp.c_fc", "mlp.c_proj"};
    for (const char* later : {"resid_lambdas", "x0_lambdas", "value_embeds.0.weight", "value_embeds.1.weight",
                              "smear_gate.weight", "backout_lambda"}) {
      if (b.file.has(*own + later))
        b.config.fail(Message("its file holds {0}, which is not computed", std::string(later)),
                      "expected nanochat's network of 2025");
    }
  }
  build_llama_family(b, flavour);
  b.network.notes.push_back("heads turn by minus their angles: Q and K are shown with their halves exchanged");
}
/// Lozhkov et al. 2024.
void build_starcoder2(NetworkBuilder& b) {
  b.refuse_unless("norm_type", "layer_norm");
  b.refuse_unless("mlp_type", "default");
  b.config.refuse_unless("scale_attn_weights", true);
  b.config.find({"scale_attention_softmax_in_fp32"});
  build_llama_family(b, {.tied = true,
                         .norm = NormKind::layer,
                         .epsilon = 1e-5,
                         .window_by_field = true,
                         .bias = "use_bias",
                         .mlp = {"mlp.c_fc", "mlp.c_proj"},
                         .activation = "gelu_pytorch_tanh"});
}

namespace {

/// Command R: attention and MLP side by side after one norm without a bias, rotation of neighbouring pairs, scaled
/// logits.
Flavour cohere_flavour(const Config& c) {
  for (const char* always_true : {"use_embedding_sharing", "use_gated_activation", "use_parallel_block"})
    c.refuse_unless(always_true, true);
  c.refuse_unless("position_embedding_type", "rope_gptj");
  c.find({"use_parallel_embedding"});
  Flavour flavour{.tied = true,
                  .norm = NormKind::layer,
                  .norm_bias = Bias::where_there,
                  .epsilon = 1e-5,
                  .parallel = true,
                  .pairing = Rope::interleaved,
                  .logit_scale = 0.0625};
  if (c.flag({"use_qk_norm"}, false)) flavour.qk_norms = Flavour::QkNorms::per_head;
  return flavour;
}

}  // namespace

void build_cohere(NetworkBuilder& b) { build_llama_family(b, cohere_flavour(b.config)); }
/// Three of four layers have a window and are rotated; the fourth sees all keys and is not rotated.
void build_cohere2(NetworkBuilder& b) {
  b.config.refuse_unless("order_of_interleaved_layers", "local_attn_first");
  Flavour flavour = cohere_flavour(b.config);
  flavour.usual_window = 4096;
  flavour.window_pattern = 4;
  flavour.window_rotated = true;
  build_llama_family(b, flavour);
}

/// GLM-4 (2024): half of a head's channels are rotated, in neighbouring pairs. Its later form also has norms after
/// attention and MLP.
void build_glm(NetworkBuilder& b) {
  const bool around = b.config.text({"model_type"}, "") == "glm4";
  build_llama_family(b, {.epsilon = 1.5625e-07,
                         .norms = around ? Flavour::Norms::around_glm : Flavour::Norms::before,
                         .rotated_share = 0.5,
                         .pairing = Rope::interleaved,
                         .output_bias = false,
                         .mlp = packed_mlp});
}

/// Mixtures of experts: Jiang et al. 2024; Qwen's of 2024 and 2025; Muennighoff et al. 2024; Granite's; gpt-oss, whose
/// heads have sinks and whose gates are clipped.
void build_mixtral(NetworkBuilder& b) {
  build_llama_family(
      b, {.epsilon = 1e-5, .base = 1000000, .window_by_field = true, .bias = "", .experts = Flavour::Experts::mixtral});
}
void build_qwen2_moe(NetworkBuilder& b) {
  build_llama_family(b, {.usual_window = 4096, .window_by_flag = true, .bias = "", .experts = Flavour::Experts::qwen});
}
void build_qwen3_moe(NetworkBuilder& b) {
  build_llama_family(b, {.qk_norms = Flavour::QkNorms::per_head,
                         .usual_window = 4096,
                         .window_by_flag = true,
                         .experts = Flavour::Experts::qwen});
}
void build_olmoe(NetworkBuilder& b) {
  b.config.refuse_unless("clip_qkv", nlohmann::json());
  build_llama_family(b, {.epsilon = 1e-5, .qk_norms = Flavour::QkNorms::whole, .experts = Flavour::Experts::qwen});
}
void build_granite_moe(NetworkBuilder& b) {
  build_llama_family(b, {.experts = Flavour::Experts::granite, .multipliers = true});
}
void build_gpt_oss(NetworkBuilder& b) {
  b.config.find({"initial_context_length"});
  build_llama_family(b, {.epsilon = 1e-5,
                         .base = 150000,
                         .usual_window = 128,
                         .window_pattern = 2,
                         .sinks = true,
                         .experts = Flavour::Experts::gpt_oss});
}

/// DeepSeek-V2 and V3 (2024): latent attention, experts in groups beside shared ones.
void build_deepseek(NetworkBuilder& b) {
  for (const char* name : {"aux_loss_alpha", "seq_aux", "ep_size", "num_nextn_predict_layers", "n_shared_experts"})
    b.config.find({name});
  const bool neighbours = b.config.flag({"rope_interleave"}, true);
  build_llama_family(
      b,
      {.latent = true, .pairing = neighbours ? Rope::interleaved : Rope::half, .experts = Flavour::Experts::deepseek});
}

/// Llama 4 (2025): three of four layers are rotated and see only their own chunk; the fourth sees all keys.
void build_llama4(NetworkBuilder& b) {
  const Config& c = b.config;
  for (const char* name : {"for_llm_compressor", "attn_scale"}) c.find({name});
  build_llama_family(b, {.epsilon = 1e-5,
                         .qk_norms = Flavour::QkNorms::unit,
                         .base = 500000,
                         .pairing = Rope::interleaved,
                         .unrotated_every = 4,
                         .chunks = true,
                         .mlp = {"feed_forward.up_proj", "feed_forward.down_proj", "feed_forward.gate_proj"},
                         .experts = Flavour::Experts::llama4});
  // In layers without rotation, queries after this position are scaled up with the position.
  const Index scaled_from = c.flag({"attn_temperature_tuning"}, true) ? c.whole({"floor_scale"}, 8192) - 1 : 0;
  Index& most = b.network.stacks.front().embedding.most_positions;
  if (scaled_from <= 0 || (most > 0 && most <= scaled_from)) return;
  most = scaled_from;
  b.network.notes.push_back(Message(
      "texts of at most {0} tokens: beyond them queries grow with their position, which is not computed", scaled_from));
}

void build_gemma(NetworkBuilder& b) { build_llama_family(b, {.tied = true, .plus_one = true, .root_scale = true}); }

/// Gemma 2 (Rivière et al. 2024): every other layer has a window, the first one too.
void build_gemma2(NetworkBuilder& b) {
  build_llama_family(b, {.tied = true,
                         .plus_one = true,
                         .norms = Flavour::Norms::around,
                         .usual_window = 4096,
                         .window_pattern = 2,
                         .root_scale = true});
  // Fields that Gemma 2's config.json leaves out have these defaults.
  for (BlockSpec& block : b.network.stacks.front().blocks) {
    if (!b.config.has("query_pre_attn_scalar")) block.attention.scale = 1.0 / 16;
    if (!b.config.fields().contains("attn_logit_softcapping")) block.attention.softcap = 50;
  }
  if (!b.config.fields().contains("final_logit_softcapping")) b.network.head.softcap = 30;
}

/// Gemma 3's text model: a window in five of six layers, which rotate by their own base; QK-norm.
void build_gemma3(NetworkBuilder& b) {
  const Config& c = b.config;
  build_llama_family(b, {.tied = true,
                         .plus_one = true,
                         .norms = Flavour::Norms::around,
                         .qk_norms = Flavour::QkNorms::per_head,
                         .base = 1000000,
                         .usual_window = 4096,
                         .window_pattern = 6,
                         .root_scale = true});
  const double local = c.number({"rope_local_base_freq"}, 10000);
  const bool ropes_by_kind = b.ropes_by_kind();
  for (BlockSpec& block : b.network.stacks.front().blocks) {
    AttentionSpec& a = block.attention;
    if (!c.has("query_pre_attn_scalar")) a.scale = 1.0 / 16;
    if (a.window > 0 && !ropes_by_kind) a.rope = plain_rope(Rope::half, local, a.d_head);
  }
}

/// Meta's own files: params.json and consolidated.00.pth, rotated in neighbouring pairs.
void build_meta_llama(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"tok_embeddings.weight"});
  BlockLayout layout{.names = {"layers.",
                               "attention",
                               {"wq", "wk", "wv", "wo"},
                               "attention_norm",
                               "ffn_norm",
                               {"feed_forward.w3", "feed_forward.w2", "feed_forward.w1"}},
                     .norm = NormKind::rms,
                     .causal = true,
                     .activation = Activation::silu};
  layout.set_biases(Bias::where_there);
  layout.read_sizes(c, {"dim"}, {"n_layers"}, {"n_heads"});
  const Index d = layout.d, heads = layout.heads, kv_heads = c.whole({"n_kv_heads"}, heads);
  layout.kv_heads = kv_heads;
  layout.epsilon = c.number({"norm_eps"}, 1e-5);
  const double base = c.number({"rope_theta"}, 10000);
  c.find({"multiple_of", "ffn_dim_multiplier", "max_seq_len", "max_batch_size"});
  for (const char* name : {"moe", "vision_chunk_size", "quantization_args"}) b.refuse_unless(name, nlohmann::json());
  if (heads == 0 || kv_heads == 0 || (b.whole() && d % heads != 0) || heads % kv_heads != 0)
    c.fail(Message("says {0} heads on {1} key/value heads", heads, kv_heads),
           Message("expected divisors of dim {0}", d));
  const std::string first = b.prefix + "layers.0.feed_forward.w1.weight";
  if (b.whole() && (!b.file.has(first) || b.file.entry(first).shape.size() != 2))
    b.miss(first, Message("holds no {0}", in_quotes(first)), "expected the first layer's MLP, [inner, dim]");
  layout.inner = b.whole() ? b.file.entry(first).shape[0] : 0;
  RopeSpec rope = plain_rope(Rope::interleaved, base, b.whole() ? d / heads : b.layer->d_head);
  if (c.flag({"use_scaled_rope"}, false)) {
    rope.base = 0;
    rope.frequencies = llama3_frequencies(rope.frequencies, c.number({"rope_scaling_factor"}, 8),
                                          c.number({"low_freq_factor"}, 1), c.number({"high_freq_factor"}, 4), 8192);
  }

  StackSpec& stack = b.begin_stack(d);
  const std::string tokens = b.prefix + "tok_embeddings.weight";
  if (b.file.has(tokens) && !b.file.entry(tokens).shape.empty())
    b.network.vocabulary = b.file.entry(tokens).shape[0];  // params.json may say −1
  if (const auto* vocab_size = c.find({"vocab_size"});
      vocab_size && vocab_size->is_number_integer() && vocab_size->get<Index>() > 0)
    b.network.vocabulary = vocab_size->get<Index>();
  stack.embedding.tokens = b.array("tok_embeddings.weight", {b.network.vocabulary, d}, b.as_config_says());
  for (BlockSpec& block : b.add_blocks(stack, layout)) block.attention.rope = rope;
  stack.final_norm = b.norm("norm", layout);
  // The small LLaMA 3.2 models have no output.weight: the embedding is used.
  b.network.head.output = b.output_head("output.weight", d, !b.has("output.weight"));
}

}  // namespace headlight
