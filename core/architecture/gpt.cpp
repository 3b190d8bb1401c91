// GPT-2 (Radford et al. 2019) as Hugging Face, nanoGPT and minGPT save it, and its kin: GPT-Neo, GPT-J, attention
// alone.
#include <algorithm>

#include "core/architecture/network_builder.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

struct GptFlavour {
  const char* activation;
  bool tied;
};

/// Blocks of ln_1, attention, ln_2, MLP; c_attn is q‖k‖v. Conv1D or nn.Linear, as its shape says.
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

  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("wte.weight", d);
  stack.embedding.position_kind = PositionKind::learned;
  stack.embedding.positions = b.array("wpe.weight", {positions, d}, "as " + c.path() + " says");
  stack.embedding.most_positions = positions;
  const bool in_out =
      b.has("h.0.attn.c_attn.weight") && b.file.entry(b.prefix + "h.0.attn.c_attn.weight").shape == Shape{d, 3 * d};
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = b.norm(at + "ln_1", NormKind::layer, d, epsilon);
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attn";
    settle_heads(b, a, d, heads);
    a.scale = (scaled ? 1 / std::sqrt(static_cast<double>(a.d_head)) : 1) / static_cast<double>(by_layer ? i + 1 : 1);
    a.causal = true;
    split_packed(b.linear(at + "attn.c_attn", 3 * d, d, NetworkBuilder::Bias::where_there, in_out), 1, d, d, a);
    a.o = b.linear(at + "attn.c_proj", d, d, NetworkBuilder::Bias::where_there, in_out);
    block.before_mlp = b.norm(at + "ln_2", NormKind::layer, d, epsilon);
    block.mlp = MlpSpec{{},
                        b.linear(at + "mlp.c_fc", inner, d, NetworkBuilder::Bias::where_there, in_out),
                        b.linear(at + "mlp.c_proj", d, inner, NetworkBuilder::Bias::where_there, in_out),
                        activation};
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
  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("wte.weight", d);
  stack.embedding.position_kind = PositionKind::learned;
  stack.embedding.positions = b.array("wpe.weight", {positions, d}, "as " + c.path() + " says");
  stack.embedding.most_positions = positions;
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".", kind = kinds[static_cast<std::size_t>(i)];
    if (kind != "global" && kind != "local" && b.whole())
      c.fail(Message("its attention_layers say \"{0}\"", kind), "expected global or local");
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = b.norm(at + "ln_1", NormKind::layer, d, epsilon);
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attn.attention";
    settle_heads(b, a, d, heads);
    a.scale = 1;
    a.causal = true;
    a.window = kind == "local" ? window : 0;
    a.q = b.linear(at + "attn.attention.q_proj", d, d);
    a.k = b.linear(at + "attn.attention.k_proj", d, d);
    a.v = b.linear(at + "attn.attention.v_proj", d, d);
    a.o = b.linear(at + "attn.attention.out_proj", d, d);
    block.before_mlp = b.norm(at + "ln_2", NormKind::layer, d, epsilon);
    block.mlp = MlpSpec{{}, b.linear(at + "mlp.c_fc", inner, d), b.linear(at + "mlp.c_proj", d, inner), activation};
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
  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("wte.weight", d);
  stack.embedding.most_positions = c.whole({"n_positions"}, 2048);
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "h." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.parallel = true;
    block.before_attention = block.before_mlp = b.norm(at + "ln_1", NormKind::layer, d, epsilon);
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attn";
    settle_heads(b, a, d, heads);
    if (rotary > a.d_head || rotary % 2 != 0)
      c.fail(Message("its rotary_dim is {0}", rotary), Message("expected an even number up to d_head {0}", a.d_head));
    a.causal = true;
    a.rope = plain_rope(Rope::interleaved, 10000, rotary);
    a.q = b.linear(at + "attn.q_proj", d, d);
    a.k = b.linear(at + "attn.k_proj", d, d);
    a.v = b.linear(at + "attn.v_proj", d, d);
    a.o = b.linear(at + "attn.out_proj", d, d);
    block.mlp = MlpSpec{{}, b.linear(at + "mlp.fc_in", inner, d), b.linear(at + "mlp.fc_out", d, inner), activation};
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
  b.network.width = d;
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.tokens("token_embedding.weight", d);
  stack.embedding.position_kind = PositionKind::learned;
  stack.embedding.positions = b.array("position_embedding.weight", {positions, d}, "as " + c.path() + " says");
  stack.embedding.most_positions = positions;
  const auto norm = [&](const std::string& name) {
    return b.has(name + ".weight") ? b.norm(name, NormKind::layer, d, epsilon) : NormSpec{};
  };
  for (Index i = 0; i < blocks; ++i) {
    const std::string at = "layers." + std::to_string(i) + ".";
    BlockSpec& block = b.begin_block(stack, at);
    block.before_attention = norm(at + "norm");
    AttentionSpec& a = block.attention;
    a.name = block.name + ".attn";
    settle_heads(b, a, d, heads);
    a.causal = true;
    a.q = b.linear(at + "attn.q_proj", d, d);
    a.k = b.linear(at + "attn.k_proj", d, d);
    a.v = b.linear(at + "attn.v_proj", d, d);
    a.o = b.linear(at + "attn.o_proj", d, d);
  }
  stack.final_norm = norm("norm");
  b.network.head.output = b.output_head("unembedding.weight", d, c.flag({"tie_word_embeddings"}, false));
}

}  // namespace headlight
