// The MLPs of the LLaMA family, and its mixtures of experts.
#include <algorithm>

#include "core/base/tensor/message.h"
#include "core/models/architecture/llama_family.h"

namespace headlight {
namespace {

using Experts = LlamaFlavour::Experts;

/// The names of a mixture's arrays inside its layer.
struct ExpertNames {
  const char *block, *router;
  const char *gate = "gate_proj", *up = "up_proj", *down = "down_proj";
  const char *shared = "", *shared_gate = "";
};

ExpertNames names_of(Experts kind) {
  switch (kind) {
    case Experts::mixtral: return {"block_sparse_moe.", "gate", "w1", "w3", "w2"};
    case Experts::granite: return {"block_sparse_moe.", "router.layer"};
    case Experts::gpt_oss: return {"mlp.", "router"};
    case Experts::deepseek: return {"mlp.", "gate", "gate_proj", "up_proj", "down_proj", "shared_experts."};
    case Experts::llama4: return {"feed_forward.", "router", "gate_proj", "up_proj", "down_proj", "shared_expert."};
    case Experts::none:
    case Experts::qwen: break;
  }
  return {"mlp.", "gate", "gate_proj", "up_proj", "down_proj", "shared_expert.", "shared_expert_gate"};
}

}  // namespace

/// Which layers have one MLP instead of experts: mlp_only_layers and decoder_sparse_step (Qwen), first_k_dense_replace
/// and moe_layer_freq (DeepSeek), moe_layers or interleave_moe_layer_step (Llama 4).
bool LlamaMlps::has_experts(Index layer) const {
  const auto interval = [&](const char* field) { return std::max<Index>(1, c_.whole({field}, 1)); };
  const auto lists = [&](const nlohmann::json& list) {
    return std::ranges::find(list, nlohmann::json(layer)) != list.end();
  };
  if (flavour_.experts == Experts::deepseek)
    return layer >= c_.whole({"first_k_dense_replace"}, 0) && layer % interval("moe_layer_freq") == 0;
  if (flavour_.experts == Experts::llama4) {
    const Index step = interval("interleave_moe_layer_step");
    const nlohmann::json* moe_layers = c_.find({"moe_layers"});
    return moe_layers ? lists(*moe_layers) : (layer + 1) % step == 0;
  }
  const nlohmann::json* single = c_.find({"mlp_only_layers"});
  if (single && lists(*single)) return false;
  return (layer + 1) % interval("decoder_sparse_step") == 0;
}

LinearSpec LlamaMlps::one_of(const std::string& name, const std::string& bias, Index expert, Shape shape,
                             WeightLayout layout) const {
  const std::string why = b_.as_config_says();
  const Index out = shape[layout == WeightLayout::in_out ? 2 : 1];
  LinearSpec linear{b_.array(name, shape, why), {}, layout, {}, expert};
  if (!bias.empty()) linear.bias = b_.array(bias, {shape[0], out}, why);
  return linear;
}

/// Weights [experts, out, in] for each matrix, as in GGUF.
MlpSpec LlamaMlps::stacked_expert(const std::string& at, Index width, Index expert, Index count) const {
  const ExpertNames names = names_of(flavour_.experts);
  const auto one = [&](const char* name, Index out, Index in) {
    const std::string stem = at + "experts." + name, bias = stem + ".bias";
    return one_of(stem + ".weight", b_.has(bias) ? bias : std::string(), expert, {count, out, in},
                  WeightLayout::out_in);
  };
  MlpSpec mlp{one(names.gate, width, d_), one(names.up, width, d_), one(names.down, d_, width), layout_.activation};
  if (flavour_.experts == Experts::gpt_oss) mlp.limit = c_.number({"swiglu_limit"}, 7);
  return mlp;
}

/// Weights [experts, out, in] with the gate's rows first.
MlpSpec LlamaMlps::expert_of_granite(const std::string& at, Index expert, Index count) const {
  const LinearSpec both = one_of(at + "input_linear.weight", {}, expert, {count, 2 * inner_, d_}, WeightLayout::out_in);
  return {NetworkBuilder::part(both, 0, inner_), NetworkBuilder::part(both, inner_, inner_),
          one_of(at + "output_linear.weight", {}, expert, {count, d_, inner_}, WeightLayout::out_in),
          layout_.activation};
}

/// Weights [experts, in, out] with gate and up in turns; [experts, out, in] if they are stored as MXFP4.
MlpSpec LlamaMlps::expert_of_gpt_oss(const std::string& at, Index expert, Index count) const {
  const std::string up = at + "experts.gate_up_proj", down = at + "experts.down_proj";
  const auto one = [&](const std::string& name, Index out, Index in) {
    const bool turned = b_.file.is_packed(b_.prefix + name);
    return turned ? one_of(name, name + "_bias", expert, {count, out, in}, WeightLayout::out_in)
                  : one_of(name, name + "_bias", expert, {count, in, out}, WeightLayout::in_out);
  };
  return {{}, one(up, 2 * inner_, d_), one(down, d_, inner_), layout_.activation, c_.number({"swiglu_limit"}, 7)};
}

/// Weights [experts, in, out] with the gate's columns first.
MlpSpec LlamaMlps::expert_of_llama4(const std::string& at, Index expert, Index count) const {
  const LinearSpec both =
      one_of(at + "experts.gate_up_proj", {}, expert, {count, d_, 2 * inner_}, WeightLayout::in_out);
  return {NetworkBuilder::part(both, 0, inner_), NetworkBuilder::part(both, inner_, inner_),
          one_of(at + "experts.down_proj", {}, expert, {count, inner_, d_}, WeightLayout::in_out), layout_.activation};
}

MlpSpec LlamaMlps::expert(const std::string& at, Index expert, Index count) const {
  const ExpertNames names = names_of(flavour_.experts);
  const bool own_width = flavour_.experts != Experts::mixtral;
  const Index width = own_width ? c_.whole({"moe_intermediate_size"}, inner_) : inner_;
  if (b_.has(at + "experts." + names.up + ".weight")) return stacked_expert(at, width, expert, count);
  switch (flavour_.experts) {
    case Experts::granite: return expert_of_granite(at, expert, count);
    case Experts::gpt_oss: return expert_of_gpt_oss(at, expert, count);
    case Experts::llama4: return expert_of_llama4(at, expert, count);
    case Experts::none:
    case Experts::mixtral:
    case Experts::qwen:
    case Experts::deepseek: break;
  }
  return b_.mlp(at + "experts." + std::to_string(expert) + ".", {names.up, names.down, names.gate}, width, d_,
                layout_.activation);
}

/// [1, d], or [d] in GGUF.
LinearSpec LlamaMlps::shared_gate(const std::string& name) const {
  const std::string full = b_.prefix + name + ".weight";
  const bool flat = b_.whole() && b_.file.has(full) && b_.file.entry(full).shape.size() == 1;
  if (!flat) return b_.linear(name, 1, d_);
  return {b_.array(name + ".weight", {d_}, b_.as_config_says()), {}};
}

/// Reads how experts are chosen and how their outputs are weighted.
void LlamaMlps::choose(MixtureSpec& mixture, const std::string& router, Index count) const {
  mixture.chosen = c_.whole({"num_experts_per_tok", "experts_per_token"});
  mixture.renormalised = true;
  if (flavour_.experts == Experts::qwen) mixture.renormalised = c_.flag({"norm_topk_prob"}, false);
  if (flavour_.experts == Experts::llama4) {
    mixture.scoring = Scoring::sigmoid;
    mixture.renormalised = false;
    mixture.share_before = true;
  }
  if (flavour_.experts == Experts::deepseek) {
    const bool corrected = b_.network.family == "DeepSeek 3";
    mixture.scoring = corrected ? Scoring::sigmoid : Scoring::softmax;
    c_.refuse_unless("scoring_func", corrected ? "sigmoid" : "softmax");
    const std::string method = c_.text({"topk_method"}, corrected ? "noaux_tc" : "greedy");
    if (method != "noaux_tc" && method != "group_limited_greedy" && method != "greedy")
      c_.fail(Message("its topk_method is {0}, which is not computed here", method),
              "expected greedy, group_limited_greedy or noaux_tc");
    mixture.factor = c_.number({"routed_scaling_factor"}, 1);
    mixture.renormalised = c_.flag({"norm_topk_prob"}, corrected);
    if (!corrected) c_.refuse_unless("norm_topk_prob", false);  // the authors' code and transformers differ here
    const bool in_groups = method != "greedy";
    const Index groups = c_.whole({"n_group"}, 1), chosen_groups = c_.whole({"topk_group"}, 1);
    if (in_groups) mixture.groups = groups, mixture.chosen_groups = chosen_groups;
    if (corrected) mixture.correction = b_.array(router + ".e_score_correction_bias", {count}, "a number an expert");
    mixture.best_of_group = corrected ? 2 : 1;
  }
  if (!b_.whole()) return;
  const Index groups = mixture.groups, chosen_groups = mixture.chosen_groups;
  if (groups < 1 || chosen_groups < 1 || chosen_groups > groups || count % groups != 0)
    c_.fail(Message("chooses {0} of {1} groups of its {2} experts", chosen_groups, groups, count),
            "expected groups of one size, and no more chosen than there are");
  if (mixture.chosen < 1 || mixture.chosen > count / groups * chosen_groups)
    c_.fail(Message("its num_experts_per_tok is {0}", mixture.chosen),
            Message("expected 1 to {0}", count / groups * chosen_groups));
}

MixtureSpec LlamaMlps::mixture(const std::string& at) const {
  const ExpertNames names = names_of(flavour_.experts);
  const std::string block = at + names.block;
  const Index count = c_.whole({"num_local_experts", "num_experts", "n_routed_experts"});
  MixtureSpec mixture;
  choose(mixture, block + names.router, count);
  mixture.router = b_.linear(block + names.router, count, d_);
  for (Index i = 0; i < (b_.whole() ? count : 0); ++i) mixture.experts.push_back(expert(block, i, count));
  const Index shared = flavour_.experts == Experts::deepseek
                           ? c_.whole({"n_shared_experts"}, 0) * c_.whole({"moe_intermediate_size"})
                       : flavour_.experts == Experts::llama4 ? inner_
                                                             : c_.whole({"shared_expert_intermediate_size"}, 0);
  if (shared == 0) return mixture;
  mixture.shared = b_.mlp(block + names.shared, {"up_proj", "down_proj", "gate_proj"}, shared, d_, layout_.activation);
  if (*names.shared_gate) mixture.shared_gate = shared_gate(block + names.shared_gate);
  return mixture;
}

void LlamaMlps::add(BlockSpec& block, const std::string& at, Index i) const {
  if (flavour_.experts != Experts::none && has_experts(i)) block.mixture = mixture(at);
  else block.mlp = b_.mlp(at, flavour_.mlp, c_.whole({"intermediate_size_mlp"}, inner_), d_, layout_.activation);
}

}  // namespace headlight
