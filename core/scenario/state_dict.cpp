#include "core/scenario/state_dict.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "core/files/blame.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using std::string_view;

/// Names of three separate projections; the output projection is the first of `outputs` that is there.
struct SeparateScheme {
  string_view q, k, v;
  std::array<string_view, 4> outputs;
};

constexpr SeparateScheme separate_schemes[] = {
    {"q_proj", "k_proj", "v_proj", {"o_proj", "out_proj", "proj", "dense"}},  // LLaMA, BART, OPT, CLIP
    {"w_q", "w_k", "w_v", {"w_o", "w_concat", "out_proj", "fc"}},
    {"W_q", "W_k", "W_v", {"W_o", "out_proj", "fc", ""}},  // d2l
    {"W_Q", "W_K", "W_V", {"W_O", "linear", "fc", ""}},
    {"linear_q", "linear_k", "linear_v", {"linear", "linear_out", "linear_o", ""}},
    {"self.query", "self.key", "self.value", {"output.dense", "", "", ""}},  // BERT
    {"query", "key", "value", {"output", "out_proj", "output.dense", "out"}},
    {"query_proj", "key_proj", "value_proj", {"out_proj", "output_proj", "", ""}},
    {"q_lin", "k_lin", "v_lin", {"out_lin", "", "", ""}},      // DistilBERT
    {"wq", "wk", "wv", {"wo", "", "", ""}},                    // LLaMA as published
    {"to_q", "to_k", "to_v", {"to_out.0", "to_out", "", ""}},  // diffusers
    {"q", "k", "v", {"o", "proj", "out", ""}},                 // T5
};

/// What follows a layer's name: as nn.Linear has it, as nn.MultiheadAttention with kdim has it, or the bare matrix.
struct Suffix {
  string_view weight, bias;
};
constexpr Suffix linear_suffix{".weight", ".bias"};
constexpr Suffix underscore_suffix{"_weight", "_bias"};

struct PackedScheme {
  string_view weight, bias;
  std::array<string_view, 4> outputs;
};

constexpr PackedScheme packed_schemes[] = {
    {"in_proj_weight", "in_proj_bias", {"out_proj", "", "", ""}},  // nn.MultiheadAttention
    {"in_proj.weight", "in_proj.bias", {"out_proj", "", "", ""}},
    {"qkv.weight", "qkv.bias", {"proj", "out_proj", "o_proj", "out"}},  // timm
    {"qkv_proj.weight", "qkv_proj.bias", {"o_proj", "out_proj", "proj", ""}},
    {"Wqkv.weight", "Wqkv.bias", {"out_proj", "", "", ""}},
    {"c_attn.weight", "c_attn.bias", {"c_proj", "", "", ""}},  // GPT-2
    {"proj.weight", "proj.bias", {"out_proj", "output", "out", "o_proj"}},
};

/// What stands before `ending` where `name` is it or ends with it after a dot.
std::optional<std::string> prefix_before(const std::string& name, const std::string& ending) {
  if (!name.ends_with(ending)) return {};
  std::string prefix = name.substr(0, name.size() - ending.size());
  if (!prefix.empty() && prefix.back() != '.') return {};
  return prefix;
}

std::string joined(string_view a, string_view b, string_view c = "") {
  return std::string(a).append(b).append(c);
}

std::string if_present(const ArrayFile& file, const std::string& name) {
  return file.find(name) ? name : "";
}

bool is_matrix(const ArrayEntry* entry) {
  return entry && entry->shape.size() == 2;
}

LinearKeys linear_keys(const ArrayFile& file, const std::string& prefix, string_view layer, const Suffix& suffix) {
  return {joined(prefix, layer, suffix.weight), if_present(file, joined(prefix, layer, suffix.bias))};
}

LinearKeys output_keys(const ArrayFile& file, const std::string& prefix, std::span<const string_view> names) {
  for (const string_view layer : names) {
    if (layer.empty()) continue;
    LinearKeys keys = linear_keys(file, prefix, layer, linear_suffix);
    if (is_matrix(file.find(keys.weight))) return keys;
  }
  return {};
}

std::optional<AttentionKeys> separate_at(const ArrayFile& file, const ArrayEntry& entry, const SeparateScheme& scheme,
                                         const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(entry.name, joined(scheme.q, suffix.weight));
  if (!prefix || entry.shape.size() != 2) return {};
  // BERT's "self.query" is found as such, so that its output.dense, one level up, is found too.
  if (scheme.q == "query" && prefix_before(*prefix, "self.")) return {};
  AttentionKeys keys;
  keys.prefix = *prefix;
  keys.q = linear_keys(file, *prefix, scheme.q, suffix);
  keys.k = linear_keys(file, *prefix, scheme.k, suffix);
  keys.v = linear_keys(file, *prefix, scheme.v, suffix);
  if (!file.find(keys.k.weight) || !file.find(keys.v.weight)) return {};
  if (suffix.weight == underscore_suffix.weight) keys.packed.bias = if_present(file, *prefix + "in_proj_bias");
  keys.o = output_keys(file, *prefix, scheme.outputs);
  return keys;
}

/// Plain matrices called W_q … W_o, biases b_q … b_o: what `headlight trace --parameters` writes.
std::optional<AttentionKeys> bare_at(const ArrayFile& file, const ArrayEntry& entry) {
  const std::optional<std::string> prefix = prefix_before(entry.name, "W_q");
  if (!prefix || entry.shape.size() != 2) return {};
  const auto keys_of = [&](const char* letter) {
    return LinearKeys{*prefix + "W_" + letter, if_present(file, *prefix + "b_" + letter)};
  };
  AttentionKeys keys{*prefix, keys_of("q"), keys_of("k"), keys_of("v"), {}, {}, WeightLayout::out_in};
  if (!file.find(keys.k.weight) || !file.find(keys.v.weight)) return {};
  if (is_matrix(file.find(*prefix + "W_o"))) keys.o = keys_of("o");
  return keys;
}

