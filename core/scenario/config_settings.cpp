// What the config.json beside a layer's weights says of its attention, for a layer that is looked at alone.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/files/error_place.h"
#include "core/position/relative_bias.h"
#include "core/position/rope_waves.h"
#include "core/scenario/file_source.h"
#include "core/scenario/model_config.h"
#include "core/scenario/model_layer.h"
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
    r_.fail("its config.json says " + std::string(name) + " " +
                in_quotes(at(name).dump(-1, ' ', false, json::error_handler_t::replace)) +
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

/// The number of the layer among its fellows, of its prefix: 3 of "model.layers.3.self_attn.".
std::optional<Index> number_of(const std::string& prefix) {
  std::size_t at = 0;
  while (at < prefix.size()) {
    const std::size_t end = std::min(prefix.find('.', at), prefix.size());
    const std::string part = prefix.substr(at, end - at);
    if (!part.empty() && part.size() < 8 && part.find_first_not_of("0123456789") == std::string::npos)
      return static_cast<Index>(std::stol(part));
    at = end + 1;
  }
  return {};
}

enum class LayerKind : std::uint8_t { unknown, full, sliding };
/// Which of its model's two kinds of layer it is: by layer_types, else by a pattern of which every last one sees all
/// keys.
LayerKind kind_of(const FileReading& r, Fields& f, Index usual_pattern) {
  const std::optional<Index> number = number_of(r.keys.prefix);
  const json& types = f.at("layer_types");
  if (number && types.is_array() && *number < static_cast<Index>(types.size()))
    return types[static_cast<std::size_t>(*number)] == "sliding_attention" ? LayerKind::sliding : LayerKind::full;
  const auto said = f.number({"sliding_window_pattern", "_sliding_window_pattern"});
  const auto pattern = said ? static_cast<Index>(*said) : usual_pattern;
  if (!number || pattern <= 0) return LayerKind::unknown;
  return (*number + 1) % pattern == 0 ? LayerKind::full : LayerKind::sliding;
}

/// Whether this layer is one of those that its model does not rotate.
bool goes_unrotated(const FileReading& r, Fields& f, const std::string& model) {
  const std::optional<Index> number = number_of(r.keys.prefix);
  if (model == "cohere2") {
    const LayerKind kind = kind_of(r, f, 4);
    if (kind == LayerKind::unknown) f.refuse("model_type", "a layer with its number, since some are not rotated");
    return kind == LayerKind::full;
  }
  const json& list = f.at("no_rope_layers");
  const auto interval = f.number({"no_rope_layer_interval"});
  const double every = interval.value_or(model == "smollm3" || model.starts_with("llama4") ? 4 : 0);
  if ((!list.is_array() || list.empty()) && every <= 0) return false;
  if (!number)
    f.refuse(list.is_array() && !list.empty() ? "no_rope_layers" : "model_type",
             "a layer with its number, since some are not rotated");
  if (list.is_array() && !list.empty())
    return *number < static_cast<Index>(list.size()) && list[static_cast<std::size_t>(*number)] == 0;
  return (*number + 1) % static_cast<Index>(every) == 0;
}

/// What a family rotates where its config.json does not say.
struct UsualRope {
  double base = 10000, share = 1;
  std::optional<double> dim{};
};
UsualRope usual_rope(const std::string& model) {
  if (is_one_of(model, {"phi", "glm", "glm4", "nemotron"})) return {.share = 0.5};
  if (is_one_of(model, {"stablelm", "gpt_neox"})) return {.share = 0.25};
  if (model == "persimmon") return {.base = 25000, .share = 0.5};
  if (is_one_of(model, {"gptj", "codegen"})) return {.dim = 64};
  if (is_one_of(model, {"mixtral", "gemma3", "gemma3_text"})) return {.base = 1000000};
  if (model == "smollm3") return {.base = 2000000};
  return {};
}

/// The stretched frequencies of a layer that is rotated, over the base and the channels that hold for it.
void read_rope_scaling(const FileReading& r, Fields& f, const char* field, const Dims& d, FileRules& rules) {
  const Scenario& asked = r.resolving.scenario;
  const SourceSettings& says = rules.says;
  const json& scaling = f.at(field);
  if (!scaling.is_object()) f.refuse(field, "an object with a rope_type");
  if (asked.rope != Rope::none) {
    r.assume("positions", "--rope in place of config.json's " + std::string(field));
    return;
  }
  const auto most = f.number({"max_position_embeddings"});
  const ModelLengths lengths{most.value_or(2048), f.number({"original_max_position_embeddings"})};
  const bool own_base = asked.rope_base != Scenario().rope_base;
  const RopeWaves waves =
      scaled_waves(static_cast<double>(own_base ? asked.rope_base : says.rope_base),
                   asked.rotary_dim.value_or(says.rotary_dim.value_or(d.d_head)), scaling, lengths,
                   [&](const std::string&, const std::string& expected) { f.refuse(field, expected); });
  const Index tokens = std::max(d.n_k, asked.query_offset.value_or(0) + d.n_q);
  const bool is_long = waves.original > 0 && tokens > waves.original;
  OwnRules own;
  own.rope_frequencies = frequencies_for(waves, tokens);
  own.rope_gain = is_long && waves.long_gain > 0 ? waves.long_gain : waves.gain;
  std::string kind = "default";
  for (const char* name : {"type", "rope_type"}) {
    if (scaling.contains(name) && scaling[name].is_string()) kind = scaling[name].get<std::string>();
  }
  const bool differs = waves.original > 0;
  r.assume("positions", "frequencies by " + std::string(field) + " " + in_quotes(kind) +
                            (differs ? ", for " + std::to_string(tokens) + " tokens" : "") +
                            (own.rope_gain != 1 ? ", times " + shortest(static_cast<float>(own.rope_gain)) : "") +
                            " (config.json)");
  rules.own = std::move(own);
}

void read_rope(const FileReading& r, Fields& f, const std::string& model, const Dims& d, FileRules& rules) {
  SourceSettings& says = rules.says;
  const bool family =
      is_one_of(model, {"llama",      "mistral", "mixtral",  "qwen2",       "qwen2_moe", "qwen3",    "qwen3_moe",
                        "gemma",      "gemma2",  "gemma3",   "gemma3_text", "phi",       "phi3",     "stablelm",
                        "olmo",       "olmo2",   "gpt_neox", "gptj",        "codegen",   "cohere",   "cohere2",
                        "starcoder2", "granite", "smollm3",  "internlm",    "internlm2", "nemotron", "persimmon",
                        "glm",        "glm4",    "ernie4_5", "helium",      "falcon",    "gpt_oss",  "dbrx"});
  const json& parameters = f.at("rope_parameters");
  std::optional<double> base = f.number({"rope_theta", "rotary_emb_base"});
  if (!base && parameters.is_object() && parameters.contains("rope_theta") && parameters["rope_theta"].is_number())
    base = parameters["rope_theta"].get<double>();
  if (const json& inner = f.at("attn_config");
      !base && inner.is_object() && inner.contains("rope_theta") && inner["rope_theta"].is_number())
    base = inner["rope_theta"].get<double>();
  auto share = f.number({"rotary_pct", "partial_rotary_factor"});
  if (!share && parameters.is_object() && parameters.contains("partial_rotary_factor") &&
      parameters["partial_rotary_factor"].is_number())
    share = parameters["partial_rotary_factor"].get<double>();
  auto dim = f.number({"rotary_dim"});
  const std::string kind = f.text("position_embedding_type");
  const bool stretched = !changes_nothing(f.at("rope_scaling"));
  const bool rope = (family || stretched || base || share || dim || kind == "rotary" || kind == "rope") &&
                    !says.alibi && !f.flag("alibi");
  if (!rope) return;
  const bool newer = !changes_nothing(parameters) && parameters.is_object() &&
                     (parameters.contains("rope_type") || parameters.contains("type"));
  const char* const scaling = !changes_nothing(f.at("rope_scaling")) ? "rope_scaling"
                              : newer                                ? "rope_parameters"
                                                                     : nullptr;
  const bool by_kind =
      parameters.is_object() && std::ranges::any_of(parameters, [](const json& value) { return value.is_object(); });
  if (by_kind) f.refuse("rope_parameters", "one rotation for all layers, or the whole model with --text");
  if (model.starts_with("llama4")) f.refuse("model_type", "a norm and a rotation that are known");
  const auto local = f.number({"rope_local_base_freq"});
  if (goes_unrotated(r, f, model)) {
    r.assume("positions", "none: config.json says that this layer is not rotated");
    return;
  }
  const UsualRope usual = usual_rope(model);
  if (!share) share = usual.share < 1 ? std::optional(usual.share) : std::nullopt;
  if (!dim) dim = usual.dim;
  bool is_local = false;
  if (local || model.starts_with("gemma3")) {
    const LayerKind of_layer = kind_of(r, f, 6);
    if (of_layer == LayerKind::unknown)
      f.refuse(local ? "rope_local_base_freq" : "model_type",
               "a layer with its number, which tells the base of its rotation");
    if (of_layer == LayerKind::sliding) base = local.value_or(10000);
    is_local = of_layer == LayerKind::sliding;
  }
  const Index d_head = d.d_head;
  const double turned = dim     ? *dim
                        : share ? std::floor(*share * static_cast<double>(d_head))
                                : static_cast<double>(d_head);
  says.rope = is_one_of(model, {"gptj", "codegen", "cohere", "cohere2", "glm", "glm4", "ernie4_5", "helium"})
                  ? Rope::interleaved
                  : Rope::half;
  says.rope_base = static_cast<float>(base.value_or(usual.base));
  if (!(says.rope_base > 0)) f.refuse("rope_theta", "more than 0");
  if (turned < static_cast<double>(d_head)) {
    const auto part = static_cast<Index>(turned);
    if (part < 2 || part % 2 != 0)
      f.refuse(dim                            ? "rotary_dim"
               : f.at("rotary_pct").is_null() ? "partial_rotary_factor"
                                              : "rotary_pct",
               "an even number of rotated channels");
    says.rotary_dim = part;
  }
  r.assume("positions", "RoPE " + std::string(says.rope == Rope::half ? "by halves" : "interleaved") + " of base " +
                            shortest(says.rope_base) +
                            (says.rotary_dim ? " on the first " + std::to_string(*says.rotary_dim) + " of " +
                                                   std::to_string(d_head) + " channels"
                                             : "") +
                            " (config.json)" +
                            (r.resolving.scenario.rope != Rope::none ? ", where --rope is set" : ""));
  if (scaling && !is_local) read_rope_scaling(r, f, scaling, d, rules);
}

void read_scale(const FileReading& r, Fields& f, const std::string& model, SourceSettings& says) {
  const auto take = [&](double scale, const std::string& why) {
    if (says.scale) return;  // the file's own word
    says.scale = static_cast<float>(scale);
    r.assume("scale", shortest(*says.scale) + " (" + why + " in config.json)");
  };
  if (const auto scalar = f.number({"query_pre_attn_scalar"})) take(1 / std::sqrt(*scalar), "query_pre_attn_scalar");
  if (const auto multiplier = f.number({"attention_multiplier"})) take(*multiplier, "attention_multiplier");
  if (f.at("scale_attn_weights") == false) take(1, "scale_attn_weights");
  if (is_one_of(model, {"t5", "mt5", "umt5", "longt5", "gpt_neo"})) take(1, "model_type " + model);
  if (f.flag("scale_attn_by_inverse_layer_idx"))
    f.refuse("scale_attn_by_inverse_layer_idx", "the same scale in every layer");
  if (const auto cap = f.number({"attn_logit_softcapping"}); cap && *cap > 0 && !says.softcap) {
    says.softcap = static_cast<float>(*cap);
    r.assume("soft-cap", shortest(*says.softcap) + " (attn_logit_softcapping in config.json)");
  }
}

void read_bias_kind(const FileReading& r, Fields& f, const std::string& model, const Dims& d, FileRules& rules) {
  const json& mpt = f.at("attn_config");
  if (f.flag("alibi") && model == "falcon") {
    const double scale = r.resolving.scenario.scale ? static_cast<double>(*r.resolving.scenario.scale)
                                                    : 1 / std::sqrt(static_cast<double>(d.d_head));
    rules.bias = r.file.made(
        "Falcon's ALiBi " + std::to_string(scale) + " over " + std::to_string(d.n_q) + " x " + std::to_string(d.n_k),
        [&] { return falcon_alibi(d.heads, d.n_q, d.n_k, scale); });
    return r.assume("bias", "ALiBi scaled with the scores, in bfloat16 as Falcon has it (config.json)");
  }
  const bool alibi = f.flag("alibi") || f.flag("use_alibi") || model == "bloom" ||
                     f.text("position_embedding_type") == "alibi" ||
                     (mpt.is_object() && mpt.value("alibi", json()) == true);
  const double steepest = mpt.is_object() && mpt.value("alibi_bias_max", json(8)).is_number()
                              ? mpt.value("alibi_bias_max", json(8)).get<double>()
                              : 8;
  const bool own_slopes = alibi && model == "mpt" && ((d.heads & (d.heads - 1)) != 0 || steepest != 8);
  if (own_slopes) {
    const Index offset = r.resolving.scenario.query_offset.value_or(0);
    rules.bias = r.file.made("MPT's ALiBi " + std::to_string(steepest) + " from " + std::to_string(offset) + " over " +
                                 std::to_string(d.n_q) + " x " + std::to_string(d.n_k),
                             [&] { return bias_of_slopes(mpt_slopes(d.heads, steepest), d.n_q, d.n_k, offset); });
    r.assume("bias", "ALiBi with MPT's own slopes (config.json)");
  } else if (alibi) {
    rules.says.alibi = true;
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
  if (model.starts_with("deberta") && f.flag("relative_attention"))
    f.refuse("relative_attention", "scores of queries and keys alone");
  if (!f.at("clip_qkv").is_null()) f.refuse("clip_qkv", "queries, keys and values that are not clipped");
  if (is_one_of(model, {"t5", "mt5", "umt5", "longt5", "mpnet", "swin", "deberta", "deberta-v2"}) &&
      !has_relative_table(r, d)) {
    r.assume("bias", "the relative positions of " + model + " are not added to a layer alone");
  }
  if (model == "gpt_bigcode" && r.keys.is_packed() && f.at("multi_query") == false)
    f.refuse("multi_query", "one key/value head; the others' c_attn is packed head by head");
  if (is_one_of(model, {"chatglm"}) && r.keys.is_packed())
    f.refuse("model_type", "a layout that is known; ChatGLM's query_key_value is packed in another order");
  if (model == "codegen" && r.keys.is_packed())
    f.refuse("model_type", "a layout that is known; CodeGen's packs eight blocks in an order of its own");
}

/// What a model does with later positions, and what is not done with a layer alone unless it is asked for.
void note_mask(const FileReading& r, Fields& f, const std::string& model, Index n_k) {
  std::string names;
  if (const json& list = f.at("architectures"); list.is_array()) {
    for (const json& name : list) names += name.is_string() ? name.get<std::string>() : "";
  }
  const bool causal =
      names.find("CausalLM") != std::string::npos || names.find("LMHeadModel") != std::string::npos ||
      is_one_of(model,
                {"gpt2",  "gpt_neo",  "gpt_neox", "gptj",   "opt",        "llama",   "mistral",    "mixtral", "qwen2",
                 "qwen3", "gemma",    "gemma2",   "phi",    "phi3",       "olmo",    "olmo2",      "bloom",   "falcon",
                 "mpt",   "stablelm", "codegen",  "cohere", "starcoder2", "granite", "gpt_bigcode"});
  const bool windowed = f.at("use_sliding_window") != false;
  const auto window = f.number({"sliding_window", "window_size"});
  if (!causal) return;
  const bool matters = window && windowed && *window < static_cast<double>(n_k);
  const std::string mask = matters ? "causal() && window(" + shortest(static_cast<float>(*window)) + ")" : "causal()";
  r.assume("mask", "none is in the file; the model's own is --mask \"" + mask + "\"" +
                       (matters ? " in the layers that have the window" : ""));
}

/// Fields whose names say that they might matter, and that nobody here knows.
void note_unknown(const FileReading& r, const Fields& f) {
  std::string list;
  for (const auto& [name, value] : f.all().items()) {
    if (f.knows(name) || value.is_null() || value == false) continue;
    const bool near =
        std::ranges::any_of(std::initializer_list<const char*>{"rope",
                                                               "rotary",
                                                               "attn_",
                                                               "attention_",
                                                               "_attn",
                                                               "_attention",
                                                               "attention",
                                                               "qk",
                                                               "softcap",
                                                               "soft_cap",
                                                               "softmax",
                                                               "sink",
                                                               "alibi",
                                                               "relative",
                                                               "temperature",
                                                               "logit_scale",
                                                               "logn",
                                                               "nope",
                                                               "ntk",
                                                               "lora_rank",
                                                               "v_head_dim",
                                                               "key_multiplier",
                                                               "query_scale",
                                                               "layer_scaling",
                                                               "sliding_window_size",
                                                               "causal",
                                                               "bidirectional",
                                                               "prefix_lm",
                                                               "positional_embedding"},
                            [&name = name](const char* part) { return name.find(part) != std::string::npos; });
    const bool harmless = is_one_of(name, {"num_attention_heads",
                                           "attention_bias",
                                           "attention_dropout",
                                           "attn_pdrop",
                                           "attention_probs_dropout_prob",
                                           "attn_implementation",
                                           "_attn_implementation",
                                           "attention_types",
                                           "attention_head_size",
                                           "attn_dropout",
                                           "attention_head_dim",
                                           "max_relative_position",
                                           "attention_probs_dropout",
                                           "encoder_attention_heads",
                                           "decoder_attention_heads",
                                           "attention_heads",
                                           "output_attentions",
                                           "attention_softmax_in_fp32",
                                           "_attn_implementation_autoset",
                                           "_attn_implementation_internal",
                                           "attention_implementation",
                                           "scale_attention_softmax_in_fp32"});
    if (near && !harmless) list += (list.empty() ? "" : ", ") + in_quotes(name);
  }
  if (!list.empty()) r.assume("config.json not taken", list);
}

}  // namespace

FileRules read_config_settings(const FileReading& r, const Dims& dims, const SourceSettings& numbers) {
  FileRules rules{numbers};
  if (r.keys.prefix.empty()) return rules;  // no layer of a model, so that no config is its
  const json config = config_beside(path_from(r.file.path()));
  if (!config.is_object()) return rules;
  Fields f(r, config);
  const std::string model = f.text("model_type");
  read_bias_kind(r, f, model, dims, rules);
  read_rope(r, f, model, dims, rules);
  read_scale(r, f, model, rules.says);
  note_unknown(r, f);
  return rules;
}

void note_model_mask(const FileReading& r, const Dims& dims, const Masking& masking) {
  const bool masked = !r.resolving.scenario.mask.empty() || !r.resolving.scenario.mask_file.empty() ||
                      masking.file_mask.defined() || masking.valid_lens.defined();
  if (masked || r.keys.prefix.empty()) return;
  const json config = config_beside(path_from(r.file.path()));
  if (!config.is_object()) return;
  Fields f(r, config);
  note_mask(r, f, f.text("model_type"), dims.n_k);
}

}  // namespace headlight
