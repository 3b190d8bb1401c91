// nn.Transformer of PyTorch, its encoder, its decoder, or one layer of either: a state_dict with x (src, tgt, memory)
// beside it.
#include <algorithm>

#include "core/architecture/network_builder.h"
#include "core/files/error_place.h"

namespace headlight {
namespace {

struct LayerRules {
  Index d = 0, heads = 0;
  double epsilon = 1e-5;
  bool norm_first = false;
  Activation activation = Activation::relu;
};

/// in_proj_weight [3d, d] under `at`, all heads one after the other.
AttentionSpec packed_attention(const NetworkBuilder& b, const std::string& at, const LayerRules& rules) {
  AttentionSpec a;
  a.name = b.prefix + at;
  settle_heads(b, a, rules.d, rules.heads);
  LinearSpec packed;
  packed.weight = b.array(at + ".in_proj_weight", {3 * rules.d, rules.d},
                          "query, key and value in one, as nn.MultiheadAttention has them");
  if (b.has(at + ".in_proj_bias")) packed.bias = b.array(at + ".in_proj_bias", {3 * rules.d}, "as its weight has rows");
  a.q = NetworkBuilder::part(packed, 0, rules.d);
  a.k = NetworkBuilder::part(packed, rules.d, rules.d);
  a.v = NetworkBuilder::part(packed, 2 * rules.d, rules.d);
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
  block.mlp =
      MlpSpec{{}, b.linear(at + "linear1", inner, rules.d), b.linear(at + "linear2", rules.d, inner), rules.activation};
  return block;
}

/// "layers.0.", "layers.1." … under `at`, or `at` itself where it is a layer.
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

/// The masks beside the tensors, each for the attentions that PyTorch gives it to; others are refused, so that none is
/// passed over.
void take_masks(NetworkBuilder& b, bool encodes, bool decodes) {
  for (const std::string& name : b.file.names()) {
    if (name.find("mask") == std::string::npos || name.find('.') != std::string::npos) continue;
    const DType dtype = b.file.entry(name).dtype;
    const bool floating = dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::ranges::any_of(names, [&](const char* each) { return name == each; });
    };
    const bool both = encodes && decodes;
    const bool source = encodes && (is({"src_mask", "src_key_padding_mask"}) ||
                                    (!both && (is({"key_padding_mask", "attn_mask"}) || (name == "mask" && floating))));
    const bool target = decodes && is({"tgt_mask", "tgt_key_padding_mask"});
    const bool memory = decodes && is({"memory_mask", "memory_key_padding_mask"});
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
  std::string unsaid;
  for (const char* name : {"norm_first", "activation", "layer_norm_eps"}) {
    if (!c.has(name)) unsaid += (unsaid.empty() ? "" : ", ") + std::string(name);
  }
  if (!unsaid.empty()) b.network.notes.push_back(Message("PyTorch's own {0}, which the file does not say", unsaid));
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
    b.network.stacks.emplace_back();  // the memory is given
    b.network.stacks.push_back(build_stack(b, encoder_at, rules, true, causal));
  } else {
    b.network.stacks.push_back(build_stack(b, encoder_at, rules, false, causal));
  }
  take_masks(b, both || !decodes, both || decodes);
  b.network.takes_tensors = true;
}

}  // namespace headlight
