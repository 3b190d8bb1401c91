// What the config.json beside a layer's weights says of its attention, for a layer that is looked at alone.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/files/error_place.h"
#include "core/scenario/file_source.h"
#include "core/scenario/model_config.h"
#include "core/scenario/scenario_rules.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

using nlohmann::json;

/// A config.json, whose fields count as known once they were asked for.
class Fields {
 public:
  Fields(const FileReading& r, const json& config) : r_(r), config_(config) {}

  const json& at(const char* name) {
    static const json nothing;
    known_.insert(name);
    const auto found = config_.find(name);
    return found == config_.end() ? nothing : *found;
  }
  std::optional<double> number(std::initializer_list<const char*> names) {
    std::optional<double> first;
    for (const char* name : names) {
      const json& value = at(name);
      if (!first && value.is_number()) first = value.get<double>();
    }
    return first;
  }
  bool flag(const char* name) {
    const json& value = at(name);
    return value.is_boolean() && value.get<bool>();
  }
  std::string text(const char* name) {
    const json& value = at(name);
    return value.is_string() ? value.get<std::string>() : std::string();
  }
  [[noreturn]] void refuse(const char* name, const std::string& expected) {
    r_.fail("its config.json says " + std::string(name) + " " + in_quotes(at(name).dump(-1, ' ', false, json::error_handler_t::replace)) +
                ", which is not computed for a layer alone",
            expected);
  }
  bool knows(const std::string& name) const { return known_.contains(name); }
  const json& all() const { return config_; }

 private:
  const FileReading& r_;
  const json& config_;
  std::set<std::string> known_;
};

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* w) { return word == w; });
}

/// A dictionary that says nothing, or only that nothing is changed.
bool changes_nothing(const json& scaling) {
  if (scaling.is_null()) return true;
  if (!scaling.is_object()) return false;
  for (const char* name : {"rope_type", "type"}) {
    if (scaling.contains(name)) return scaling[name] == "default";
  }
  return scaling.empty();
}

void read_rope(const FileReading& r, Fields& f, const std::string& model) {
  SourceSettings& says = r.inputs.says;
  const bool family = is_one_of(model, {"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3", "gemma3_text", "phi", "phi3", "stablelm", "olmo", "olmo2",
                                        "gpt_neox", "gptj", "codegen", "cohere", "cohere2", "starcoder2", "granite", "smollm3", "internlm", "internlm2", "nemotron", "persimmon", "glm"});
  const json& parameters = f.at("rope_parameters");
  std::optional<double> base = f.number({"rope_theta", "rotary_emb_base"});
  if (!base && parameters.is_object() && parameters.contains("rope_theta") && parameters["rope_theta"].is_number()) base = parameters["rope_theta"].get<double>();
  const auto share = f.number({"rotary_pct", "partial_rotary_factor"});
  const auto dim = f.number({"rotary_dim"});
  const std::string kind = f.text("position_embedding_type");
  const bool rope = (family || base || share || dim || kind == "rotary" || kind == "rope") && !says.alibi;
  if (!rope) return;
  if (!changes_nothing(f.at("rope_scaling"))) f.refuse("rope_scaling", "frequencies as they are, or the whole model with --text");
  if (!changes_nothing(parameters) && parameters.is_object() && (parameters.contains("rope_type") || parameters.contains("type"))) {
    f.refuse("rope_parameters", "frequencies as they are, or the whole model with --text");
  }
  for (const char* name : {"no_rope_layers", "no_rope_layer_interval", "rope_local_base_freq"}) {
    const json& value = f.at(name);
    if (!value.is_null() && !(value.is_array() && value.empty()) && !(value.is_number() && value == 0)) f.refuse(name, "the same positions in every layer");
  }
  const Index d_head = r.inputs.dims.d_head;
  const double turned = dim ? *dim : share ? std::floor(*share * static_cast<double>(d_head)) : static_cast<double>(d_head);
  says.rope = is_one_of(model, {"gptj", "codegen", "cohere", "cohere2", "glm"}) ? Rope::interleaved : Rope::half;
  says.rope_base = static_cast<float>(base.value_or(10000));
  if (!(says.rope_base > 0)) f.refuse("rope_theta", "more than 0");
  if (turned < static_cast<double>(d_head)) {
    const auto part = static_cast<Index>(turned);
    if (part < 2 || part % 2 != 0) f.refuse(dim ? "rotary_dim" : f.at("rotary_pct").is_null() ? "partial_rotary_factor" : "rotary_pct", "an even number of rotated channels");
    says.rotary_dim = part;
  }
  r.assume("positions", "RoPE " + std::string(says.rope == Rope::half ? "by halves" : "interleaved") + " of base " + shortest(says.rope_base) +
                            (says.rotary_dim ? " on the first " + std::to_string(*says.rotary_dim) + " of " + std::to_string(d_head) + " channels" : "") + " (config.json)" +
                            (r.resolving.scenario.rope != Rope::none ? ", where --rope is set" : ""));
}

