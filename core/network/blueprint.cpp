#include "core/network/blueprint.h"

#include <algorithm>
#include <numbers>

#include "core/files/error_place.h"
#include "core/tensor/error.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

bool is_real(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64; }

double llama3_frequency(double frequency, double factor, double low, double high, double original) {
  const double wave = 2 * std::numbers::pi / frequency;
  if (wave < original / high) return frequency;
  if (wave > original / low) return frequency / factor;
  const double smooth = (original / wave - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

}  // namespace

std::vector<double> llama3_frequencies(std::vector<double> frequencies, double factor, double low, double high, double original) {
  for (double& f : frequencies) f = llama3_frequency(f, factor, low, high, original);
  return frequencies;
}

std::vector<double> frequencies_for(const RopeSpec& rope, Index n) {
  if (rope.original == 0 || n <= rope.original) return rope.frequencies;
  if (!rope.long_frequencies.empty()) return rope.long_frequencies;
  const auto d = static_cast<double>(2 * rope.frequencies.size());
  const double f = rope.dynamic_factor, stretch = f * static_cast<double>(n) / static_cast<double>(rope.original) - (f - 1);
  return rope_frequencies(rope.dynamic_base * std::pow(stretch, d / (d - 2)), static_cast<Index>(2 * rope.frequencies.size()));
}

RopeSpec plain_rope(Rope pairing, double base, Index d) { return {pairing, rope_frequencies(base, d), 1, base}; }

void Blueprint::fail(const std::string& array, const std::string& wrong, const std::string& expected) const {
  throw FileError(file.path_of(array), wrong, expected);
}

void Blueprint::miss(const std::string& array, const std::string& wrong, const std::string& expected) const {
  throw MissingArray(file.path_of(array), wrong, expected);
}

void Blueprint::find_prefix(const std::string& ending) {
  const auto found = file.prefix_of(ending);
  if (!found) miss(ending, "holds no " + in_quotes(ending), "expected the tensors of " + network.family + ", which config.json says it is");
  prefix = *found;
}

BlockSpec& Blueprint::begin_block(StackSpec& stack, std::string_view at) const {
  BlockSpec& block = stack.blocks.emplace_back();
  block.name = prefix + std::string(at.substr(0, at.size() - 1));
  return block;
}

std::string Blueprint::any_of(std::initializer_list<std::string> names, const std::string& what) const {
  std::string list;
  for (const std::string& name : names) {
    if (has(name)) return name;
    list += (list.empty() ? "" : " or ") + in_quotes(prefix + name);
  }
  miss(prefix + *names.begin(), "holds no " + list, "expected " + what);
}

std::string Blueprint::array(const std::string& name, const Shape& shape, const std::string& why) const {
  const std::string full = prefix + name;
  for (const auto& part : file.files()) {
    part->refuse_if_skipped(full);
    for (const char* packed : {".qweight", ".weight_packed", ".SCB", ".weight_scale", ".weight_scale_inv", ".quant_state.bitsandbytes__nf4", ".quant_state.bitsandbytes__fp4", ".absmax", ".qzeros"}) {
      const std::string stem = full.ends_with(".weight") ? full.substr(0, full.size() - 7) : full;
      for (const std::string& trace : {stem + packed, full + packed}) {
        if (part->find(trace)) fail(full, "stores " + in_quotes(full) + " quantised (" + in_quotes(trace) + ")", "expected float16, bfloat16 or float32 weights");
      }
    }
  }
  if (!file.has(full)) miss(full, "holds no " + in_quotes(full), "expected " + to_string(shape) + ", " + why);
  const ArrayEntry& entry = file.entry(full);
  if (!is_real(entry.dtype)) {
    fail(full, in_quotes(full) + " is stored as " + std::string(headlight::name(entry.dtype)) + ", quantised", "expected float16, bfloat16 or float32");
  }
  if (entry.shape != shape) fail(full, in_quotes(full) + " has shape " + to_string(entry.shape), "expected " + to_string(shape) + ", " + why);
  return full;
}

LinearSpec Blueprint::linear(const std::string& name, Index out, Index in, Bias bias, bool in_out) const {
  LinearSpec spec;
  const std::string why = "as " + config.path() + " says";
  spec.weight = array(name + ".weight", in_out ? Shape{in, out} : Shape{out, in}, why);
  spec.in_out = in_out;
  if (bias == Bias::needed || (bias == Bias::where_there && has(name + ".bias"))) spec.bias = array(name + ".bias", {out}, why);
  return spec;
}

LinearSpec Blueprint::part(LinearSpec whole, Index first, Index count) {
  whole.rows.emplace_back(first, count);
  return whole;
}

NormSpec Blueprint::norm(const std::string& name, NormKind kind, Index d, double epsilon, bool plus_one) const {
  NormSpec spec{kind, {}, {}, epsilon, plus_one};
  const std::string why = "as " + config.path() + " says";
  spec.weight = array(has(name + ".gamma") ? name + ".gamma" : name + ".weight", {d}, why);
  if (kind != NormKind::layer) return spec;
  for (const char* bias : {".bias", ".beta"}) {
    if (has(name + bias)) spec.bias = array(name + bias, {d}, why);
  }
  return spec;
}

Activation Blueprint::activation(const std::string& word) const {
  const std::pair<std::string_view, Activation> known[] = {
      {"gelu", Activation::gelu},           {"gelu_python", Activation::gelu},      {"gelu_new", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh}, {"gelu_tanh", Activation::gelu_tanh}, {"gelu_accurate", Activation::gelu_tanh},
      {"gelu_python_tanh", Activation::gelu_tanh}, {"quick_gelu", Activation::quick_gelu}, {"relu", Activation::relu},   {"silu", Activation::silu},
      {"swish", Activation::silu},          {"tanh", Activation::tanh},   {"linear", Activation::identity}, {"relu2", Activation::squared_relu}};
  for (const auto& [name, activation] : known) {
    if (name == word) return activation;
  }
  config.fail("its activation is " + in_quotes(word) + ", which is not computed here", "expected gelu, gelu_new, quick_gelu, relu, silu or tanh");
}

bool Blueprint::ropes_by_kind() const {
  const nlohmann::json* rules = config.find({"rope_parameters"});
  return rules && rules->is_object() && std::ranges::any_of(*rules, [](const nlohmann::json& value) { return value.is_object(); });
}

double Blueprint::rotary_share(double usual) const {
  const nlohmann::json* rules = config.find({"rope_parameters"});
  if (rules && rules->is_object() && rules->contains("partial_rotary_factor") && (*rules)["partial_rotary_factor"].is_number()) usual = (*rules)["partial_rotary_factor"].get<double>();
  return config.number({"rotary_pct", "partial_rotary_factor"}, usual);
}

RopeSpec Blueprint::rope(Index d, Rope pairing, double default_base, const char* kind) const {
  // Newer files keep rope_theta in rope_parameters.
  const nlohmann::json* scaling = config.find({"rope_scaling", "rope_parameters"});
  if (ropes_by_kind()) {
    scaling = config.find({"rope_parameters"});
    if (!scaling->contains(kind)) config.fail("its rope_parameters have no " + std::string(kind), "expected the rotation of each kind of layer");
    scaling = &(*scaling)[kind];
    if (scaling->is_object() && scaling->contains("partial_rotary_factor")) config.fail("its rope_parameters rotate a part of the head in " + std::string(kind), "expected one partial_rotary_factor for all layers");
  }
  double base = config.number({"rope_theta", "rotary_emb_base"}, default_base);
  const auto of = [&](const char* name, double fallback) {
    return scaling && scaling->contains(name) && (*scaling)[name].is_number() ? (*scaling)[name].get<double>() : fallback;
  };
  if (scaling && !scaling->is_object()) config.fail("its rope_scaling is " + scaling->dump(), "expected an object with a rope_type");
  base = of("rope_theta", base);
  if (!(base > 0)) config.fail("its rope_theta is " + shortest(static_cast<float>(base)), "expected more than 0");
  RopeSpec spec = plain_rope(pairing, base, d);
  if (!scaling) return spec;
  std::string type = "default";
  for (const char* name : {"type", "rope_type"}) {
    if (scaling->contains(name) && (*scaling)[name].is_string()) type = (*scaling)[name].get<std::string>();
  }
  const double most = static_cast<double>(config.whole({"max_position_embeddings"}, 2048));
  if (type == "default") return spec;
  const auto original_said = [&](double fallback) {
    return of("original_max_position_embeddings", static_cast<double>(config.whole({"original_max_position_embeddings"}, static_cast<Index>(fallback))));
  };
  if (type == "longrope" || type == "su") {
    // Ding et al. 2024: a factor for each frequency, one list within the original length and one beyond it.
    spec.base = 0;
    const double original = original_said(most);
    const auto scaled = [&](const char* name) {
      const auto found = scaling->find(name);
      if (found == scaling->end() || !found->is_array() || found->size() != spec.frequencies.size()) {
        config.fail("its rope_scaling has no " + std::string(name) + " of " + std::to_string(spec.frequencies.size()) + " numbers", "expected one for each pair of rotated channels");
      }
      std::vector<double> frequencies = spec.frequencies;
      for (std::size_t j = 0; j < frequencies.size(); ++j) {
        const nlohmann::json& by = (*found)[j];
        if (!by.is_number() || !(by.get<double>() > 0)) config.fail("its " + std::string(name) + " has " + by.dump(), "expected numbers above 0");
        frequencies[j] /= by.get<double>();
      }
      return frequencies;
    };
    spec.long_frequencies = scaled("long_factor");
    spec.frequencies = scaled("short_factor");
    spec.original = static_cast<Index>(original);
    const double stretch = most > original ? most / original : of("factor", 1);
    spec.gain = of("attention_factor", stretch <= 1 ? 1 : std::sqrt(1 + std::log(stretch) / std::log(original)));
    if (scaling->contains("short_mscale")) spec.gain = of("short_mscale", 1);  // Phi-3.5-MoE's, in place of the factor that follows from the lengths
    if (scaling->contains("long_mscale")) spec.long_gain = of("long_mscale", 1);
    return spec;
  }
  const double factor = of("factor", 0);
  if (!(factor >= 1)) config.fail("its rope_scaling has no factor", "expected a number, 1 or more");
  if (type == "dynamic") {
    // A base that grows with the text, beyond the trained length ("NTK-aware", as transformers' dynamic).
    spec.original = static_cast<Index>(original_said(most));
    spec.dynamic_factor = factor;
    spec.dynamic_base = base;
    return spec;
  }
  spec.base = 0;
  if (type == "linear") {
    for (double& f : spec.frequencies) f /= factor;
  } else if (type == "llama3") {
    spec.frequencies = llama3_frequencies(spec.frequencies, factor, of("low_freq_factor", 1), of("high_freq_factor", 4), of("original_max_position_embeddings", 8192));
  } else if (type == "yarn") {
    // Peng et al. 2023: frequencies between two numbers of turns are blended; cos and sin grow with the factor.
    const double original = of("original_max_position_embeddings", most);
    const auto pair_of_turns = [&](double turns) {
      return static_cast<double>(d) * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
    };
    const bool whole = !scaling->contains("truncate") || (*scaling)["truncate"] != false;
    double low = pair_of_turns(of("beta_fast", 32)), high = pair_of_turns(of("beta_slow", 1));
    if (whole) low = std::floor(low), high = std::ceil(high);
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(d - 1));
    if (low == high) high += 0.001;
    for (std::size_t j = 0; j < spec.frequencies.size(); ++j) {
      const double ramp = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
      spec.frequencies[j] = spec.frequencies[j] / factor * ramp + spec.frequencies[j] * (1 - ramp);
    }
    const auto growth = [&](double m) { return factor <= 1 ? 1.0 : 0.1 * m * std::log(factor) + 1; };
    const bool deep = scaling->contains("mscale") && scaling->contains("mscale_all_dim") && of("mscale", 0) != 0 && of("mscale_all_dim", 0) != 0;
    spec.gain = of("attention_factor", deep ? growth(of("mscale", 1)) / growth(of("mscale_all_dim", 1)) : growth(1));
  } else {
    config.fail("its rope_scaling is of the type " + in_quotes(type) + ", which is not computed here", "expected default, linear, dynamic, longrope, llama3 or yarn");
  }
  return spec;
}

