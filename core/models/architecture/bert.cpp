// Encoders that predict masked words: BERT (Devlin et al. 2018), RoBERTa, ELECTRA, ALBERT, DistilBERT, with norms after
// the sums, and ModernBERT.
#include <algorithm>

#include "core/base/tensor/message.h"
#include "core/models/architecture/network_builder.h"

namespace headlight {
namespace {

constexpr BlockLayout bert_blocks{.names = {"encoder.layer.",
                                            "attention",
                                            {"self.query", "self.key", "self.value", "output.dense"},
                                            "attention.output.LayerNorm",
                                            "output.LayerNorm",
                                            {"intermediate.dense", "output.dense"}},
                                  .norms_after = true};

/// Reads the config.json of BERT and similar models, and their embedding. `narrow`: the embedding's width if it differs
/// from the model's. `offset`: the row of the first position.
void begin_encoder(NetworkBuilder& b, BlockLayout& layout, Index offset, Index narrow = 0, const char* projection = "",
                   const char* activation = "gelu") {
  const Config& c = b.config;
  b.find_prefix({"embeddings.word_embeddings.weight"});
  layout.read_sizes(c);
  layout.inner = c.whole({"intermediate_size"});
  layout.epsilon = c.number({"layer_norm_eps"}, 1e-12);
  layout.activation = b.activation(c.text({"hidden_act"}, activation));
  if (narrow == 0) narrow = layout.d;
  const Index positions = c.whole({"max_position_embeddings"}), segments = c.whole({"type_vocab_size"}, 2);
  const bool in_embedding = c.flag({"position_biased_input"}, true);  // DeBERTa can have positions in its scores alone
  c.refuse_unless("position_embedding_type", "absolute");
  b.refuse_unless("is_decoder", false);
  layout.causal = c.flag({"is_decoder"}, false);
  b.refuse_unless("add_cross_attention", false);
  b.refuse_unless("embedding_size", narrow);
  const std::string why = b.as_config_says();
  b.network.width = layout.d;
  b.network.masked = true;
  EmbeddingSpec& embedding = b.network.stacks.emplace_back().embedding;
  embedding.tokens = b.tokens("embeddings.word_embeddings.weight", narrow);
  if (in_embedding) b.add_positions(embedding, "embeddings.position_embeddings.weight", positions, narrow, offset);
  if (segments > 0) embedding.segments = b.array("embeddings.token_type_embeddings.weight", {segments, narrow}, why);
  embedding.norm = b.norm("embeddings.LayerNorm", NormKind::layer, narrow, layout.epsilon);
  if (*projection && (narrow != layout.d || b.has(std::string(projection) + ".weight"))) {
    embedding.projection = b.linear(projection, layout.d, narrow);
    embedding.projected_last = true;
  }
}

BlockLayout build_blocks(NetworkBuilder& b, Index offset, Index narrow = 0, const char* projection = "") {
  BlockLayout layout = bert_blocks;
  begin_encoder(b, layout, offset, narrow, projection);
  b.add_blocks(b.network.stacks.front(), layout);
  return layout;
}

/// The head: dense, activation, norm, then the transposed embedding (or a matrix of its own) and a bias. No head if the
/// file has none.
void build_masked_head(NetworkBuilder& b, const std::string& dense, const std::string& norm, const std::string& output,
                       std::initializer_list<std::string> biases, Activation activation, double epsilon,
                       Index narrow = 0, Bias norm_bias = Bias::expected) {
  const OtherPrefix root(b);
  if (!b.has(dense + ".weight")) {
    b.network.notes.push_back("the file has no head for masked words: it predicts nothing");
    return;
  }
  const Index d = narrow > 0 ? narrow : b.network.width;
  HeadSpec& head = b.network.head;
  head.transform = b.linear(dense, d, b.network.width);
  head.activation = activation;
  head.norm = b.norm(norm, NormKind::layer, d, epsilon, false, norm_bias);
  const bool tied = b.config.flag({"tie_word_embeddings"}, true) || !b.has(output + ".weight");
  head.output.weight = tied ? b.network.stacks.front().embedding.tokens
                            : b.array(output + ".weight", {b.network.vocabulary, d}, b.as_config_says());
  for (const std::string& bias : biases) {
    if (head.output.bias.empty() && b.has(bias))
      head.output.bias = b.array(bias, {b.network.vocabulary}, b.as_config_says());
  }
}

/// The head under the names of BERT and DeBERTa.
void build_bert_head(NetworkBuilder& b, const BlockLayout& layout) {
  build_masked_head(b, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                    "cls.predictions.decoder", {"cls.predictions.bias", "cls.predictions.decoder.bias"},
                    layout.activation, layout.epsilon);
}

/// Whether pos_att_type, "p2c|c2p" or a list, holds the term.
bool has_term(const Config& c, const char* term) {
  const nlohmann::json* terms = c.find({"pos_att_type"});
  return terms && terms->dump().find(term) != std::string::npos;
}

/// The table of relative positions that all layers share, and the rules from a distance to its row.
PlacesSpec places_of(NetworkBuilder& b, const BlockLayout& layout) {
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
      b.array("encoder.rel_embeddings.weight", {2 * places.span, layout.d}, "two for each distance or bucket");
  if (c.text({"norm_rel_ebd"}, "none").find("layer_norm") != std::string::npos)
    places.norm = b.norm("encoder.LayerNorm", layout);
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
  BlockLayout layout = bert_blocks;
  layout.names.linears = {"self.query_proj", "self.key_proj", "self.value_proj", "output.dense"};
  begin_encoder(b, layout, 0);
  const PlacesSpec places = places_of(b, layout);
  const bool shared = c.flag({"share_att_key"}, false);
  const double terms = 1 + (places.to_place ? 1 : 0) + (places.from_place ? 1 : 0);
  for (Index i = 0; i < layout.count; ++i) {
    const std::string at = layout.place(i), self = at + "attention.self.";
    AttentionSpec& a = b.add_block(b.network.stacks.front(), layout, at).attention;
    a.scale /= std::sqrt(terms);
    a.places = places;
    a.places->query = shared || !places.from_place ? a.q : b.linear(self + "pos_query_proj", layout.d, layout.d);
    a.places->key = shared || !places.to_place ? a.k : b.linear(self + "pos_key_proj", layout.d, layout.d);
  }
  b.network.notes.push_back("biased_scores add word with place (c2p) and place with word (p2c), as this pass has them");
  build_bert_head(b, layout);
}

void build_bert(NetworkBuilder& b) { build_bert_head(b, build_blocks(b, 0)); }

/// Liu et al. 2019: positions count from padding_idx + 1.
void build_roberta(NetworkBuilder& b) {
  const BlockLayout layout = build_blocks(b, b.config.whole({"pad_token_id"}, 1) + 1);
  build_masked_head(b, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
                    {"lm_head.bias", "lm_head.decoder.bias"}, Activation::gelu, layout.epsilon);
}

/// Clark et al. 2020: BERT with a narrower embedding. The generator guesses words; the discriminator has no such head.
void build_electra(NetworkBuilder& b) {
  const Index narrow = b.config.whole({"embedding_size"}, 128);
  const BlockLayout layout = build_blocks(b, 0, narrow, "embeddings_project");
  build_masked_head(b, "generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head",
                    {"generator_lm_head.bias"}, Activation::gelu, layout.epsilon, narrow);
}

/// Lan et al. 2020: the layers of a group share their weights.
void build_albert(NetworkBuilder& b) {
  const Config& c = b.config;
  const Index narrow = c.whole({"embedding_size"}, 128), groups = std::max<Index>(1, c.whole({"num_hidden_groups"}, 1));
  for (const char* name : {"inner_group_num", "down_scale_factor"}) b.refuse_unless(name, 1);
  for (const char* name : {"gap_size", "net_structure_type", "num_memory_blocks"}) b.refuse_unless(name, 0);
  BlockLayout layout{.names = {"",
                               "attention",
                               {"query", "key", "value", "dense"},
                               "attention.LayerNorm",
                               "full_layer_layer_norm",
                               {"ffn", "ffn_output"}},
                     .norms_after = true};
  begin_encoder(b, layout, 0, narrow, "encoder.embedding_hidden_mapping_in", "gelu_new");
  for (Index i = 0; i < layout.count; ++i)
    b.add_block(b.network.stacks.front(), layout,
                "encoder.albert_layer_groups." + std::to_string(i * groups / layout.count) + ".albert_layers.0.");
  build_masked_head(b, "predictions.dense", "predictions.LayerNorm", "predictions.decoder",
                    {"predictions.bias", "predictions.decoder.bias"}, layout.activation, layout.epsilon, narrow);
}

/// Warner et al. 2024: norms without biases before attention and MLP, rotary positions, a gated MLP. Every
/// global_attn_every_n_layers-th layer sees all keys, beginning with the first; the others see half a window to each
/// side.
void build_modernbert(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.tok_embeddings.weight"});
  BlockLayout layout{.names = {"layers.", "attn", {"Wqkv", "Wo"}, "", "mlp_norm", {"mlp.Wi", "mlp.Wo", "", true}}};
  layout.read_sizes(c);
  const Index d = layout.d;
  layout.inner = c.whole({"intermediate_size"});
  const Index every = std::max<Index>(1, c.whole({"global_attn_every_n_layers"}, 3)),
              window = c.whole({"local_attention"}, 128);
  layout.epsilon = c.number({"norm_eps"}, 1e-5);
  layout.activation = b.activation(c.text({"hidden_activation"}, "gelu"));
  const auto bias_if = [&](const char* says) { return c.flag({says}, false) ? Bias::expected : Bias::where_there; };
  layout.attention_bias = layout.output_bias = bias_if("attention_bias");
  layout.mlp_bias = bias_if("mlp_bias"), layout.norm_bias = bias_if("norm_bias");
  c.find({"decoder_bias", "classifier_bias", "layer_norm_eps", "position_embedding_type", "local_rope_theta",
          "global_rope_theta"});
  StackSpec& stack = b.begin_stack(d, "embeddings.tok_embeddings.weight");
  b.network.masked = true;
  stack.embedding.norm = b.norm("embeddings.norm", layout);
  stack.embedding.most_positions = c.whole({"max_position_embeddings"}, 0);
  for (Index i = 0; i < layout.count; ++i) {
    layout.names.attention_norm = i > 0 ? "attn_norm" : "";
    AttentionSpec& a = b.add_block(stack, layout, layout.place(i)).attention;
    const bool local = i % every != 0;
    a.window = local ? window / 2 + 1 : 0;
    const double base = c.number({local ? "local_rope_theta" : "global_rope_theta"}, local ? 10000 : 160000);
    a.rope = b.rope(a.d_head, Rope::half, base, local ? "sliding_attention" : "full_attention");
  }
  stack.final_norm = b.norm("final_norm", layout);
  build_masked_head(b, "head.dense", "head.norm", "decoder", {"decoder.bias"},
                    b.activation(c.text({"classifier_activation"}, "gelu")), layout.epsilon, 0, layout.norm_bias);
}

/// Sanh et al. 2019: BERT with half the layers and no token types.
void build_distilbert(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.word_embeddings.weight"});
  BlockLayout layout{.names = {"transformer.layer.",
                               "attention",
                               {"q_lin", "k_lin", "v_lin", "out_lin"},
                               "sa_layer_norm",
                               "output_layer_norm",
                               {"ffn.lin1", "ffn.lin2"}},
                     .norms_after = true};
  layout.read_sizes(c, {"dim", "hidden_size"}, {"n_layers", "num_hidden_layers"}, {"n_heads", "num_attention_heads"});
  const Index d = layout.d;
  layout.inner = c.whole({"hidden_dim"}, 4 * d);
  const Index positions = c.whole({"max_position_embeddings"}, 512);
  layout.epsilon = 1e-12;
  layout.activation = b.activation(c.text({"activation"}, "gelu"));
  c.flag({"sinusoidal_pos_embds"}, false);  // the file stores the positions in both cases
  StackSpec& stack = b.begin_stack(d, "embeddings.word_embeddings.weight");
  b.network.masked = true;
  b.add_positions(stack.embedding, "embeddings.position_embeddings.weight", positions, d);
  stack.embedding.norm = b.norm("embeddings.LayerNorm", layout);
  b.add_blocks(stack, layout);
  build_masked_head(b, "vocab_transform", "vocab_layer_norm", "vocab_projector", {"vocab_projector.bias"},
                    layout.activation, layout.epsilon);
}

}  // namespace headlight