void read_scale(const FileReading& r, Fields& f, const std::string& model) {
  SourceSettings& says = r.inputs.says;
  const auto take = [&](double scale, const std::string& why) {
    if (says.scale) return;  // the file's own word
    says.scale = static_cast<float>(scale);
    r.assume("scale", shortest(*says.scale) + " (" + why + " in config.json)");
  };
  if (const auto scalar = f.number({"query_pre_attn_scalar"})) take(1 / std::sqrt(*scalar), "query_pre_attn_scalar");
  if (const auto multiplier = f.number({"attention_multiplier"})) take(*multiplier, "attention_multiplier");
  if (f.at("scale_attn_weights") == false) take(1, "scale_attn_weights");
  if (is_one_of(model, {"t5", "mt5", "umt5", "longt5", "gpt_neo"})) take(1, "model_type " + model);
  if (f.flag("scale_attn_by_inverse_layer_idx")) f.refuse("scale_attn_by_inverse_layer_idx", "the same scale in every layer");
  if (const auto cap = f.number({"attn_logit_softcapping"}); cap && *cap > 0 && !says.softcap) {
    says.softcap = static_cast<float>(*cap);
    r.assume("soft-cap", shortest(*says.softcap) + " (attn_logit_softcapping in config.json)");
  }
}

void read_bias_kind(const FileReading& r, Fields& f, const std::string& model) {
  const json& mpt = f.at("attn_config");
  const bool alibi = f.flag("alibi") || f.flag("use_alibi") || model == "bloom" || f.text("position_embedding_type") == "alibi" ||
                     (mpt.is_object() && mpt.value("alibi", json()) == true);
  if (alibi) {
    r.inputs.says.alibi = true;
    r.assume("bias", "ALiBi (config.json)");
  }
  if (mpt.is_object()) {
    for (const char* name : {"clip_qkv", "softmax_scale", "qk_ln", "prefix_lm", "qk_gn", "rope"}) {
      const json value = mpt.value(name, json());
      if (!value.is_null() && value != false) f.refuse("attn_config", "an attention without " + std::string(name));
    }
  }
  const std::string kind = f.text("position_embedding_type");
  if (kind.starts_with("relative")) f.refuse("position_embedding_type", "absolute positions");
  if (!f.at("clip_qkv").is_null()) f.refuse("clip_qkv", "queries, keys and values that are not clipped");
  if (is_one_of(model, {"t5", "mt5", "umt5", "longt5", "mpnet", "swin", "deberta", "deberta-v2"}) && !has_relative_table(r)) {
    r.assume("bias", "the relative positions of " + model + " are not added to a layer alone");
  }
  if (model == "codegen" && r.keys.is_packed()) f.refuse("model_type", "a layout that is known; CodeGen's packs eight blocks in an order of its own");
}

/// What a model does with later positions, and what is not done with a layer alone unless it is asked for.
void note_mask(const FileReading& r, Fields& f, const std::string& model) {
  std::string names;
  if (const json& list = f.at("architectures"); list.is_array()) {
    for (const json& name : list) names += name.is_string() ? name.get<std::string>() : "";
  }
  const bool causal = names.find("CausalLM") != std::string::npos || names.find("LMHeadModel") != std::string::npos ||
                      is_one_of(model, {"gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma", "gemma2", "phi", "phi3", "olmo", "olmo2", "bloom", "falcon", "mpt",
                                        "stablelm", "codegen", "cohere", "starcoder2", "granite", "gpt_bigcode"});
  const bool windowed = f.at("use_sliding_window") != false;
  const auto window = f.number({"sliding_window", "window_size"});
  if (!causal) return;
  const bool matters = window && windowed && *window < static_cast<double>(r.inputs.dims.n_k);
  const std::string mask = matters ? "causal() && window(" + shortest(static_cast<float>(*window)) + ")" : "causal()";
  r.assume("mask", "none is in the file; the model's own is --mask \"" + mask + "\"" + (matters ? " in the layers that have the window" : ""));
}

/// Fields whose names say that they might matter, and that nobody here knows.
void note_unknown(const FileReading& r, const Fields& f) {
  std::string list;
  for (const auto& [name, value] : f.all().items()) {
    if (f.knows(name) || value.is_null() || value == false) continue;
    const bool near = std::ranges::any_of(std::initializer_list<const char*>{"rope", "rotary", "attn_", "attention_", "qk_", "softcap", "sink", "alibi", "relative", "temperature", "logit_scale"},
                                          [&name = name](const char* part) { return name.find(part) != std::string::npos; });
    const bool harmless = is_one_of(name, {"num_attention_heads", "attention_bias", "attention_dropout", "attn_pdrop", "attention_probs_dropout_prob", "attn_implementation", "_attn_implementation", "attention_types",
                                           "attention_head_size", "attn_dropout", "attention_head_dim", "max_relative_position", "attention_probs_dropout"});
    if (near && !harmless) list += (list.empty() ? "" : ", ") + in_quotes(name);
  }
  if (!list.empty()) r.assume("config.json not taken", list);
}

}  // namespace

void read_config_settings(const FileReading& r) {
  if (r.keys.prefix.empty()) return;  // no layer of a model, so that no config is its
  const json config = config_beside(path_from(r.file.path()));
  if (!config.is_object()) return;
  Fields f(r, config);
  const std::string model = f.text("model_type");
  read_bias_kind(r, f, model);
  read_rope(r, f, model);
  read_scale(r, f, model);
  note_unknown(r, f);
}

void note_model_mask(const FileReading& r) {
  const bool masked = !r.resolving.scenario.mask.empty() || !r.resolving.scenario.mask_file.empty() || r.inputs.file_mask.defined() || r.inputs.valid_lens.defined();
  if (masked || r.keys.prefix.empty()) return;
  const json config = config_beside(path_from(r.file.path()));
  if (!config.is_object()) return;
  Fields f(r, config);
  note_mask(r, f, f.text("model_type"));
}

}  // namespace headlight
