// Encoder and decoder: T5 (Raffel et al. 2020), BART (Lewis et al. 2019), Marian (Junczys-Dowmunt et al. 2018), Whisper
// (Radford et al. 2022).

#include <algorithm>

#include "core/architecture/network_builder.h"
#include "core/files/error_place.h"

namespace headlight {
namespace {

AttentionSpec four_linears(const NetworkBuilder& b, const std::string& at, const char* const (&names)[4], Index d,
                           Index heads, Index d_head) {
  AttentionSpec a;
  a.name = b.prefix + at;
  if (heads == 0) b.config.fail("says 0 heads", "expected 1 or more");
  a.heads = a.kv_heads = heads;
  a.d_head = d_head;
  a.scale = 1 / std::sqrt(static_cast<double>(d_head));
  a.q = b.linear(at + "." + names[0], heads * d_head, d);
  a.k = b.linear(at + "." + names[1], heads * d_head, d);
  a.v = b.linear(at + "." + names[2], heads * d_head, d);
  a.o = b.linear(at + "." + names[3], d, heads * d_head);
  return a;
}

/// What the blocks of a T5 have in common.
struct T5Blocks {
  NetworkBuilder& b;
  Index d, heads, d_head, inner;
  double epsilon;
  Activation activation;
  bool is_gated;

  auto norm(const std::string& name) const { return b.norm(name, NormKind::rms, d, epsilon); }

  AttentionSpec attention(const std::string& at) const {
    constexpr const char* names[4] = {"q", "k", "v", "o"};
    AttentionSpec attention = four_linears(b, at, names, d, heads, d_head);
    attention.scale = 1;
    return attention;
  }

