// What the numbers of a file and a config.json beside it say about attention: each one is used, harmless or refused,
// and none is ignored.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/base/files/error_place.h"
#include "core/base/text/number_text.h"
#include "core/rules/position/relative_bias.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

float positive(const FileReading& r, const FileReading::Number& number) {
  const auto value = static_cast<float>(number.value);
  if (!std::isfinite(value))
    r.fail(Message("{0} is {1}", in_quotes(number.name), shortest(value)), "expected a finite number");
  return value;
}

bool has_projections(const FileReading& r) { return r.attention.is_packed() || !r.attention.q.weight.empty(); }

Rules read_numbers(const FileReading& r) {
  const Scenario& s = r.resolving.scenario;
  Rules says;
  if (const auto scale = r.own_number(
          {"scale", "scaling", "softmax_scale", "qk_scale", "sm_scale", "attn_scale", "attention_multiplier"})) {
    says.scale = positive(r, *scale);
    r.assume("scale", s.scale
                          ? Message("{0} as set, where the file says {1}", shortest(*s.scale), shortest(*says.scale))
                          : Message("{0} ({1})", shortest(*says.scale), scale->name));
  }
  if (const auto divisor = r.own_number({"query_pre_attn_scalar"}); divisor && !says.scale) {  // Gemma's
    if (!(divisor->value > 0))
      r.fail(Message("{0} is {1}", in_quotes(divisor->name), shortest(positive(r, *divisor))), "expected more than 0");
    says.scale = static_cast<float>(1 / std::sqrt(divisor->value));
    r.assume("scale", Message("{0} ({1})", shortest(*says.scale), divisor->name));
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
    const auto flag = has_projections(r) ? std::nullopt : r.own_number({name});
    if (flag && flag->value != 0) {
      r.fail(Message("{0} is true, which adds a key that no input has", in_quotes(flag->name)),
             "expected an attention without it, or its projections");
    }
  }
  if (const auto clip = r.own_number({"clip_qkv"}))
    r.fail(Message("{0} is {1}", in_quotes(clip->name), shortest(positive(r, *clip))),
           "expected queries, keys and values that are not clipped");
  for (const char* name : {"dropout_p", "dropout", "attn_dropout", "attention_dropout"}) {
    const auto p = r.own_number({name});
    if (p && p->value != 0)
      r.assume("dropout",
               Message("{0} = {1} is not taken: as after eval()", p->name, shortest(static_cast<float>(p->value))));
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
  const std::string& prefix = r.attention.prefix;
  const std::string name = r.attention.q.weight.substr(std::min(prefix.size(), r.attention.q.weight.size()));
  if (!name.starts_with("q.") && !name.starts_with("q/")) return false;
  return ("." + prefix).find("SelfAttention.") != std::string::npos ||
         ("." + prefix).find(".EncDecAttention.") != std::string::npos ||
         r.file.arrays().find(prefix + "relative_attention_bias.weight");
}

std::string model_type(const LayerDescription& layer) {
  const nlohmann::json type = layer.fields.value("model_type", nlohmann::json());
  return type.is_string() ? type.get<std::string>() : "";
}

/// Rotates queries and keys by `rope`, which `source` says.
void take_rope(const FileReading& r, const RopeSpec& rope, const std::string& source, const Dims& d, FileRules& rules) {
  const Scenario& scenario = r.resolving.scenario;
  Rules& says = rules.rules;
  says.rope = rope.pairing;
  says.rope_base = static_cast<float>(rope.theta);
  if (rope.channels() < d.d_head) says.rotary_dim = rope.channels();
  const Rope pairing = scenario.rope == Rope::none ? rope.pairing : scenario.rope;
  const std::string base = shortest(says.rope_base);
  const bool halves = pairing == Rope::half;
  const Message description =
      says.rotary_dim
          ? Message(halves ? "RoPE by halves of base {0} on the first {1} of {2} channels ({3})"
                           : "RoPE interleaved of base {0} on the first {1} of {2} channels ({3})",
                    base, *says.rotary_dim, d.d_head, source)
          : Message(halves ? "RoPE by halves of base {0} ({1})" : "RoPE interleaved of base {0} ({1})", base, source);
  r.assume("positions", scenario.rope == Rope::none ? description : Message("{0}, paired by --rope", description));
  if (rope.scaled_by.empty()) return;
  const Index tokens = std::max(d.n_k, scenario.query_offset.value_or(0) + d.n_q);
  const bool is_long = rope.original > 0 && tokens > rope.original;
  says.rope_frequencies = frequencies_for(rope, tokens);
  says.rope_gain = is_long && rope.long_gain > 0 ? rope.long_gain : rope.gain;
  const Message scaling =
      rope.original > 0 ? Message("{0}, for {1} tokens", rope.scaled_by, tokens) : Message(rope.scaled_by);
  const std::string gain = shortest(static_cast<float>(says.rope_gain));
  r.assume("positions", says.rope_gain == 1 ? Message("frequencies by {0} ({1})", scaling, source)
                                            : Message("frequencies by {0}, times {1} ({2})", scaling, gain, source));
}

/// The file's own dictionary rope_scaling or rope_parameters, with the fields of config.json; null if it has none.
nlohmann::json own_rope_scaling(const FileReading& r, std::string& name) {
  nlohmann::json fields;
  const auto add = [&](const auto& values, const std::string& prefix, std::set<std::string>& read) {
    for (auto it = values.lower_bound(prefix); it != values.end() && it->first.starts_with(prefix); ++it) {
      fields.emplace(it->first.substr(prefix.size()), it->second);
      read.insert(it->first);
    }
  };
  for (const std::string& place : r.places_of_numbers()) {
    for (const char* dictionary : {"rope_scaling", "rope_parameters"}) {
      name = place + dictionary;
      add(r.file.arrays().numbers(), name + ".", *r.asked);
      add(r.file.arrays().texts(), name + ".", *r.words_read);
      if (!fields.is_null()) return fields;
    }
  }
  return fields;
}

/// How many of a head's channels the file's numbers rotate: all unless they say a number or a share.
Index own_rotary_channels(const FileReading& r, const Dims& d, const nlohmann::json& scaling) {
  if (r.resolving.scenario.rotary_dim) return *r.resolving.scenario.rotary_dim;
  const auto whole = r.own_number({"rotary_dim", "rope_dim"});
  auto share = r.own_number({"partial_rotary_factor", "rotary_pct", "rope_pct"});
  if (!share && scaling.is_object() && scaling.value("partial_rotary_factor", nlohmann::json()).is_number())
    share = {"partial_rotary_factor", scaling["partial_rotary_factor"].get<double>()};
  if (!whole && !share) return d.d_head;
  const double channels = whole ? whole->value : std::floor(share->value * static_cast<double>(d.d_head));
  if (!(channels >= 2 && channels <= static_cast<double>(d.d_head)) || std::fmod(channels, 2) != 0) {
    r.fail(Message("{0} is {1}", in_quotes(whole ? whole->name : share->name),
                   shortest(static_cast<float>(whole ? whole->value : share->value))),
           Message("expected an even number of the {0} channels of a head", d.d_head));
  }
  return static_cast<Index>(channels);
}

/// The array of frequencies in the layer or in a module that holds it, as Hugging Face's models save it; "" if none is.
std::string own_frequencies(const FileReading& r, const Dims& d) {
  for (std::string module = r.attention.prefix;;) {
    const std::string name = r.stored_name(module + "rotary_emb.inv_freq");
    const ArrayEntry* entry = r.file.arrays().find(name);
    if (entry && entry->shape.size() == 1 && entry->shape[0] > 0 && 2 * entry->shape[0] <= d.d_head) return name;
    if (module.empty()) return {};
    const std::size_t dot = module.size() > 1 ? module.rfind('.', module.size() - 2) : std::string::npos;
    module.erase(dot == std::string::npos ? 0 : dot + 1);
  }
}

/// Rotates queries and keys as the file itself says, without config.json: by rope_theta and rope_scaling, or by an
/// array of frequencies.
void take_own_rope(const FileReading& r, const Dims& d, FileRules& rules) {
  std::string dictionary;
  const nlohmann::json scaling = own_rope_scaling(r, dictionary);
  const auto field = [&](const char* name, nlohmann::json::value_t type) {
    return scaling.is_object() && scaling.contains(name) && (scaling[name].type() == type);
  };
  auto base = r.own_number({"rope_theta", "rope_base"});
  if (!base && field("rope_theta", nlohmann::json::value_t::number_float))
    base = {dictionary + ".rope_theta", scaling["rope_theta"].get<double>()};
  if (!base) {
    const std::string name = own_frequencies(r, d);
    if (name.empty()) return;
    const Tensor stored = r.load(name);
    rules.rules.rope_frequencies.assign(stored.values().begin(), stored.values().end());
    rules.rules.rope = Rope::half;
    if (2 * stored.count() < d.d_head) rules.rules.rotary_dim = 2 * stored.count();
    return r.assume("positions", Message("RoPE by halves with the {0} frequencies of {1}", stored.count(), name));
  }
  const Scenario& scenario = r.resolving.scenario;
  if (!(positive(r, *base) > 0))
    r.fail(Message("{0} is {1}", in_quotes(base->name), shortest(static_cast<float>(base->value))),
           "expected more than 0");
  const double theta =
      scenario.rope_base != Scenario().rope_base ? static_cast<double>(scenario.rope_base) : base->value;
  const Index channels = own_rotary_channels(r, d, scaling);
  std::string type = "default";
  for (const char* name : {"type", "rope_type"})
    if (field(name, nlohmann::json::value_t::string)) type = scaling[name].get<std::string>();
  if (type == "default" || type == "mrope")
    return take_rope(r, {plain_waves(theta, channels), Rope::half, theta, {}}, base->name, d, rules);
  ModelLengths lengths;
  if (const auto most = r.own_number({"max_position_embeddings"})) lengths.most = most->value;
  if (const auto original = r.own_number({"original_max_position_embeddings"})) lengths.original = original->value;
  const auto fail = [&](const Message& wrong, const Message& expected) { r.fail(wrong, expected); };
  const std::string scaled_by = "rope_scaling " + in_quotes(type).english();
  take_rope(r, {scaled_waves(theta, channels, scaling, lengths, fail), Rope::half, theta, scaled_by}, base->name, d,
            rules);
}

/// Takes the scale if config.json says it, or if the family has another one than 1/√d_head.
void take_scale(const FileReading& r, const LayerDescription& layer, Rules& says) {
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
    rules.attn_bias = r.file.made("Falcon's ALiBi " + std::to_string(scale) + " over " + size,
                                  [&] { return falcon_alibi(d.heads, d.n_q, d.n_k, scale); });
    r.assume("bias", "ALiBi scaled with the scores, in bfloat16 as Falcon has it (config.json)");
  } else if (!a.slopes.empty()) {
    const Index offset = r.resolving.scenario.query_offset.value_or(0);
    std::string slopes;
    for (const double slope : a.slopes) slopes += std::to_string(slope) + " ";
    rules.attn_bias = r.file.made("ALiBi " + slopes + "from " + std::to_string(offset) + " over " + size,
                                  [&] { return bias_of_slopes(a.slopes, d.n_q, d.n_k, offset); });
    r.assume("bias", "ALiBi with MPT's own slopes (config.json)");
  } else if (a.alibi) {
    rules.rules.alibi = true;
    r.assume("bias", "ALiBi (config.json)");
  }
  if ((a.relative || a.other_relative) && !has_relative_table(r, d))
    r.assume("bias", Message("the relative positions of {0} are not added to a layer alone", model_type(layer)));
}

}  // namespace