std::optional<AttentionKeys> packed_at(const ArrayFile& file, const ArrayEntry& entry, const PackedScheme& scheme) {
  const std::optional<std::string> prefix = prefix_before(entry.name, std::string(scheme.weight));
  if (!prefix || entry.shape.size() != 2) return {};
  AttentionKeys keys;
  keys.prefix = *prefix;
  keys.packed = {entry.name, if_present(file, joined(*prefix, scheme.bias))};
  keys.o = output_keys(file, *prefix, scheme.outputs);
  const Index rows = entry.shape[0];
  const Index cols = entry.shape[1];
  // Conv1D and nn.Linear (nanoGPT) both call it c_attn; the longer side tells which.
  if (scheme.weight == "c_attn.weight" && cols > rows) keys.layout = WeightLayout::in_out;
  // A square proj is an output projection, as in timm.
  if (scheme.weight == "proj.weight" && (rows % 3 != 0 || rows <= cols)) return {};
  return keys;
}

void append_found(const ArrayFile& file, const ArrayEntry& entry, std::vector<AttentionKeys>& found) {
  const auto add = [&](std::optional<AttentionKeys> keys) {
    if (keys) found.push_back(std::move(*keys));
    return keys.has_value();
  };
  for (const SeparateScheme& scheme : separate_schemes) {
    if (add(separate_at(file, entry, scheme, linear_suffix))) return;
    if (add(separate_at(file, entry, scheme, underscore_suffix))) return;
  }
  if (add(bare_at(file, entry))) return;
  for (const PackedScheme& scheme : packed_schemes) {
    if (add(packed_at(file, entry, scheme))) return;
  }
}

std::string listed(const std::vector<AttentionKeys>& candidates) {
  constexpr std::size_t most = 60;
  std::string list;
  for (std::size_t i = 0; i < std::min(candidates.size(), most); ++i) {
    list += (i ? ", " : "") + in_quotes(candidates[i].layer());
  }
  if (candidates.size() > most) list += ", and " + std::to_string(candidates.size() - most) + " more";
  return list;
}

/// Where one projection is there but not its fellows, that is what to say.
std::string half_found(const ArrayFile& file) {
  for (const ArrayEntry& entry : file.entries()) {
    for (const SeparateScheme& scheme : separate_schemes) {
      for (const string_view layer : {scheme.q, scheme.k, scheme.v}) {
        const std::optional<std::string> prefix = prefix_before(entry.name, joined(layer, ".weight"));
        if (!prefix) continue;
        for (const string_view other : {scheme.q, scheme.k, scheme.v}) {
          const std::string wanted = joined(*prefix, other, ".weight");
          file.refuse_if_skipped(wanted);
          if (!file.find(wanted)) return "has " + in_quotes(entry.name) + " but no " + in_quotes(wanted);
        }
        if (entry.shape.size() != 2) return in_quotes(entry.name) + " has shape " + to_string(entry.shape);
      }
    }
  }
  return {};
}

[[noreturn]] void fail_without_weights(const ArrayFile& file) {
  constexpr const char* expected =
      "expected projections such as q_proj.weight, k_proj.weight and v_proj.weight, or in_proj_weight";
  const std::string half = half_found(file);
  if (!half.empty()) throw FileError(file.path(), half, expected);
  std::string names;
  const auto entries = file.entries();
  for (std::size_t i = 0; i < std::min<std::size_t>(entries.size(), 8); ++i) {
    names += (i ? ", " : "") + in_quotes(entries[i].name);
  }
  if (entries.size() > 8) names += ", …";
  throw FileError(file.path(),
                  "holds no attention weights (" + (names.empty() ? "no arrays at all" : "found " + names) + ")",
                  expected);
}

}  // namespace

std::string AttentionKeys::layer() const {
  return prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
}

std::vector<AttentionKeys> find_attentions(const ArrayFile& file) {
  std::vector<AttentionKeys> found;
  for (const ArrayEntry& entry : file.entries()) append_found(file, entry, found);
  // proj.weight beside another scheme under the same prefix is not a second attention.
  std::map<std::string, int> at_prefix;
  for (const AttentionKeys& keys : found) ++at_prefix[keys.prefix];
  std::erase_if(found, [&](const AttentionKeys& keys) {
    return keys.packed.weight == keys.prefix + "proj.weight" && at_prefix[keys.prefix] > 1;
  });
  return found;
}

AttentionKeys choose_attention(const ArrayFile& file, const std::string& layer) {
  const std::vector<AttentionKeys> all = find_attentions(file);
  if (all.empty()) fail_without_weights(file);
  const std::string wanted = layer.ends_with('.') ? layer.substr(0, layer.size() - 1) : layer;
  std::vector<AttentionKeys> matching;
  for (const AttentionKeys& keys : all) {
    if (wanted.empty() || keys.layer() == wanted || keys.prefix.starts_with(wanted + ".") ||
        keys.q.weight.starts_with(wanted + ".")) {
      matching.push_back(keys);
    }
  }
  const auto exact =
      std::find_if(matching.begin(), matching.end(), [&](const AttentionKeys& keys) { return keys.layer() == wanted; });
  if (!wanted.empty() && exact != matching.end()) return *exact;
  if (matching.empty()) {
    throw FileError(file.path(), "has no attention layer " + in_quotes(wanted), "expected one of " + listed(all));
  }
  if (matching.size() > 1) {
    throw FileError(file.path(), "holds " + std::to_string(matching.size()) + " attention layers",
                    "expected --layer with one of " + listed(matching));
  }
  return matching.front();
}

}  // namespace headlight
