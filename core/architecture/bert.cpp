// Encoders that predict masked words: BERT (Devlin et al. 2018), RoBERTa, ELECTRA, ALBERT, DistilBERT, with norms after
// the sums, and ModernBERT.
#include <algorithm>

#include "core/architecture/network_builder.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

struct Encoder {
  Index d = 0, blocks = 0, heads = 0, inner = 0;
  double epsilon = 1e-12;
  Activation activation = Activation::gelu;
};

/// Reads the config.json of BERT and similar models, and their embedding. `narrow`: the embedding's width if it differs
/// from the model's. `offset`: the row of the first position.
Encoder begin_encoder(NetworkBuilder& b, Index offset, Index narrow = 0, const char* projection = "",
                      const char* activation = "gelu") {
  const Config& c = b.config;
  b.find_prefix({"embeddings.word_embeddings.weight"});
  Encoder sizes{c.whole({"hidden_size"}),
                c.whole({"num_hidden_layers"}),
                c.whole({"num_attention_heads"}),
                c.whole({"intermediate_size"}),
                c.number({"layer_norm_eps"}, 1e-12),
                b.activation(c.text({"hidden_act"}, activation))};
  if (narrow == 0) narrow = sizes.d;
  const Index positions = c.whole({"max_position_embeddings"}), segments = c.whole({"type_vocab_size"}, 2);
  const bool in_embedding = c.flag({"position_biased_input"}, true);  // DeBERTa can have positions in its scores alone
  c.refuse_unless("position_embedding_type", "absolute");
  b.refuse_unless("is_decoder", false);
  b.refuse_unless("add_cross_attention", false);
  b.refuse_unless("embedding_size", narrow);
  const std::string why = b.as_config_says();
  b.network.width = sizes.d;
  b.network.masked = true;
  EmbeddingSpec& embedding = b.network.stacks.emplace_back().embedding;
  embedding.tokens = b.tokens("embeddings.word_embeddings.weight", narrow);
  if (in_embedding) {
    embedding.position_kind = PositionKind::learned;
    embedding.positions = b.array("embeddings.position_embeddings.weight", {positions, narrow}, why);
    embedding.position_offset = offset;
    embedding.most_positions = positions - offset;
  }
  if (segments > 0) embedding.segments = b.array("embeddings.token_type_embeddings.weight", {segments, narrow}, why);
  embedding.norm = b.norm("embeddings.LayerNorm", NormKind::layer, narrow, sizes.epsilon);
  if (*projection && (narrow != sizes.d || b.has(std::string(projection) + ".weight"))) {
    embedding.projection = b.linear(projection, sizes.d, narrow);
    embedding.projected_last = true;
  }
  return sizes;
}

/// The names of a block's layers after the name of the block.
struct EncoderNames {
  const char *query, *key, *value, *output, *attention_norm, *up, *down, *norm;
};
constexpr EncoderNames bert_names{
    "attention.self.query",       "attention.self.key", "attention.self.value", "attention.output.dense",
    "attention.output.LayerNorm", "intermediate.dense", "output.dense",         "output.LayerNorm"};

void add_block(NetworkBuilder& b, const Encoder& sizes, const std::string& at, const EncoderNames& names) {
  BlockSpec& block = b.begin_block(b.network.stacks.front(), at);
  AttentionSpec& a = b.begin_attention(block, "attention", sizes.d, sizes.heads);
  a.causal = b.config.flag({"is_decoder"}, false);
  b.add_projections(a, at, {names.query, names.key, names.value, names.output}, sizes.d);
  block.attention_sum = b.norm(at + names.attention_norm, NormKind::layer, sizes.d, sizes.epsilon);
  block.mlp = b.mlp(at + names.up, at + names.down, sizes.inner, sizes.d, sizes.activation);
  block.mlp_sum = b.norm(at + names.norm, NormKind::layer, sizes.d, sizes.epsilon);
}