std::string Blueprint::tokens(const std::string& name, Index d) {
  const std::string full = prefix + name;
  if (!file.has(full)) miss(full, "holds no " + in_quotes(full), "expected the token embedding");
  const ArrayEntry& entry = file.entry(full);
  const Index said = config.whole({"vocab_size", "n_vocab"}, entry.shape.empty() ? 0 : entry.shape[0]);
  network.vocabulary = said;
  return array(name, {said, d}, "as " + config.path() + " says");
}

LinearSpec Blueprint::output_head(const std::string& name, Index d, bool tied) const {
  const std::string stem = name.substr(0, name.size() - std::string_view(".weight").size());
  LinearSpec head;
  head.weight = network.stacks.back().embedding.tokens;
  if (tied) return head;
  for (const std::string& full : {stem, prefix + stem}) {
    if (!file.has(full + ".weight")) continue;
    Blueprint at_root = *this;
    at_root.prefix = full.substr(0, full.size() - stem.size());
    return at_root.linear(stem, network.vocabulary, d);
  }
  miss(name, "holds no " + in_quotes(name), "expected the output head, since " + config.path() + " says that it is not tied to the embedding");
}

void settle_heads(const Blueprint& b, AttentionSpec& a, Index width, Index heads) {
  if (heads == 0 || width % heads != 0) b.config.fail("says " + std::to_string(heads) + " heads", "expected a divisor of the width " + std::to_string(width));
  a.heads = a.kv_heads = heads;
  a.d_head = width / heads;
  a.scale = 1 / std::sqrt(static_cast<double>(a.d_head));
}

}  // namespace headlight