std::optional<LayerDescription> describe_layer(const FileReading& r, const Dims& d) {
  if (r.attention.prefix.empty()) return {};  // this is no layer of a model, so config.json does not describe it
  const nlohmann::json& config = r.layer_config();
  if (!config.is_object()) return {};
  const Scenario& scenario = r.resolving.scenario;
  LayerAlone layer{
      r.attention.layer(), d.d_query, d.heads, d.kv_heads, d.d_model / d.heads, r.attention.is_packed(), {},
      scenario.rotary_dim};
  if (scenario.rope_base != Scenario().rope_base) layer.rope_base = static_cast<double>(scenario.rope_base);
  return describe_layer(config, utf8_from(r.file.config_path()), Checkpoint(r.file.shared_arrays()), layer);
}

FileRules read_settings(const FileReading& r, const Dims& dims, const std::optional<LayerDescription>& layer) {
  FileRules rules{read_numbers(r)};
  check_sizes(r, dims);
  if (!layer) {
    take_own_rope(r, dims, rules);
    if (!rules.rules.scale && is_t5(r)) {
      const std::optional<float> set = r.resolving.scenario.scale;
      rules.rules.scale = 1.0F;
      r.assume("scale",
               set ? Message("{0} as set, where the names of the layer are T5's, whose scale is 1", shortest(*set))
                   : Message("1: the names of the layer are T5's, which does not scale"));
    }
    return rules;
  }
  take_bias(r, *layer, dims, rules);
  if (layer->unrotated) r.assume("positions", "none: config.json says that this layer is not rotated");
  else if (const RopeSpec& rope = layer->attention.rope; rope.pairing != Rope::none)
    take_rope(r, rope, r.config_name(), dims, rules);
  else take_own_rope(r, dims, rules);
  take_scale(r, *layer, rules.rules);
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
  AttentionSpec spec = layer.attention;
  spec.masks.clear();
  if (spec.window >= dims.n_k) spec.window = 0;
  if (spec.chunk >= dims.n_k) spec.chunk = 0;
  if (const auto own = layer_mask(spec))
    r.assume("mask", Message("none is in the file; the model's own is --mask \"{0}\"", own->text()));
}

}  // namespace headlight
