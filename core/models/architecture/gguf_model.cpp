#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/files/error_place.h"
#include "core/base/text/texts.h"
#include "core/models/architecture/architectures.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/network_spec.h"

namespace headlight {
namespace {

using nlohmann::json;

struct Family {
  std::string_view architecture, model_type;
  bool interleaved = false;   ///< queries and keys are permuted so that neighbouring channels rotate together
  bool norms_around = false;  ///< norms before and after attention and MLP
  bool mixture = false;       ///< mixture of experts
};
/// "llama" with experts is Mixtral.
constexpr Family mixtral{"llama", "mixtral", true, false, true};
/// "deepseek2" whose experts are chosen by sigmoids is DeepSeek-V3.
constexpr Family deepseek3{"deepseek2", "deepseek_v3", true, false, true};
constexpr std::array<Family, 13> families{{{"llama", "llama", true},
                                           {"qwen2", "qwen2"},
                                           {"qwen3", "qwen3"},
                                           {"gemma", "gemma"},
                                           {"gemma2", "gemma2", false, true},
                                           {"gemma3", "gemma3_text", false, true},
                                           {"phi3", "phi3"},
                                           {"gpt2", "gpt2"},
                                           {"qwen2moe", "qwen2_moe", false, false, true},
                                           {"qwen3moe", "qwen3_moe", false, false, true},
                                           {"olmoe", "olmoe", false, false, true},
                                           {"deepseek2", "deepseek_v2", true, false, true},
                                           {"gpt-oss", "gpt_oss", false, false, true}}};

std::string architecture_of(const ArrayFile& file) {
  const auto found = file.texts().find("general.architecture");
  return found == file.texts().end() ? std::string() : found->second;
}

const Family* family_of(const ArrayFile& file) {
  const std::string architecture = architecture_of(file);
  const auto experts = file.numbers().find("llama.expert_count");
  if (architecture == "llama" && experts != file.numbers().end() && experts->second > 0) return &mixtral;
  const auto gating = file.numbers().find("deepseek2.expert_gating_func");
  if (architecture == "deepseek2" && gating != file.numbers().end() && gating->second == 2) return &deepseek3;
  const auto* const found = std::ranges::find(families, architecture, &Family::architecture);
  return found == families.end() ? nullptr : found;
}

using Names = std::vector<std::pair<std::string_view, std::string_view>>;

const Names& names_of_gpt2() {
  static const Names names{{"token_embd", "transformer.wte"},
                           {"position_embd", "transformer.wpe"},
                           {"output_norm", "transformer.ln_f"},
                           {"output", "lm_head"},
                           {"attn_norm", "ln_1"},
                           {"attn_qkv", "attn.c_attn"},
                           {"attn_output", "attn.c_proj"},
                           {"ffn_norm", "ln_2"},
                           {"ffn_up", "mlp.c_fc"},
                           {"ffn_down", "mlp.c_proj"}};
  return names;
}

const Names& names_of_llama(bool norms_around, bool packed) {
  static const auto with = [](bool around, bool one_matrix) {
    return Names{{"token_embd", "model.embed_tokens"},
                 {"output_norm", "model.norm"},
                 {"output", "lm_head"},
                 {"attn_norm", "input_layernorm"},
                 {"attn_q", "self_attn.q_proj"},
                 {"attn_k", "self_attn.k_proj"},
                 {"attn_v", "self_attn.v_proj"},
                 {"attn_qkv", "self_attn.qkv_proj"},
                 {"attn_output", "self_attn.o_proj"},
                 {"attn_q_norm", "self_attn.q_norm"},
                 {"attn_k_norm", "self_attn.k_norm"},
                 {"post_attention_norm", "post_attention_layernorm"},
                 {"post_ffw_norm", "post_feedforward_layernorm"},
                 {"ffn_norm", around ? "pre_feedforward_layernorm" : "post_attention_layernorm"},
                 {"ffn_gate", "mlp.gate_proj"},
                 {"ffn_up", one_matrix ? "mlp.gate_up_proj" : "mlp.up_proj"},
                 {"ffn_down", "mlp.down_proj"}};
  };
  static const Names plain = with(false, false), around = with(true, false), one_matrix = with(false, true);
  return norms_around ? around : packed ? one_matrix : plain;
}

/// The names that a mixture of experts has as well. Mixtral, gpt-oss and DeepSeek have some names of their own.
Names names_of_mixture(std::string_view model_type) {
  Names names = names_of_llama(false, false);
  const bool mixtral_names = model_type == "mixtral", gpt_oss_names = model_type == "gpt_oss";
  const bool deepseek_names = model_type.starts_with("deepseek");
  const Names more{{"ffn_gate_inp", mixtral_names   ? "block_sparse_moe.gate"
                                    : gpt_oss_names ? "mlp.router"
                                                    : "mlp.gate"},
                   {"ffn_gate_exps", mixtral_names ? "block_sparse_moe.experts.w1" : "mlp.experts.gate_proj"},
                   {"ffn_up_exps", mixtral_names ? "block_sparse_moe.experts.w3" : "mlp.experts.up_proj"},
                   {"ffn_down_exps", mixtral_names ? "block_sparse_moe.experts.w2" : "mlp.experts.down_proj"},
                   {"ffn_gate_inp_shexp", "mlp.shared_expert_gate"},
                   {"ffn_gate_shexp", deepseek_names ? "mlp.shared_experts.gate_proj" : "mlp.shared_expert.gate_proj"},
                   {"ffn_up_shexp", deepseek_names ? "mlp.shared_experts.up_proj" : "mlp.shared_expert.up_proj"},
                   {"ffn_down_shexp", deepseek_names ? "mlp.shared_experts.down_proj" : "mlp.shared_expert.down_proj"},
                   {"exp_probs_b", "mlp.gate.e_score_correction_bias"},
                   {"attn_q_a", "self_attn.q_a_proj"},
                   {"attn_q_a_norm", "self_attn.q_a_layernorm"},
                   {"attn_q_b", "self_attn.q_b_proj"},
                   {"attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa"},
                   {"attn_kv_a_norm", "self_attn.kv_a_layernorm"},
                   {"attn_kv_b", "self_attn.kv_b_proj"},
                   {"attn_k_b", "self_attn.k_b_proj"},
                   {"attn_v_b", "self_attn.v_b_proj"},
                   {"attn_sinks", "self_attn.sinks"}};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// Reads the fields under "llama.…" (the architecture's name); a missing number is an error.
class Fields {
 public:
  explicit Fields(const ArrayFile& file) : file_(file), prefix_(architecture_of(file) + ".") {}

  bool has(const std::string& key) const { return file_.numbers().contains(prefix_ + key); }
  double at(const std::string& key) const {
    const auto found = file_.numbers().find(prefix_ + key);
    if (found == file_.numbers().end())
      ErrorPlace{file_.path()}.fail(Message("says no {0}", prefix_ + key), "a number");
    return found->second;
  }
  std::string text(const std::string& key) const {
    const auto found = file_.texts().find(prefix_ + key);
    return found == file_.texts().end() ? std::string() : found->second;
  }
  void copy(json& to, const char* name, const std::string& key) const {
    if (!has(key)) return;
    const double value = at(key);
    const auto whole = static_cast<std::int64_t>(std::clamp(value, -9e15, 9e15));
    to[name] = static_cast<double>(whole) == value ? json(whole) : json(value);
  }

 private:
  const ArrayFile& file_;
  std::string prefix_;
};

/// GGUF stores such a value as a number, or as a list with one number for each layer. For these architectures only the
/// first is known.
void refuse_by_layer(const ArrayFile& file, const std::string& key) {
  if (file.find(key))
    ErrorPlace{file.path()}.fail(Message("its {0} differs by layer, which is not computed here", key), "one number");
}

json scaling_of(const Fields& fields) {
  const std::string type = fields.text("rope.scaling.type");
  if (type.empty() || type == "none" || !fields.has("rope.scaling.factor")) return {};
  json scaling{{"rope_type", type}};
  fields.copy(scaling, "factor", "rope.scaling.factor");
  fields.copy(scaling, "original_max_position_embeddings", "rope.scaling.original_context_length");
  return scaling;
}

void add_mixture(const Fields& fields, const Family& family, json& config) {
  fields.copy(config, "num_experts", "expert_count");
  fields.copy(config, "num_experts_per_tok", "expert_used_count");
  fields.copy(config, family.model_type == "gpt_oss" ? "intermediate_size" : "moe_intermediate_size",
              "expert_feed_forward_length");
  fields.copy(config, "shared_expert_intermediate_size", "expert_shared_feed_forward_length");
  if (family.model_type == "qwen3_moe") config["norm_topk_prob"] = true;  // the file has no key for it
  if (family.model_type == "gpt_oss" && config.contains("rope_scaling")) config["rope_scaling"]["truncate"] = false;
}

/// Newer files (since 2025) have keys of their own for the head widths of latent attention; older ones have the usual
/// keys. yarn_log_multiplier is a tenth of mscale_all_dim; the rotation itself is not scaled.
void add_deepseek(const Fields& fields, json& config) {
  const auto width = [&](const char* own, const char* usual) { return fields.at(fields.has(own) ? own : usual); };
  const double rotated = fields.at("rope.dimension_count");
  config["qk_rope_head_dim"] = rotated;
  config["qk_nope_head_dim"] = width("attention.key_length_mla", "attention.key_length") - rotated;
  config["v_head_dim"] = width("attention.value_length_mla", "attention.value_length");
  for (const auto& [name, key] : {std::pair{"kv_lora_rank", "attention.kv_lora_rank"},
                                  {"q_lora_rank", "attention.q_lora_rank"},
                                  {"first_k_dense_replace", "leading_dense_block_count"},
                                  {"n_shared_experts", "expert_shared_count"},
                                  {"routed_scaling_factor", "expert_weights_scale"},
                                  {"n_group", "expert_group_count"},
                                  {"topk_group", "expert_group_used_count"}})
    fields.copy(config, name, key);
  config["norm_topk_prob"] = fields.has("expert_weights_norm") && fields.at("expert_weights_norm") != 0;
  if (config["model_type"] == "deepseek_v2" && config.contains("n_group"))
    config["topk_method"] = "group_limited_greedy";
  if (config.contains("rope_scaling") && fields.has("rope.scaling.yarn_log_multiplier")) {
    const double all = 10 * fields.at("rope.scaling.yarn_log_multiplier");
    config["rope_scaling"]["mscale"] = config["rope_scaling"]["mscale_all_dim"] = all;
  }
  config.erase("partial_rotary_factor");
}

void add_llama(const Fields& fields, const Family& family, json& config) {
  fields.copy(config, "num_hidden_layers", "block_count");
  fields.copy(config, "hidden_size", "embedding_length");
  fields.copy(config, "intermediate_size", "feed_forward_length");
  fields.copy(config, "num_attention_heads", "attention.head_count");
  fields.copy(config, "num_key_value_heads", "attention.head_count_kv");
  fields.copy(config, "head_dim", "attention.key_length");
  fields.copy(config, "rms_norm_eps", "attention.layer_norm_rms_epsilon");
  fields.copy(config, "rope_theta", "rope.freq_base");
  fields.copy(config, "max_position_embeddings", "context_length");
  fields.copy(config, "sliding_window", "attention.sliding_window");
  fields.copy(config, "attn_logit_softcapping", "attn_logit_softcapping");
  fields.copy(config, "final_logit_softcapping", "final_logit_softcapping");
  if (const json scaling = scaling_of(fields); !scaling.is_null()) config["rope_scaling"] = scaling;
  config["rope_interleaved"] = family.interleaved;
  if (family.mixture) add_mixture(fields, family, config);
  const double heads = fields.at("attention.head_count"), width = fields.at("embedding_length");
  const double d_head =
      fields.has("attention.key_length") ? fields.at("attention.key_length") : width / std::max(heads, 1.0);
  if (fields.has("rope.dimension_count") && d_head > 0)
    config["partial_rotary_factor"] = fields.at("rope.dimension_count") / d_head;
  if (family.architecture.starts_with("gemma")) config["norms_hold_gains"] = true;  // the converter has added 1
  // The largest of these models scale by width / heads, all others by the head's own width.
  const double layers = fields.at("block_count");
  const bool largest =
      (family.architecture == "gemma2" && layers == 46) || (family.architecture == "gemma3" && layers == 62);
  if (family.architecture == "deepseek2") add_deepseek(fields, config);
  if (family.norms_around) config["query_pre_attn_scalar"] = largest ? width / heads : d_head;
}

void add_gpt2(const Fields& fields, json& config) {
  fields.copy(config, "n_layer", "block_count");
  fields.copy(config, "n_embd", "embedding_length");
  fields.copy(config, "n_inner", "feed_forward_length");
  fields.copy(config, "n_head", "attention.head_count");
  fields.copy(config, "n_positions", "context_length");
  fields.copy(config, "layer_norm_epsilon", "attention.layer_norm_epsilon");
}

}  // namespace

bool is_gguf(const ArrayFile& file) { return file.texts().contains("gguf.formats"); }

std::string hugging_face_name(const ArrayFile& file, std::string_view name) {
  const std::string architecture = architecture_of(file);
  for (const std::string_view header_prefix :
       {std::string_view("general."), std::string_view("tokenizer."), std::string_view(architecture)}) {
    if (name.starts_with(header_prefix)) return {};
  }
  const Family* family = family_of(file);
  if (!family) return std::string(name);
  const bool gpt2 = family->architecture == "gpt2";
  const Names mixture_names = family->mixture ? names_of_mixture(family->model_type) : Names();
  const Names& names = gpt2              ? names_of_gpt2()
                       : family->mixture ? mixture_names
                                         : names_of_llama(family->norms_around, family->architecture == "phi3");
  std::string before;
  std::string_view rest = name;
  if (rest.starts_with("blk.")) {
    const std::size_t dot = rest.find('.', 4);
    if (dot == std::string_view::npos) return std::string(name);
    before = (gpt2 ? "transformer.h." : "model.layers.") + std::string(rest.substr(4, dot - 4)) + ".";
    rest.remove_prefix(dot + 1);
  }
  const std::size_t dot = rest.rfind('.');
  const auto known = std::ranges::find(names, rest.substr(0, dot), &Names::value_type::first);
  if (known == names.end() || dot == std::string_view::npos) return std::string(name);
  // The array is a parameter of the block, not the weight or bias of a layer inside it.
  const bool is_parameter = known->second.ends_with("sinks") || known->second.ends_with("_bias");
  return before + std::string(known->second) + (is_parameter ? std::string() : std::string(rest.substr(dot)));
}

json gguf_config(const Checkpoint& checkpoint) {
  const ArrayFile& file = *checkpoint.files().front();
  const Family* family = family_of(file);
  if (!family) {
    const std::string known = comma_list(families, [](const Family& each) { return each.architecture; });
    throw UnknownModel(file.path(), Message("its architecture {0} is not known", in_quotes(architecture_of(file))),
                       Message("expected one of {0}", known));
  }
  for (const SkippedArray& unread : file.skipped()) file.refuse_if_skipped(unread.name);
  const std::string prefix = std::string(family->architecture) + ".";
  for (const char* key : {"attention.head_count", "attention.head_count_kv", "feed_forward_length"})
    refuse_by_layer(file, prefix + key);
  const Fields fields(file);
  if (!family->mixture && fields.has("expert_count") && fields.at("expert_count") > 0)
    ErrorPlace{file.path()}.fail(
        Message("is a mixture of experts, which is not computed for {0}", in_quotes(family->architecture)),
        "a model with one MLP a layer");
  for (const char* factors : {"rope_factors_long.weight", "rope_factors_short.weight"}) {
    if (file.find(factors))
      ErrorPlace{file.path()}.fail(Message("holds {0}, which is not computed here", in_quotes(factors)),
                                   "a model without factors by length");
  }
  json config{{"model_type", family->model_type}};
  family->architecture == "gpt2" ? add_gpt2(fields, config) : add_llama(fields, *family, config);
  config["tie_word_embeddings"] = file.find("output.weight") == nullptr;
  if (const ArrayEntry* tokens = file.find("token_embd.weight"); tokens && tokens->shape.size() == 2)
    config["vocab_size"] = tokens->shape[0];
  if (const auto end = file.numbers().find("tokenizer.ggml.eos_token_id");
      end != file.numbers().end() && end->second >= 0)
    config["eos_token_id"] = static_cast<std::uint64_t>(end->second);
  return config;
}

void apply_rope_factors(const Checkpoint& checkpoint, RopeSpec& rope) {
  constexpr const char* name = "rope_freqs.weight";
  if (!checkpoint.has(name)) return;
  const Tensor factors = checkpoint.load(name);
  if (factors.count() != static_cast<Index>(rope.frequencies.size()))
    ErrorPlace{checkpoint.path_of(name)}.array(name).fail(Message("has {0} factors", factors.count()),
                                                          std::to_string(rope.frequencies.size()));
  for (std::size_t i = 0; i < rope.frequencies.size(); ++i) rope.frequencies[i] /= factors.values()[i];
  rope.base = 0;
  rope.scaled_by = name;
}

}  // namespace headlight
