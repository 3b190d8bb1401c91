// What the numbers of a file and a config.json beside it say about attention: each one is used, harmless or refused,
// and none is ignored.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/files/error_place.h"
#include "core/position/relative_bias.h"
#include "core/scenario/file_source.h"
#include "core/scenario/scenario_rules.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

float positive(const FileReading& r, const FileReading::Number& number) {
  const auto value = static_cast<float>(number.value);
  if (!std::isfinite(value))
    r.fail(Message("{0} is {1}", in_quotes(number.name), shortest(value)), "expected a finite number");
  return value;
}

SourceSettings read_numbers(const FileReading& r) {
  const Scenario& s = r.resolving.scenario;
  SourceSettings says;
  if (const auto scale = r.own_number(
          {"scale", "scaling", "softmax_scale", "qk_scale", "sm_scale", "attn_scale", "attention_multiplier"})) {
    says.scale = positive(r, *scale);
    r.assume("scale", s.scale
                          ? Message("{0} as set, where the file says {1}", shortest(*s.scale), shortest(*says.scale))
                          : Message("{0} ({1})", shortest(*says.scale), scale->name));
  }
  if (const auto cap = r.own_number({"softcap", "soft_cap", "softcapping", "logit_softcap", "logits_soft_cap",
                                     "logit_softcapping", "attn_logit_softcapping", "logit_cap", "attn_logit_cap"});
      cap && cap->value != 0) {
    if (!(cap->value > 0))
      r.fail(Message("{0} is {1}", in_quotes(cap->name), shortest(static_cast<float>(cap->value))),
             "expected more than 0");
    says.softcap = positive(r, *cap);
    r.assume("soft-cap",
             s.softcap ? Message("{0} as set, where the file says {1}", shortest(*s.softcap), shortest(*says.softcap))
                       : Message("{0} ({1})", shortest(*says.softcap), cap->name));
  }
  for (const char* name : {"add_zero_attn", "add_bias_kv"}) {
    const auto flag = r.own_number({name});
    if (flag && flag->value != 0) {
      r.fail(Message("{0} is true, which adds a key that no input has", in_quotes(flag->name)),
             "expected an attention without it");
    }
  }
  for (const char* name : {"dropout_p", "dropout", "attn_dropout", "attention_dropout"}) {
    const auto p = r.own_number({name});
    if (p && p->value != 0)
      r.assume("dropout",
               Message("{0} = {1} is not taken: as after eval()", p->name, shortest(static_cast<float>(p->value))));
  }
  if (const auto base = r.own_number({"rope_theta", "rope_base"})) {
    says.rope_base = positive(r, *base);
    if (!(says.rope_base > 0))
      r.fail(Message("{0} is {1}", in_quotes(base->name), shortest(says.rope_base)), "expected more than 0");
    says.rope = Rope::half;
    r.assume("positions", Message("RoPE by halves of base {0} ({1})", shortest(says.rope_base), base->name));
  }
  return says;
}

/// Checks sizes that a file may also give as numbers.
void check_sizes(const FileReading& r, const Dims& d) {
  const auto check = [&](std::initializer_list<const char*> names, std::initializer_list<Index> may_be) {
    const auto number = r.number_beside(names);
    if (!number) return;
    const bool known =
        std::ranges::any_of(may_be, [&](Index size) { return number->value == static_cast<double>(size); });
    if (!known) {
      r.fail(Message("{0} is {1}, where the weights make d_head {2} and d_model {3}", in_quotes(number->name),
                     shortest(static_cast<float>(number->value)), d.d_head, d.d_model),
             "expected numbers that fit the weights");
    }
  };
  check({"head_dim", "d_head", "d_k", "dim_head", "dim_per_head"}, {d.d_head, d.d_model});
  check({"embed_dim", "d_model", "hidden_size", "n_embd", "embed_size", "embedding_dim"},
        {d.d_model, d.d_query, d.d_out});
  check({"kdim"}, {d.d_key});
  check({"vdim"}, {d.d_value});
}