Encoder build_blocks(NetworkBuilder& b, Index offset, Index narrow = 0, const char* projection = "") {
  const Encoder sizes = begin_encoder(b, offset, narrow, projection);
  for (Index i = 0; i < sizes.blocks; ++i) add_block(b, sizes, "encoder.layer." + std::to_string(i) + ".", bert_names);
  return sizes;
}

/// The head: dense, activation, norm, then the transposed embedding (or a matrix of its own) and a bias. No head if the
/// file has none.
void build_masked_head(NetworkBuilder& b, const std::string& dense, const std::string& norm, const std::string& output,
                       std::initializer_list<std::string> biases, Activation activation, double epsilon,
                       Index narrow = 0) {
  const std::string inside = b.prefix;
  b.prefix.clear();
  if (b.has(dense + ".weight")) {
    const Index d = narrow > 0 ? narrow : b.network.width;
    HeadSpec& head = b.network.head;
    head.transform = b.linear(dense, d, b.network.width);
    head.activation = activation;
    head.norm = b.norm(norm, NormKind::layer, d, epsilon);
    const bool tied = b.config.flag({"tie_word_embeddings"}, true) || !b.has(output + ".weight");
    head.output.weight = tied ? b.network.stacks.front().embedding.tokens
                              : b.array(output + ".weight", {b.network.vocabulary, d}, b.as_config_says());
    for (const std::string& bias : biases) {
      if (head.output.bias.empty() && b.has(bias))
        head.output.bias = b.array(bias, {b.network.vocabulary}, b.as_config_says());
    }
  } else {
    b.network.notes.push_back("the file has no head for masked words: it predicts nothing");
  }
  b.prefix = inside;
}

constexpr EncoderNames deberta_names = [] {
  EncoderNames names = bert_names;
  names.query = "attention.self.query_proj";
  names.key = "attention.self.key_proj";
  names.value = "attention.self.value_proj";
  return names;
}();

/// Whether pos_att_type, "p2c|c2p" or a list, holds the term.
bool has_term(const Config& c, const char* term) {
  const nlohmann::json* terms = c.find({"pos_att_type"});
  return terms && terms->dump().find(term) != std::string::npos;
}

/// The table of relative positions that all layers share, and the rules from a distance to its row.
PlacesSpec places_of(NetworkBuilder& b, const Encoder& sizes) {
  const Config& c = b.config;
  PlacesSpec places;
  places.to_place = has_term(c, "c2p");
  places.from_place = has_term(c, "p2c");
  // −1 is usual and means max_position_embeddings.
  const double most_distance = c.number({"max_relative_positions"}, -1);
  places.furthest = most_distance < 1 ? c.whole({"max_position_embeddings"}) : c.whole({"max_relative_positions"});
  places.buckets = c.number({"position_buckets"}, -1) < 1 ? 0 : c.whole({"position_buckets"});
  places.span = places.buckets > 0 ? places.buckets : places.furthest;
  if (places.span < 1 || (places.buckets > 0 && (places.buckets < 4 || places.furthest - 1 <= places.buckets / 2)))
    c.fail(Message("has {0} position_buckets for distances up to {1}", places.buckets, places.furthest),
           "expected at least 4, for distances beyond half as many");
  places.table =
      b.array("encoder.rel_embeddings.weight", {2 * places.span, sizes.d}, "two for each distance or bucket");
  if (c.text({"norm_rel_ebd"}, "none").find("layer_norm") != std::string::npos)
    places.norm = b.norm("encoder.LayerNorm", NormKind::layer, sizes.d, sizes.epsilon);
  return places;
}

}  // namespace

