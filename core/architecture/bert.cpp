// Encoders that guess masked words: BERT (Devlin et al. 2018), RoBERTa, DistilBERT. Norms stand after the sums.
#include "core/architecture/network_builder.h"

namespace headlight {
namespace {

/// Embeddings, blocks and sizes that BERT and RoBERTa share. Row of the first position: `offset`.
StackSpec& build_blocks(NetworkBuilder& b, Index offset, double usual_epsilon) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.word_embeddings.weight"});
  const Index d = c.whole({"hidden_size"}), blocks = c.whole({"num_hidden_layers"}),
              heads = c.whole({"num_attention_heads"}), inner = c.whole({"intermediate_size"});
  const Index positions = c.whole({"max_position_embeddings"}), segments = c.whole({"type_vocab_size"}, 2);
  const double epsilon = c.number({"layer_norm_eps"}, usual_epsilon);
  const Activation activation = b.activation(c.text({"hidden_act"}, "gelu"));
  c.refuse_unless("position_embedding_type", "absolute");
  b.refuse_unless("is_decoder", false);
  b.refuse_unless("add_cross_attention", false);
  b.refuse_unless("embedding_size", d);
  const std::string why = "as " + c.path() + " says";
  b.network.width = d;
  b.network.masked = true;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("embeddings.word_embeddings.weight", d);
  stack.embedding.position_kind = PositionKind::learned;
  stack.embedding.positions = b.array("embeddings.position_embeddings.weight", {positions, d}, why);
  stack.embedding.position_offset = offset;
  stack.embedding.most_positions = positions - offset;
  if (segments > 0) stack.embedding.segments = b.array("embeddings.token_type_embeddings.weight", {segments, d}, why);
  stack.embedding.norm = b.norm("embeddings.LayerNorm", NormKind::layer, d, epsilon);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "encoder.layer." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attention";
    settle_heads(b, a, d, heads);
    a.causal = c.flag({"is_decoder"}, false);
    a.q = b.linear(at + "attention.self.query", d, d);
    a.k = b.linear(at + "attention.self.key", d, d);
    a.v = b.linear(at + "attention.self.value", d, d);
    a.o = b.linear(at + "attention.output.dense", d, d);
    block.attention_sum = b.norm(at + "attention.output.LayerNorm", NormKind::layer, d, epsilon);
    block.mlp =
        MlpSpec{{}, b.linear(at + "intermediate.dense", inner, d), b.linear(at + "output.dense", d, inner), activation};
    block.mlp_sum = b.norm(at + "output.LayerNorm", NormKind::layer, d, epsilon);
  }
  return stack;
}

/// dense, activation, norm, then the embedding turned round (or a matrix of its own) and a bias; none where the file
/// has none.
void build_masked_head(NetworkBuilder& b, const std::string& dense, const std::string& norm, const std::string& output,
                       std::initializer_list<std::string> biases, Activation activation, double epsilon) {
  const std::string inside = b.prefix;
  b.prefix.clear();
  if (b.has(dense + ".weight")) {
    const Index d = b.network.width;
    HeadSpec& head = b.network.head;
    head.transform = b.linear(dense, d, d);
    head.activation = activation;
    head.norm = b.norm(norm, NormKind::layer, d, epsilon);
    const bool tied = b.config.flag({"tie_word_embeddings"}, true) || !b.has(output + ".weight");
    head.output.weight =
        tied ? b.network.stacks.front().embedding.tokens
             : b.array(output + ".weight", {b.network.vocabulary, d}, "as " + b.config.path() + " says");
    for (const std::string& bias : biases) {
      if (head.output.bias.empty() && b.has(bias))
        head.output.bias = b.array(bias, {b.network.vocabulary}, "as " + b.config.path() + " says");
    }
  } else {
    b.network.notes.push_back("the file has no head for masked words: it predicts nothing");
  }
  b.prefix = inside;
}

}  // namespace

void build_bert(NetworkBuilder& b) {
  build_blocks(b, 0, 1e-12);
  const Config& c = b.config;
  build_masked_head(b, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                    "cls.predictions.decoder", {"cls.predictions.bias", "cls.predictions.decoder.bias"},
                    b.activation(c.text({"hidden_act"}, "gelu")), c.number({"layer_norm_eps"}, 1e-12));
}

/// Liu et al. 2019: positions count from padding_idx + 1.
void build_roberta(NetworkBuilder& b) {
  const Config& c = b.config;
  build_blocks(b, c.whole({"pad_token_id"}, 1) + 1, 1e-12);
  build_masked_head(b, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
                    {"lm_head.bias", "lm_head.decoder.bias"}, Activation::gelu, c.number({"layer_norm_eps"}, 1e-12));
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
  c.flag({"sinusoidal_pos_embds"}, false);  // stored either way
  b.network.width = d;
  b.network.masked = true;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("embeddings.word_embeddings.weight", d);
  stack.embedding.position_kind = PositionKind::learned;
  stack.embedding.positions =
      b.array("embeddings.position_embeddings.weight", {positions, d}, "as " + c.path() + " says");
  stack.embedding.most_positions = positions;
  stack.embedding.norm = b.norm("embeddings.LayerNorm", NormKind::layer, d, epsilon);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "transformer.layer." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attention";
    settle_heads(b, a, d, heads);
    a.q = b.linear(at + "attention.q_lin", d, d);
    a.k = b.linear(at + "attention.k_lin", d, d);
    a.v = b.linear(at + "attention.v_lin", d, d);
    a.o = b.linear(at + "attention.out_lin", d, d);
    block.attention_sum = b.norm(at + "sa_layer_norm", NormKind::layer, d, epsilon);
    block.mlp = MlpSpec{{}, b.linear(at + "ffn.lin1", inner, d), b.linear(at + "ffn.lin2", d, inner), activation};
    block.mlp_sum = b.norm(at + "output_layer_norm", NormKind::layer, d, epsilon);
  }
  build_masked_head(b, "vocab_transform", "vocab_layer_norm", "vocab_projector", {"vocab_projector.bias"}, activation,
                    epsilon);
}

}  // namespace headlight