/// Whether the layer is T5's by its names: q, k and v, under SelfAttention or EncDecAttention or beside a table of
/// relative positions. T5 trains without a scale (Raffel et al. 2020).
bool is_t5(const FileReading& r) {
  const std::string& prefix = r.keys.prefix;
  const std::string name = r.keys.q.weight.substr(std::min(prefix.size(), r.keys.q.weight.size()));
  if (!name.starts_with("q.") && !name.starts_with("q/")) return false;
  return ("." + prefix).find("SelfAttention.") != std::string::npos ||
         ("." + prefix).find(".EncDecAttention.") != std::string::npos ||
         r.file.arrays().find(prefix + "relative_attention_bias.weight");
}

std::string model_type(const LayerDescription& layer) {
  const nlohmann::json type = layer.fields.value("model_type", nlohmann::json());
  return type.is_string() ? type.get<std::string>() : "";
}

void take_rope(const FileReading& r, const LayerDescription& layer, const Dims& d, FileRules& rules) {
  const Scenario& scenario = r.resolving.scenario;
  const RopeSpec& rope = layer.attention.rope;
  if (layer.unrotated) r.assume("positions", "none: config.json says that this layer is not rotated");
  if (rope.pairing == Rope::none) return;
  SourceSettings& says = rules.says;
  says.rope = rope.pairing;
  says.rope_base = static_cast<float>(rope.theta);
  if (rope.channels() < d.d_head) says.rotary_dim = rope.channels();
  const Rope pairing = scenario.rope == Rope::none ? rope.pairing : scenario.rope;
  const std::string base = shortest(says.rope_base);
  const bool halves = pairing == Rope::half;
  const Message description =
      says.rotary_dim ? Message(halves ? "RoPE by halves of base {0} on the first {1} of {2} channels ({3})"
                                       : "RoPE interleaved of base {0} on the first {1} of {2} channels ({3})",
                                base, *says.rotary_dim, d.d_head, r.config_name())
                      : Message(halves ? "RoPE by halves of base {0} ({1})" : "RoPE interleaved of base {0} ({1})",
                                base, r.config_name());
  r.assume("positions", scenario.rope == Rope::none ? description : Message("{0}, paired by --rope", description));
  if (rope.scaled_by.empty()) return;
  const Index tokens = std::max(d.n_k, scenario.query_offset.value_or(0) + d.n_q);
  const bool is_long = rope.original > 0 && tokens > rope.original;
  OwnRules own;
  own.rope_frequencies = frequencies_for(rope, tokens);
  own.rope_gain = is_long && rope.long_gain > 0 ? rope.long_gain : rope.gain;
  const Message scaling =
      rope.original > 0 ? Message("{0}, for {1} tokens", rope.scaled_by, tokens) : Message(rope.scaled_by);
  const std::string gain = shortest(static_cast<float>(own.rope_gain));
  r.assume("positions", own.rope_gain == 1
                            ? Message("frequencies by {0} ({1})", scaling, r.config_name())
                            : Message("frequencies by {0}, times {1} ({2})", scaling, gain, r.config_name()));
  rules.own = std::move(own);
}

/// Takes the scale if config.json says it, or if the family has another one than 1/√d_head.
void take_scale(const FileReading& r, const LayerDescription& layer, SourceSettings& says) {
  const AttentionSpec& a = layer.attention;
  std::string why;
  for (const char* field :
       {"scale_attn_by_inverse_layer_idx", "query_pre_attn_scalar", "attention_multiplier", "scale_attn_weights"}) {
    const nlohmann::json value = layer.fields.value(field, nlohmann::json());
    if ((value.is_number() || value.is_boolean()) && value != (field == std::string("scale_attn_weights"))) why = field;
  }
  const bool is_default =
      static_cast<float>(a.scale) == static_cast<float>(1 / std::sqrt(static_cast<double>(a.d_head)));
  if (!says.scale && !(is_default && (why.empty() || why.starts_with("scale_attn")))) {
    says.scale = static_cast<float>(a.scale);
    r.assume("scale", why.empty()
                          ? Message("{0} (model_type {1} in config.json)", shortest(*says.scale), model_type(layer))
                          : Message("{0} ({1} in config.json)", shortest(*says.scale), why));
  }
  if (a.softcap && *a.softcap > 0 && !says.softcap) {
    says.softcap = static_cast<float>(*a.softcap);
    const bool in_config = layer.fields.contains("attn_logit_softcapping");
    r.assume("soft-cap",
             in_config ? Message("{0} (attn_logit_softcapping in config.json)", shortest(*says.softcap))
                       : Message("{0} (model_type {1} in config.json)", shortest(*says.softcap), model_type(layer)));
  }
}