/// DeBERTa 2 and 3 (He et al. 2021): the scores depend on the distance between query and key.
void build_deberta2(NetworkBuilder& b) {
  const Config& c = b.config;
  c.refuse_unless("relative_attention", true);
  if (c.has("conv_kernel_size")) c.refuse_unless("conv_kernel_size", 0);
  b.refuse_unless("attention_head_size",
                  c.whole({"hidden_size"}) / std::max<Index>(1, c.whole({"num_attention_heads"})));
  c.find({"legacy", "mask_predictions", "padding_idx"});
  const Encoder sizes = begin_encoder(b, 0);
  const PlacesSpec places = places_of(b, sizes);
  const bool shared = c.flag({"share_att_key"}, false);
  const double terms = 1 + (places.to_place ? 1 : 0) + (places.from_place ? 1 : 0);
  for (Index i = 0; i < sizes.blocks; ++i) {
    const std::string at = "encoder.layer." + std::to_string(i) + ".";
    add_block(b, sizes, at, deberta_names);
    AttentionSpec& a = b.network.stacks.front().blocks.back().attention;
    a.scale /= std::sqrt(terms);
    a.places = places;
    a.places->query =
        shared || !places.from_place ? a.q : b.linear(at + "attention.self.pos_query_proj", sizes.d, sizes.d);
    a.places->key = shared || !places.to_place ? a.k : b.linear(at + "attention.self.pos_key_proj", sizes.d, sizes.d);
  }
  b.network.notes.push_back("biased_scores add word with place (c2p) and place with word (p2c), as this pass has them");
  build_masked_head(b, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                    "cls.predictions.decoder", {"cls.predictions.bias", "cls.predictions.decoder.bias"},
                    sizes.activation, sizes.epsilon);
}

void build_bert(NetworkBuilder& b) {
  const Encoder sizes = build_blocks(b, 0);
  build_masked_head(b, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                    "cls.predictions.decoder", {"cls.predictions.bias", "cls.predictions.decoder.bias"},
                    sizes.activation, sizes.epsilon);
}

/// Liu et al. 2019: positions count from padding_idx + 1.
void build_roberta(NetworkBuilder& b) {
  const Encoder sizes = build_blocks(b, b.config.whole({"pad_token_id"}, 1) + 1);
  build_masked_head(b, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
                    {"lm_head.bias", "lm_head.decoder.bias"}, Activation::gelu, sizes.epsilon);
}

/// Clark et al. 2020: BERT with a narrower embedding. The generator guesses words; the discriminator has no such head.
void build_electra(NetworkBuilder& b) {
  const Index narrow = b.config.whole({"embedding_size"}, 128);
  const Encoder sizes = build_blocks(b, 0, narrow, "embeddings_project");
  build_masked_head(b, "generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head",
                    {"generator_lm_head.bias"}, Activation::gelu, sizes.epsilon, narrow);
}

/// Lan et al. 2020: the layers of a group share their weights.
void build_albert(NetworkBuilder& b) {
  const Config& c = b.config;
  const Index narrow = c.whole({"embedding_size"}, 128), groups = std::max<Index>(1, c.whole({"num_hidden_groups"}, 1));
  for (const char* name : {"inner_group_num", "down_scale_factor"}) b.refuse_unless(name, 1);
  for (const char* name : {"gap_size", "net_structure_type", "num_memory_blocks"}) b.refuse_unless(name, 0);
  const Encoder sizes = begin_encoder(b, 0, narrow, "encoder.embedding_hidden_mapping_in", "gelu_new");
  constexpr EncoderNames names{"attention.query",     "attention.key", "attention.value", "attention.dense",
                               "attention.LayerNorm", "ffn",           "ffn_output",      "full_layer_layer_norm"};
  for (Index i = 0; i < sizes.blocks; ++i)
    add_block(b, sizes,
              "encoder.albert_layer_groups." + std::to_string(i * groups / sizes.blocks) + ".albert_layers.0.", names);
  build_masked_head(b, "predictions.dense", "predictions.LayerNorm", "predictions.decoder",
                    {"predictions.bias", "predictions.decoder.bias"}, sizes.activation, sizes.epsilon, narrow);
}

