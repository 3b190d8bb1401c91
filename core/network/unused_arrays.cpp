#include "core/network/unused_arrays.h"

#include <algorithm>
#include <set>

#include "core/files/error_place.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

class Used {
 public:
  explicit Used(const NetworkSpec& spec) {
    for (const StackSpec& stack : spec.stacks) {
      const EmbeddingSpec& e = stack.embedding;
      names_.insert({e.tokens, e.positions, e.segments});
      add(e.norm), add(e.projection), add(stack.final_norm), add(stack.projection);
      for (const BlockSpec& block : stack.blocks) add(block);
    }
    add(spec.head.transform), add(spec.head.norm), add(spec.head.output);
  }
  bool holds(const std::string& name) const { return names_.contains(name); }

 private:
  void add(const LinearSpec& linear) { names_.insert({linear.weight, linear.bias}); }
  void add(const NormSpec& norm) { names_.insert({norm.weight, norm.bias}); }
  void add(const AttentionSpec& a) {
    for (const LinearSpec* linear : {&a.q, &a.k, &a.v, &a.o}) add(*linear);
    add(a.q_norm), add(a.k_norm);
    names_.insert(a.sinks);
    if (a.relative) names_.insert(a.relative->table);
  }
  void add(const BlockSpec& b) {
    for (const NormSpec* norm : {&b.before_attention, &b.after_attention, &b.attention_sum, &b.before_cross,
                                 &b.cross_sum, &b.before_mlp, &b.after_mlp, &b.mlp_sum})
      add(*norm);
    add(b.attention);
    if (b.cross) add(*b.cross);
    if (b.mlp) add(b.mlp->gate), add(b.mlp->up), add(b.mlp->down);
  }

  std::set<std::string> names_;
};

/// What repeats a part of the network, or is no part of a pass to the logits.
bool says_nothing_new(const std::string& name) {
  for (const char* ending : {"attn.bias", "attention.bias", "masked_bias", "inv_freq", "rope.freqs", "position_ids",
                             "token_type_ids", "attn.mask", "lm_head.weight", "embed_tokens.weight", "embed_out.weight",
                             "output.weight", "decoder.weight", "decoder.bias", "vocab_projector.weight",
                             "embed_positions.weight", "lm_head.bias", "final_logits_bias", "num_batches_tracked"}) {
    if (name.ends_with(ending)) return true;
  }
  for (const char* part : {"pooler", "seq_relationship", "classifier", "optimizer", "qa_outputs", "rotary_emb", "cls.",
                           "_extra_state", "EncDecAttention.relative_attention_bias"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string unused_arrays(const NetworkSpec& spec, const Checkpoint& checkpoint, const std::string& prefix) {
  const Used used(spec);
  std::string first;
  int others = 0;
  for (const std::string& name : checkpoint.names()) {
    if (!name.starts_with(prefix) || used.holds(name)) continue;
    if (name.find(".lora_") != std::string::npos) {
      throw FileError(checkpoint.path_of(name), "holds " + in_quotes(name) + ", an adapter that changes a weight",
                      "expected weights that adapters are merged into");
    }
    if (says_nothing_new(name)) continue;
    first.empty() ? void(first = in_quotes(name)) : void(++others);
  }
  return others > 0 ? first + " and " + std::to_string(others) + " more" : first;
}

}  // namespace headlight
