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

/// What the blocks of a T5 share.
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
    const RelativeSpec relative{b.array(first, {buckets, heads}, "as " + c.path() + " says"), buckets, furthest,
                                !decodes};
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
  bool norms_before = false;  ///< and one after the last block
  bool sinusoidal = false;
  Index offset = 2;
  const char* activation = "gelu";
  bool scaled = false;
  bool hears = false;  ///< the encoder reads sounds
};

/// Whisper's beginning: two convolutions over a spectrogram, the second of which leaves every other frame.
void build_ear(NetworkBuilder& b, EmbeddingSpec& embedding, Index d, Index positions) {
  const Config& c = b.config;
  const Index bands = c.whole({"num_mel_bins"}, 80);
  for (const auto& [name, in] : {std::pair{"encoder.conv1", bands}, {"encoder.conv2", d}}) {
    LinearSpec& convolution = embedding.convolutions.emplace_back();
    convolution.weight = b.array(std::string(name) + ".weight", {d, in, 3}, "as " + c.path() + " says");
    convolution.bias = b.array(std::string(name) + ".bias", {d}, "as " + c.path() + " says");
  }
  embedding.positions = b.array("encoder.embed_positions.weight", {positions, d}, "as " + c.path() + " says");
  b.network.sound = SoundSpec{bands, 2 * positions};
  for (const char* of_training : {"use_weighted_layer_sum", "classifier_proj_size", "median_filter_width",
                                  "apply_spec_augment", "mask_time_prob", "mask_time_length", "mask_time_min_masks",
                                  "mask_feature_prob", "mask_feature_length", "mask_feature_min_masks"})
    c.find({of_training});
  if (c.find({"suppress_tokens", "begin_suppress_tokens"}))
    b.network.notes.push_back("suppress_tokens are not kept from being written");
}

/// Of the encoder or the decoder: tokens, unless it reads sounds, and positions.
void build_bart_embedding(NetworkBuilder& b, const BartFlavour& flavour, EmbeddingSpec& embedding, bool decodes,
                          const std::string& tokens) {
  const Config& c = b.config;
  const std::string side = decodes ? "decoder" : "encoder", why = "as " + c.path() + " says";
  const Index d = b.network.width;
  const Index positions = flavour.hears ? c.whole({decodes ? "max_target_positions" : "max_source_positions"})
                                        : c.whole({"max_position_embeddings"}, 1024);
  const std::string own = side + ".embed_tokens.weight", rows = side + ".embed_positions.weight";
  const bool has_own = b.has(own) && decodes && !c.flag({"share_encoder_decoder_embeddings"}, true);
  if (flavour.hears && !decodes) build_ear(b, embedding, d, positions);
  else embedding.tokens = has_own ? b.array(own, {b.network.vocabulary, d}, why) : tokens;
  const bool scaled = c.flag({"scale_embedding"}, flavour.scaled) && !flavour.hears;  // which Whisper passes over
  embedding.scale = scaled ? std::sqrt(static_cast<double>(d)) : 1;
  embedding.position_kind = flavour.sinusoidal ? PositionKind::sinusoidal : PositionKind::learned;
  if (!flavour.sinusoidal || b.has(rows)) embedding.positions = b.array(rows, {positions + flavour.offset, d}, why);
  embedding.position_offset = flavour.offset;
  embedding.most_positions = positions;
  if (flavour.embedding_norm) embedding.norm = b.norm(side + ".layernorm_embedding", NormKind::layer, d, 1e-5);
}

void build_bart_family(NetworkBuilder& b, const BartFlavour& flavour) {
  const Config& c = b.config;
  const std::string first_tokens = flavour.hears ? "decoder.embed_tokens.weight" : "encoder.embed_tokens.weight";
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
      block.mlp = MlpSpec{{}, b.linear(at + "fc1", inner, d), b.linear(at + "fc2", d, inner), activation};
    }
    if (flavour.norms_before) stack.final_norm = norm(side + ".layer_norm");
  }
  b.network.head.output =
      b.output_head(flavour.hears ? "proj_out.weight" : "lm_head.weight", d, c.flag({"tie_word_embeddings"}, true));
  if (b.file.has("final_logits_bias")) {
    NetworkBuilder root = b;
    root.prefix.clear();
    b.network.head.output.bias = root.array("final_logits_bias", {1, b.network.vocabulary}, "as " + c.path() + " says");
  }
  b.network.start_token = 2;
}

}  // namespace

void build_t5(NetworkBuilder& b) { build_t5_family(b, true); }
void build_mt5(NetworkBuilder& b) { build_t5_family(b, false); }
void build_bart(NetworkBuilder& b) { build_bart_family(b, {}); }
void build_mbart(NetworkBuilder& b) { build_bart_family(b, {.norms_before = true}); }
void build_whisper(NetworkBuilder& b) {
  build_bart_family(b, {.embedding_norm = false, .norms_before = true, .offset = 0, .hears = true});
}
void build_marian(NetworkBuilder& b) {
  build_bart_family(b,
                    {.embedding_norm = false, .sinusoidal = true, .offset = 0, .activation = "swish", .scaled = true});
}

}  // namespace headlight