/// Warner et al. 2024: norms without biases before attention and MLP, rotary positions, a gated MLP. Every
/// global_attn_every_n_layers-th layer sees all keys, beginning with the first; the others see half a window to each
/// side.
void build_modernbert(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.tok_embeddings.weight"});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_hidden_layers"}),
              heads = c.whole({"num_attention_heads"}), inner = c.whole({"intermediate_size"});
  const Index every = std::max<Index>(1, c.whole({"global_attn_every_n_layers"}, 3)),
              window = c.whole({"local_attention"}, 128);
  const double epsilon = c.number({"norm_eps"}, 1e-5);
  const Activation activation = b.activation(c.text({"hidden_activation"}, "gelu"));
  c.find({"norm_bias", "attention_bias", "mlp_bias", "decoder_bias", "classifier_bias", "layer_norm_eps",
          "position_embedding_type", "local_rope_theta", "global_rope_theta"});
  StackSpec& stack = b.begin_stack("embeddings.tok_embeddings.weight", d);
  b.network.masked = true;
  stack.embedding.norm = b.norm("embeddings.norm", NormKind::layer, d, epsilon);
  stack.embedding.most_positions = c.whole({"max_position_embeddings"}, 0);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    if (i > 0) block.before_attention = b.norm(at + "attn_norm", NormKind::layer, d, epsilon);
    block.before_mlp = b.norm(at + "mlp_norm", NormKind::layer, d, epsilon);
    AttentionSpec& a = b.begin_attention(block, "attn", d, heads);
    const bool local = i % every != 0;
    a.window = local ? window / 2 + 1 : 0;
    const double base = c.number({local ? "local_rope_theta" : "global_rope_theta"}, local ? 10000 : 160000);
    a.rope = b.rope(a.d_head, Rope::half, base, local ? "sliding_attention" : "full_attention");
    split_packed(b.linear(at + "attn.Wqkv", 3 * d, d), 1, d, d, a);
    a.o = b.linear(at + "attn.Wo", d, d);
    const LinearSpec packed = b.linear(at + "mlp.Wi", 2 * inner, d);
    block.mlp = MlpSpec{NetworkBuilder::part(packed, 0, inner), NetworkBuilder::part(packed, inner, inner),
                        b.linear(at + "mlp.Wo", d, inner), activation};
  }
  stack.final_norm = b.norm("final_norm", NormKind::layer, d, epsilon);
  build_masked_head(b, "head.dense", "head.norm", "decoder", {"decoder.bias"},
                    b.activation(c.text({"classifier_activation"}, "gelu")), epsilon);
}

/// Sanh et al. 2019: BERT with half the layers and no token types.
void build_distilbert(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.word_embeddings.weight"});
  const Index d = c.whole({"dim", "hidden_size"}), blocks = c.whole({"n_layers", "num_hidden_layers"}),
              heads = c.whole({"n_heads", "num_attention_heads"}), inner = c.whole({"hidden_dim"}, 4 * d);
  const Index positions = c.whole({"max_position_embeddings"}, 512);
  const double epsilon = 1e-12;
  const Activation activation = b.activation(c.text({"activation"}, "gelu"));
  c.flag({"sinusoidal_pos_embds"}, false);  // the file stores the positions in both cases
  StackSpec& stack = b.begin_stack("embeddings.word_embeddings.weight", d);
  b.network.masked = true;
  b.add_positions(stack.embedding, "embeddings.position_embeddings.weight", positions, d);
  stack.embedding.norm = b.norm("embeddings.LayerNorm", NormKind::layer, d, epsilon);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "transformer.layer." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    AttentionSpec& a = b.begin_attention(block, "attention", d, heads);
    b.add_projections(a, at + "attention.", {"q_lin", "k_lin", "v_lin", "out_lin"}, d);
    block.attention_sum = b.norm(at + "sa_layer_norm", NormKind::layer, d, epsilon);
    block.mlp = b.mlp(at + "ffn.lin1", at + "ffn.lin2", inner, d, activation);
    block.mlp_sum = b.norm(at + "output_layer_norm", NormKind::layer, d, epsilon);
  }
  build_masked_head(b, "vocab_transform", "vocab_layer_norm", "vocab_projector", {"vocab_projector.bias"}, activation,
                    epsilon);
}

}  // namespace headlight