void take_bias(const FileReading& r, const LayerDescription& layer, const Dims& d, FileRules& rules) {
  const AttentionSpec& a = layer.attention;
  const std::string size = std::to_string(d.n_q) + " x " + std::to_string(d.n_k);
  if (a.scaled_alibi) {
    const double scale = r.resolving.scenario.scale ? static_cast<double>(*r.resolving.scenario.scale)
                                                    : 1 / std::sqrt(static_cast<double>(d.d_head));
    rules.bias = r.file.made("Falcon's ALiBi " + std::to_string(scale) + " over " + size,
                             [&] { return falcon_alibi(d.heads, d.n_q, d.n_k, scale); });
    r.assume("bias", "ALiBi scaled with the scores, in bfloat16 as Falcon has it (config.json)");
  } else if (!a.slopes.empty()) {
    const Index offset = r.resolving.scenario.query_offset.value_or(0);
    std::string slopes;
    for (const double slope : a.slopes) slopes += std::to_string(slope) + " ";
    rules.bias = r.file.made("ALiBi " + slopes + "from " + std::to_string(offset) + " over " + size,
                             [&] { return bias_of_slopes(a.slopes, d.n_q, d.n_k, offset); });
    r.assume("bias", "ALiBi with MPT's own slopes (config.json)");
  } else if (a.alibi) {
    rules.says.alibi = true;
    r.assume("bias", "ALiBi (config.json)");
  }
  if ((a.relative || a.other_relative) && !has_relative_table(r, d))
    r.assume("bias", Message("the relative positions of {0} are not added to a layer alone", model_type(layer)));
}

}  // namespace

std::optional<LayerDescription> describe_layer(const FileReading& r, const Dims& d) {
  if (r.keys.prefix.empty()) return {};  // this is no layer of a model, so config.json does not describe it
  const std::filesystem::path path = path_from(r.file.path());
  const nlohmann::json config = config_beside(path, r.keys.prefix);
  if (!config.is_object()) return {};
  const Scenario& scenario = r.resolving.scenario;
  LayerAlone layer{r.keys.layer(),      d.d_query,          d.heads, d.kv_heads,
                   d.d_model / d.heads, r.keys.is_packed(), {},      scenario.rotary_dim};
  if (scenario.rope_base != Scenario().rope_base) layer.rope_base = static_cast<double>(scenario.rope_base);
  return describe_layer(config, utf8_from(config_path(path)), Checkpoint(r.file.shared_arrays()), layer);
}

FileRules read_settings(const FileReading& r, const Dims& dims, const std::optional<LayerDescription>& layer) {
  FileRules rules{read_numbers(r)};
  check_sizes(r, dims);
  if (!layer) {
    if (!rules.says.scale && is_t5(r)) {
      const std::optional<float> set = r.resolving.scenario.scale;
      rules.says.scale = 1.0F;
      r.assume("scale",
               set ? Message("{0} as set, where the names of the layer are T5's, whose scale is 1", shortest(*set))
                   : Message("1: the names of the layer are T5's, which does not scale"));
    }
    return rules;
  }
  take_bias(r, *layer, dims, rules);
  take_rope(r, *layer, dims, rules);
  take_scale(r, *layer, rules.says);
  if (layer->fields.contains("auto_map"))
    r.assume("model", "auto_map in config.json names code of the model's own, which is not run");
  if (!layer->not_taken.empty())
    r.assume("config.json not taken", first_in_quotes(layer->not_taken, layer->not_taken.size()));
  return rules;
}

void note_model_mask(const FileReading& r, const LayerDescription& layer, const Dims& dims, const Masking& masking) {
  const Scenario& scenario = r.resolving.scenario;
  if (!scenario.mask.empty() || !scenario.mask_file.empty() || masking.file_mask.defined() ||
      masking.valid_lens.defined())
    return;
  const bool causal = layer.attention.causal,
             is_short_window = layer.attention.window > 0 && layer.attention.window < dims.n_k;
  const std::string window = is_short_window ? "window(" + std::to_string(layer.attention.window) + ")" : "";
  const std::string own = !causal ? window : is_short_window ? "causal() && " + window : "causal()";
  if (!own.empty()) r.assume("mask", Message("none is in the file; the model's own is --mask \"{0}\"", own));
}

}  // namespace headlight
