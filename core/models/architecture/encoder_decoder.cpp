// Encoder and decoder: T5 (Raffel et al. 2020), BART (Lewis et al. 2019), Marian (Junczys-Dowmunt et al. 2018).

#include <algorithm>

#include "core/base/files/error_place.h"
#include "core/models/architecture/network_builder.h"

namespace headlight {
namespace {

void build_t5_family(NetworkBuilder& b, bool usually_tied) {
  const Config& c = b.config;
  b.find_prefix({"shared.weight", "encoder.embed_tokens.weight"});
  BlockLayout layout{
      .names =
          {"", "layer.0.SelfAttention", {"q", "k", "v", "o"}, "layer.0.layer_norm", "", {}, "", "layer.1.layer_norm"},
      .norm = NormKind::rms};
  layout.set_biases(Bias::where_there);
  const Index d = layout.d = c.whole({"d_model"}), heads = layout.heads = c.whole({"num_heads"});
  layout.d_head = c.whole({"d_kv"}, 64), layout.inner = c.whole({"d_ff"});
  const Index blocks = c.whole({"num_layers"}), decoder_blocks = c.whole({"num_decoder_layers"}, blocks);
  const Index buckets = c.whole({"relative_attention_num_buckets"}, 32),
              furthest = c.whole({"relative_attention_max_distance"}, 128);
  layout.epsilon = c.number({"layer_norm_epsilon"}, 1e-6);
  std::string act = c.text({"feed_forward_proj"}, "relu");
  const bool is_gated = act.starts_with("gated-");
  if (is_gated) act = act.substr(6);
  // "gated-gelu" means the tanh form.
  layout.activation = is_gated && act == "gelu" ? Activation::gelu_tanh : b.activation(act);
  const MlpNames mlp_names = is_gated ? MlpNames{"wi_1", "wo", "wi_0"} : MlpNames{"wi", "wo"};
  c.find({"dense_act_fn", "is_gated_act", "n_positions"});
  const bool tied = c.flag({"tie_word_embeddings"}, usually_tied);
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
    const RelativeSpec relative{b.array(first, {buckets, heads}, b.as_config_says()), furthest, !decodes};
    layout.causal = decodes;
    layout.names.blocks = decodes ? "decoder.block." : "encoder.block.";
    layout.count = decodes ? decoder_blocks : blocks;
    layout.names.cross = decodes ? "layer.1.EncDecAttention" : "";
    layout.names.mlp_norm = decodes ? "layer.2.layer_norm" : "layer.1.layer_norm";
    if (heads == 0) c.fail("says 0 heads", "expected 1 or more");
    for (Index i = 0; i < layout.count; ++i) {
      const std::string at = layout.place(i), mlp = at + (decodes ? "layer.2." : "layer.1.") + "DenseReluDense.";
      BlockSpec& block = b.add_block(stack, layout, at);
      block.attention.scale = 1;
      block.attention.relative = relative;
      if (block.cross) block.cross->scale = 1;
      block.mlp = b.mlp(mlp, mlp_names, layout.inner, d, layout.activation);
    }
    stack.final_norm = b.norm(stack_name + "final_layer_norm", layout);
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
};

/// The embedding of the encoder or the decoder: tokens and positions.
void build_bart_embedding(NetworkBuilder& b, const BartFlavour& flavour, EmbeddingSpec& embedding, bool decodes,
                          const std::string& tokens) {
  const Config& c = b.config;
  const std::string side = decodes ? "decoder" : "encoder", why = b.as_config_says();
  const Index d = b.network.width;
  const Index positions = c.whole({"max_position_embeddings"}, 1024);
  const std::string own = side + ".embed_tokens.weight", rows = side + ".embed_positions.weight";
  const bool has_own = b.has(own) && decodes && !c.flag({"share_encoder_decoder_embeddings"}, true);
  embedding.tokens = has_own ? b.array(own, {b.network.vocabulary, d}, why) : tokens;
  embedding.scale = c.flag({"scale_embedding"}, flavour.scaled) ? std::sqrt(static_cast<double>(d)) : 1;
  embedding.position_kind = flavour.sinusoidal ? PositionKind::sinusoidal : PositionKind::learned;
  if (!flavour.sinusoidal || b.has(rows)) embedding.positions = b.array(rows, {positions + flavour.offset, d}, why);
  embedding.position_offset = flavour.offset;
  embedding.most_positions = positions;
  if (flavour.embedding_norm) embedding.norm = b.norm(side + ".layernorm_embedding", NormKind::layer, d, 1e-5);
}

void build_bart_family(NetworkBuilder& b, const BartFlavour& flavour) {
  const Config& c = b.config;
  b.find_prefix({"shared.weight", "encoder.embed_tokens.weight"});
  BlockLayout layout = fairseq_blocks;
  layout.norms_after = !flavour.norms_before;
  layout.names.cross_norm = "encoder_attn_layer_norm";
  const Index d = layout.d = c.whole({"d_model"});
  layout.activation = b.activation(c.text({"activation_function"}, flavour.activation));
  b.refuse_unless("normalize_before", flavour.norms_before);
  c.find({"num_hidden_layers", "static_position_embeddings", "share_encoder_decoder_embeddings", "decoder_vocab_size",
          "encoder_no_repeat_ngram_size", "extra_pos_embeddings", "force_bos_token_to_be_generated"});
  b.network.width = d;
  const std::string tokens = b.tokens(b.has("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight", d);
  for (const bool decodes : {false, true}) {
    const std::string side = decodes ? "decoder" : "encoder";
    layout.names.blocks = decodes ? "decoder.layers." : "encoder.layers.";
    layout.names.cross = decodes ? "encoder_attn" : "";
    layout.causal = decodes;
    const Index heads = layout.heads = c.whole({side + "_attention_heads"});
    layout.count = c.whole({side + "_layers"}), layout.inner = c.whole({side + "_ffn_dim"});
    if (heads == 0 || (d % heads != 0 && b.whole()))
      c.fail(Message("its {0}_attention_heads is {1}", side, heads), Message("expected a divisor of d_model {0}", d));
    StackSpec& stack = b.network.stacks.emplace_back();
    build_bart_embedding(b, flavour, stack.embedding, decodes, tokens);
    b.add_blocks(stack, layout);
    if (flavour.norms_before) stack.final_norm = b.norm(side + ".layer_norm", layout);
  }
  b.network.head.output = b.output_head("lm_head.weight", d, c.flag({"tie_word_embeddings"}, true));
  if (b.file.has("final_logits_bias")) {
    const OtherPrefix root(b);
    b.network.head.output.bias = b.array("final_logits_bias", {1, b.network.vocabulary}, b.as_config_says());
  }
  b.network.start_token = 2;
}

}  // namespace

void build_t5(NetworkBuilder& b) { build_t5_family(b, true); }
void build_mt5(NetworkBuilder& b) { build_t5_family(b, false); }
void build_bart(NetworkBuilder& b) { build_bart_family(b, {}); }
void build_mbart(NetworkBuilder& b) { build_bart_family(b, {.norms_before = true}); }
void build_marian(NetworkBuilder& b) {
  build_bart_family(b,
                    {.embedding_norm = false, .sinusoidal = true, .offset = 0, .activation = "swish", .scaled = true});
}

// PyTorch's nn.Transformer, its encoder, its decoder, or one layer of either: a state_dict, with x (or src, tgt,
// memory) in the same file.
namespace {

/// Reads in_proj_weight [3d, d] of `a`: the rows of all heads of q, then of k, then of v.
void add_packed(const NetworkBuilder& b, const std::string& at, Index d, AttentionSpec& a) {
  LinearSpec packed;
  packed.weight =
      b.array(at + ".in_proj_weight", {3 * d, d}, "query, key and value in one, as nn.MultiheadAttention has them");
  if (b.has(at + ".in_proj_bias")) packed.bias = b.array(at + ".in_proj_bias", {3 * d}, "as its weight has rows");
  split_packed(packed, 1, d, d, a);
  a.o = b.linear(at + ".out_proj", d, d);
}

void add_layer(const NetworkBuilder& b, const std::string& at, BlockLayout layout, StackSpec& stack) {
  const bool decodes = *layout.names.cross != 0;
  layout.names.mlp_norm = decodes ? "norm3" : "norm2";
  const std::string first = b.prefix + at + "linear1.weight";
  if (!b.file.has(first) || b.file.entry(first).shape.size() != 2)
    b.miss(first, Message("holds no {0}", in_quotes(first)), "expected the layer's MLP, [inner, d]");
  layout.inner = b.file.entry(first).shape[0];
  BlockSpec& block = b.add_block(stack, layout, at);
  add_packed(b, at + layout.names.attention, layout.d, block.attention);
  if (decodes) add_packed(b, at + layout.names.cross, layout.d, *block.cross);
}

/// Reads "layers.0.", "layers.1." … under `at`, or the layer at `at` itself.
StackSpec build_stack(const NetworkBuilder& b, const std::string& at, const BlockLayout& layout) {
  StackSpec stack;
  if (b.has(at + "self_attn.in_proj_weight")) {
    add_layer(b, at, layout, stack);
    return stack;
  }
  for (Index i = 0; b.has(at + layout.place(i) + "self_attn.in_proj_weight"); ++i)
    add_layer(b, at + layout.place(i), layout, stack);
  if (b.has(at + "norm.weight")) stack.final_norm = b.norm(at + "norm", layout);
  return stack;
}

/// Assigns each mask in the file to the attentions that PyTorch applies it to. Other masks are refused, so that none is
/// ignored.
void take_masks(NetworkBuilder& b, bool encodes, bool decodes) {
  for (const std::string& name : b.file.names()) {
    std::string bare = name;
    for (const std::string_view place : places_of_inputs) {
      if (name.starts_with(place)) bare = name.substr(place.size());
    }
    if (bare.find("mask") == std::string::npos || bare.find('.') != std::string::npos) continue;
    const bool floating = is_floating(b.file.entry(name).dtype);
    const auto named = [&](std::initializer_list<const char*> names) {
      return std::ranges::any_of(names, [&](const char* each) { return bare == each; });
    };
    const bool both = encodes && decodes;
    const bool source =
        encodes && (named({"src_mask", "src_key_padding_mask"}) ||
                    (!both && (named({"key_padding_mask", "attn_mask"}) || (bare == "mask" && floating))));
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
  BlockLayout layout{.names = {"layers.", "self_attn", {}, "norm1", "", {"linear1", "linear2"}, "", "norm2"}};
  layout.heads = c.whole({"num_heads", "nhead", "n_heads", "n_head", "head_num", "num_attention_heads"});
  layout.epsilon = c.number({"layer_norm_eps"}, 1e-5);
  layout.norms_after = !c.flag({"norm_first"}, false);
  layout.activation = b.activation(c.text({"activation"}, "relu"));
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
  b.network.width = layout.d = packed[1];
  const bool both = ending.starts_with("encoder.") && b.has("decoder.layers.0.self_attn.in_proj_weight");
  const std::string encoder_at = ending.starts_with("encoder.") ? "encoder." : "";
  const bool decodes =
      !both && b.file.prefix_of(encoder_at + (ending.find("layers.0.") != std::string::npos ? "layers.0." : "") +
                                "multihead_attn.in_proj_weight");
  if ((both || decodes) && !c.find({"is_causal", "tgt_is_causal"}) && b.file.input_named("tgt_mask").empty())
    b.network.notes.push_back("no mask in the decoder: the file has no tgt_is_causal");
  BlockLayout decoder = layout;
  decoder.names.cross = "multihead_attn";
  (both || decodes ? decoder : layout).causal = causal;
  if (!decodes) b.network.stacks.push_back(build_stack(b, encoder_at, layout));
  else b.network.stacks.emplace_back();  // the file holds the encoder's output (memory)
  if (both || decodes) b.network.stacks.push_back(build_stack(b, both ? "decoder." : encoder_at, decoder));
  take_masks(b, both || !decodes, both || decodes);
  b.network.takes_tensors = true;
}

}  // namespace headlight