  void add_to(StackSpec& stack, const std::string& name, const RelativeSpec& relative, bool decodes) const {
    const std::string at = name + ".layer.", mlp = at + (decodes ? "2" : "1") + ".";
    BlockSpec& block = stack.blocks.emplace_back();
    block.name = b.prefix + name;
    block.before_attention = norm(at + "0.layer_norm");
    block.attention = attention(at + "0.SelfAttention");
    block.attention.causal = decodes;
    block.attention.relative = relative;
    if (decodes) {
      block.before_cross = norm(at + "1.layer_norm");
      block.cross = attention(at + "1.EncDecAttention");
    }
    block.before_mlp = norm(mlp + "layer_norm");
    MlpSpec& spec = block.mlp.emplace();
    spec.activation = activation;
    if (is_gated) spec.gate = b.linear(mlp + "DenseReluDense.wi_0", inner, d);
    spec.up = b.linear(mlp + "DenseReluDense." + (is_gated ? "wi_1" : "wi"), inner, d);
    spec.down = b.linear(mlp + "DenseReluDense.wo", d, inner);
  }
};

void build_t5_family(NetworkBuilder& b, bool usually_tied) {
  const Config& c = b.config;
  b.find_prefix({"shared.weight", "encoder.embed_tokens.weight"});
  const Index d = c.whole({"d_model"}), heads = c.whole({"num_heads"}), d_head = c.whole({"d_kv"}, 64),
              inner = c.whole({"d_ff"});
  const Index blocks = c.whole({"num_layers"}), decoder_blocks = c.whole({"num_decoder_layers"}, blocks);
  const Index buckets = c.whole({"relative_attention_num_buckets"}, 32),
              furthest = c.whole({"relative_attention_max_distance"}, 128);
  const double epsilon = c.number({"layer_norm_epsilon"}, 1e-6);
  std::string act = c.text({"feed_forward_proj"}, "relu");
  const bool is_gated = act.starts_with("gated-");
  if (is_gated) act = act.substr(6);
  // "gated-gelu" means the tanh form.
  const Activation activation = is_gated && act == "gelu" ? Activation::gelu_tanh : b.activation(act);
  c.find({"dense_act_fn", "is_gated_act", "n_positions"});
  const bool tied = c.flag({"tie_word_embeddings"}, usually_tied);
  const T5Blocks family{b, d, heads, d_head, inner, epsilon, activation, is_gated};
  b.network.width = d;
  const std::string tokens = b.tokens(b.has("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight", d);
  const bool encoder_alone =  // T5EncoderModel
      b.whole() && std::ranges::none_of(b.file.names(), [&](const std::string& name) {
        return name.starts_with(b.prefix + "decoder.");
      });
  for (const bool decodes : {false, true}) {
    if (decodes && encoder_alone) {
      c.find({"decoder_start_token_id"});
      b.network.notes.push_back("the file has no decoder: it predicts nothing");
      return;
    }
    const std::string stack_name = decodes ? "decoder." : "encoder.";
    StackSpec& stack = b.network.stacks.emplace_back();
    stack.embedding.tokens = tokens;
    const std::string first = stack_name + "block.0.layer.0.SelfAttention.relative_attention_bias.weight";
    const RelativeSpec relative{b.array(first, {buckets, heads}, b.as_config_says()), buckets, furthest, !decodes};
    for (Index i = 0; i < (decodes ? decoder_blocks : blocks); ++i)
      family.add_to(stack, stack_name + "block." + std::to_string(i), relative, decodes);
    stack.final_norm = family.norm(stack_name + "final_layer_norm");
  }
  b.network.head.output = b.output_head("lm_head.weight", d, tied);
  if (tied) b.network.head.scale = 1 / std::sqrt(static_cast<double>(d));
  b.network.start_token = 0;
}

struct BartFlavour {
  bool embedding_norm = true;
  bool norms_before = false;  ///< and one norm after the last block
  bool sinusoidal = false;
  Index offset = 2;
  const char* activation = "gelu";
  bool scaled = false;
  bool reads_sound = false;  ///< the encoder reads sounds (Whisper)
};

/// The beginning of Whisper: two convolutions over a spectrogram. The second one halves the number of frames.
void build_sound_embedding(NetworkBuilder& b, EmbeddingSpec& embedding, Index d, Index positions) {
  const Config& c = b.config;
  const Index bands = c.whole({"num_mel_bins"}, 80);
  for (const auto& [name, in] : {std::pair{"encoder.conv1", bands}, {"encoder.conv2", d}}) {
    LinearSpec& convolution = embedding.convolutions.emplace_back();
    convolution.weight = b.array(std::string(name) + ".weight", {d, in, 3}, b.as_config_says());
    convolution.bias = b.array(std::string(name) + ".bias", {d}, b.as_config_says());
  }
  embedding.positions = b.array("encoder.embed_positions.weight", {positions, d}, b.as_config_says());
  b.network.sound = SoundSpec{bands, 2 * positions};
  for (const char* unused : {"use_weighted_layer_sum", "classifier_proj_size", "median_filter_width",
                             "apply_spec_augment", "mask_time_prob", "mask_time_length", "mask_time_min_masks",
                             "mask_feature_prob", "mask_feature_length", "mask_feature_min_masks"})
    c.find({unused});
  if (c.find({"suppress_tokens", "begin_suppress_tokens"}))
    b.network.notes.push_back("suppress_tokens are not kept from being written");
}

/// The embedding of the encoder or the decoder: tokens or sounds, and positions.
void build_bart_embedding(NetworkBuilder& b, const BartFlavour& flavour, EmbeddingSpec& embedding, bool decodes,
                          const std::string& tokens) {
  const Config& c = b.config;
  const std::string side = decodes ? "decoder" : "encoder", why = b.as_config_says();
  const Index d = b.network.width;
  const Index positions = flavour.reads_sound ? c.whole({decodes ? "max_target_positions" : "max_source_positions"})
                                              : c.whole({"max_position_embeddings"}, 1024);
  const std::string own = side + ".embed_tokens.weight", rows = side + ".embed_positions.weight";
  const bool has_own = b.has(own) && decodes && !c.flag({"share_encoder_decoder_embeddings"}, true);
  if (flavour.reads_sound && !decodes) build_sound_embedding(b, embedding, d, positions);
  else embedding.tokens = has_own ? b.array(own, {b.network.vocabulary, d}, why) : tokens;
  const bool scaled = c.flag({"scale_embedding"}, flavour.scaled) && !flavour.reads_sound;  // not in Whisper
  embedding.scale = scaled ? std::sqrt(static_cast<double>(d)) : 1;
  embedding.position_kind = flavour.sinusoidal ? PositionKind::sinusoidal : PositionKind::learned;
  if (!flavour.sinusoidal || b.has(rows)) embedding.positions = b.array(rows, {positions + flavour.offset, d}, why);
  embedding.position_offset = flavour.offset;
  embedding.most_positions = positions;
  if (flavour.embedding_norm) embedding.norm = b.norm(side + ".layernorm_embedding", NormKind::layer, d, 1e-5);
}

void build_bart_family(NetworkBuilder& b, const BartFlavour& flavour) {
  const Config& c = b.config;
  const std::string first_tokens = flavour.reads_sound ? "decoder.embed_tokens.weight" : "encoder.embed_tokens.weight";
  b.find_prefix({"shared.weight", first_tokens});
  const Index d = c.whole({"d_model"});
  const Activation activation = b.activation(c.text({"activation_function"}, flavour.activation));
  b.refuse_unless("normalize_before", flavour.norms_before);
  c.find({"num_hidden_layers", "static_position_embeddings", "share_encoder_decoder_embeddings", "decoder_vocab_size",
          "encoder_no_repeat_ngram_size", "extra_pos_embeddings", "force_bos_token_to_be_generated"});
  constexpr const char* names[4] = {"q_proj", "k_proj", "v_proj", "out_proj"};
  b.network.width = d;
  const std::string tokens = b.tokens(b.has("shared.weight") ? "shared.weight" : first_tokens, d);
  const auto norm = [&](const std::string& name) { return b.norm(name, NormKind::layer, d, 1e-5); };
  for (const bool decodes : {false, true}) {
    const std::string side = decodes ? "decoder" : "encoder";
    const Index heads = c.whole({side + "_attention_heads"}), blocks = c.whole({side + "_layers"}),
                inner = c.whole({side + "_ffn_dim"});
    const Index d_head = b.layer ? b.layer->d_head : heads > 0 ? d / heads : 0;
    if (heads == 0 || (d % heads != 0 && b.whole()))
      c.fail(Message("its {0}_attention_heads is {1}", side, heads), Message("expected a divisor of d_model {0}", d));
    StackSpec& stack = b.network.stacks.emplace_back();
    build_bart_embedding(b, flavour, stack.embedding, decodes, tokens);
    for (Index i = 0; i < blocks; ++i) {
      const std::string at = side + ".layers." + std::to_string(i) + ".";
      BlockSpec& block = b.begin_block(stack, at);
      (flavour.norms_before ? block.before_attention : block.attention_sum) = norm(at + "self_attn_layer_norm");
      block.attention = four_linears(b, at + "self_attn", names, d, heads, d_head);
      block.attention.causal = decodes;
      if (decodes) {
        (flavour.norms_before ? block.before_cross : block.cross_sum) = norm(at + "encoder_attn_layer_norm");
        block.cross = four_linears(b, at + "encoder_attn", names, d, heads, d_head);
      }
      (flavour.norms_before ? block.before_mlp : block.mlp_sum) = norm(at + "final_layer_norm");
      block.mlp = b.mlp(at + "fc1", at + "fc2", inner, d, activation);
    }
    if (flavour.norms_before) stack.final_norm = norm(side + ".layer_norm");
  }
  b.network.head.output = b.output_head(flavour.reads_sound ? "proj_out.weight" : "lm_head.weight", d,
                                        c.flag({"tie_word_embeddings"}, true));
  if (b.file.has("final_logits_bias")) {
    NetworkBuilder root = b;
    root.prefix.clear();
    b.network.head.output.bias = root.array("final_logits_bias", {1, b.network.vocabulary}, b.as_config_says());
  }
  b.network.start_token = 2;
}

}  // namespace

void build_t5(NetworkBuilder& b) { build_t5_family(b, true); }
void build_mt5(NetworkBuilder& b) { build_t5_family(b, false); }
void build_bart(NetworkBuilder& b) { build_bart_family(b, {}); }
void build_mbart(NetworkBuilder& b) { build_bart_family(b, {.norms_before = true}); }
void build_whisper(NetworkBuilder& b) {
  build_bart_family(b, {.embedding_norm = false, .norms_before = true, .offset = 0, .reads_sound = true});
}
void build_marian(NetworkBuilder& b) {
  build_bart_family(b,
                    {.embedding_norm = false, .sinusoidal = true, .offset = 0, .activation = "swish", .scaled = true});
}

// PyTorch's nn.Transformer, its encoder, its decoder, or one layer of either: a state_dict, with x (or src, tgt,
// memory) in the same file.
namespace {

struct LayerRules {
  Index d = 0, heads = 0;
  double epsilon = 1e-5;
  bool norm_first = false;
  Activation activation = Activation::relu;
};

/// Reads in_proj_weight [3d, d] under `at`: the rows of all heads of q, then of k, then of v.
AttentionSpec packed_attention(const NetworkBuilder& b, const std::string& at, const LayerRules& rules) {
  AttentionSpec a;
  a.name = b.prefix + at;
  settle_heads(b, a, rules.d, rules.heads);
  LinearSpec packed;
  packed.weight = b.array(at + ".in_proj_weight", {3 * rules.d, rules.d},
                          "query, key and value in one, as nn.MultiheadAttention has them");
  if (b.has(at + ".in_proj_bias")) packed.bias = b.array(at + ".in_proj_bias", {3 * rules.d}, "as its weight has rows");
  split_packed(packed, 1, rules.d, rules.d, a);
  a.o = b.linear(at + ".out_proj", rules.d, rules.d);
  return a;
}

BlockSpec build_layer(const NetworkBuilder& b, const std::string& at, const LayerRules& rules, bool decodes,
                      bool causal) {
  BlockSpec block;
  block.name = b.prefix + at;
  const auto norm = [&](const char* name) { return b.norm(at + name, NormKind::layer, rules.d, rules.epsilon); };
  block.attention = packed_attention(b, at + "self_attn", rules);
  block.attention.causal = causal;
  (rules.norm_first ? block.before_attention : block.attention_sum) = norm("norm1");
  if (decodes) {
    block.cross = packed_attention(b, at + "multihead_attn", rules);
    (rules.norm_first ? block.before_cross : block.cross_sum) = norm("norm2");
  }
  (rules.norm_first ? block.before_mlp : block.mlp_sum) = norm(decodes ? "norm3" : "norm2");
  const std::string first = b.prefix + at + "linear1.weight";
  if (!b.file.has(first) || b.file.entry(first).shape.size() != 2)
    b.miss(first, Message("holds no {0}", in_quotes(first)), "expected the layer's MLP, [inner, d]");
  const Index inner = b.file.entry(first).shape[0];
  block.mlp = b.mlp(at + "linear1", at + "linear2", inner, rules.d, rules.activation);
  return block;
}

/// Reads "layers.0.", "layers.1." … under `at`, or the layer at `at` itself.
StackSpec build_stack(const NetworkBuilder& b, const std::string& at, const LayerRules& rules, bool decodes,
                      bool causal) {
  StackSpec stack;
  if (b.has(at + "self_attn.in_proj_weight")) {
    stack.blocks.push_back(build_layer(b, at, rules, decodes, causal));
    return stack;
  }
  for (Index i = 0; b.has(at + "layers." + std::to_string(i) + ".self_attn.in_proj_weight"); ++i) {
    stack.blocks.push_back(build_layer(b, at + "layers." + std::to_string(i) + ".", rules, decodes, causal));
  }
  if (b.has(at + "norm.weight")) stack.final_norm = b.norm(at + "norm", NormKind::layer, rules.d, rules.epsilon);
  return stack;
}

/// Assigns each mask in the file to the attentions that PyTorch applies it to. Other masks are refused, so that none is
/// ignored.
void take_masks(NetworkBuilder& b, bool encodes, bool decodes) {
  for (const std::string& name : b.file.names()) {
    if (name.find("mask") == std::string::npos || name.find('.') != std::string::npos) continue;
    const bool floating = is_floating(b.file.entry(name).dtype);
    const auto named = [&](std::initializer_list<const char*> names) {
      return std::ranges::any_of(names, [&](const char* each) { return name == each; });
    };
    const bool both = encodes && decodes;
    const bool source =
        encodes && (named({"src_mask", "src_key_padding_mask"}) ||
                    (!both && (named({"key_padding_mask", "attn_mask"}) || (name == "mask" && floating))));
    const bool target = decodes && named({"tgt_mask", "tgt_key_padding_mask"});
    const bool memory = decodes && named({"memory_mask", "memory_key_padding_mask"});
    if (!source && !target && !memory) {
      b.fail(name, Message("holds {0}, which a run of all layers does not take here", in_quotes(name)),
             "expected src_mask, tgt_mask, memory_mask or their key_padding_mask (true = may not attend), or the "
             "layer's prefix in place of its number");
    }
    for (std::size_t s = 0; s < b.network.stacks.size(); ++s) {
      for (BlockSpec& block : b.network.stacks[s].blocks) {
        if (source && !block.cross) block.attention.masks.push_back(name);
        if (target && block.cross) block.attention.masks.push_back(name);
        if (memory && block.cross) block.cross->masks.push_back(name);
      }
    }
    b.network.notes.push_back(Message(floating ? "{0}: added to the scores" : "{0}: true = may not attend", name));
  }
}

}  // namespace

void build_torch_transformer(NetworkBuilder& b) {
  const Config& c = b.config;
  LayerRules rules;
  rules.heads = c.whole({"num_heads", "nhead", "n_heads", "n_head", "head_num", "num_attention_heads"});
  rules.epsilon = c.number({"layer_norm_eps"}, 1e-5);
  rules.norm_first = c.flag({"norm_first"}, false);
  rules.activation = b.activation(c.text({"activation"}, "relu"));
  const bool causal = c.flag({"is_causal", "tgt_is_causal"}, false);
  std::string missing;
  for (const char* name : {"norm_first", "activation", "layer_norm_eps"}) {
    if (!c.has(name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (!missing.empty()) b.network.notes.push_back(Message("PyTorch's own {0}, which the file does not say", missing));
  std::string ending;
  for (const char* known :
       {"encoder.layers.0.self_attn.in_proj_weight", "layers.0.self_attn.in_proj_weight", "self_attn.in_proj_weight"}) {
    if (ending.empty() && b.file.prefix_of(known)) ending = known;
  }
  if (ending.empty())
    b.miss("self_attn.in_proj_weight", "holds no self_attn.in_proj_weight",
           "expected the state_dict of nn.Transformer or of its layers");
  b.find_prefix({ending});
  const Shape& packed = b.file.entry(b.prefix + ending).shape;
  if (packed.size() != 2)
    b.fail(b.prefix + ending, Message("{0} has shape {1}", in_quotes(b.prefix + ending), to_string(packed)),
           "expected [3·d, d]");
  b.network.width = rules.d = packed[1];
  const bool both = ending.starts_with("encoder.") && b.has("decoder.layers.0.self_attn.in_proj_weight");
  const std::string encoder_at = ending.starts_with("encoder.") ? "encoder." : "";
  const bool decodes =
      !both && b.file.prefix_of(encoder_at + (ending.find("layers.0.") != std::string::npos ? "layers.0." : "") +
                                "multihead_attn.in_proj_weight");
  if ((both || decodes) && !c.find({"is_causal", "tgt_is_causal"}) && !b.file.has("tgt_mask"))
    b.network.notes.push_back("no mask in the decoder: the file has no tgt_is_causal");
  if (both) {
    b.network.stacks.push_back(build_stack(b, "encoder.", rules, false, false));
    b.network.stacks.push_back(build_stack(b, "decoder.", rules, true, causal));
  } else if (decodes) {
    b.network.stacks.emplace_back();  // the file holds the encoder's output (memory)
    b.network.stacks.push_back(build_stack(b, encoder_at, rules, true, causal));
  } else {
    b.network.stacks.push_back(build_stack(b, encoder_at, rules, false, causal));
  }
  take_masks(b, both || !decodes, both || decodes);
  b.network.takes_tensors = true;
}

}  // namespace headlight
