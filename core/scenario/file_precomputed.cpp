// Files that start after the projections: with attention weights, or with heads (file_heads.cpp).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/files/error_place.h"
#include "core/scenario/file_source.h"
#include "core/scenario/scenario_rules.h"
#include "core/tensor/error.h"
#include "core/text/number_text.h"
#include "core/text/texts.h"

namespace headlight {
namespace {

constexpr std::string_view weight_names =
    "weights attentions attention attn attn_weights attention_weights attention_probs attn_probs cross_attentions "
    "encoder_attentions decoder_attentions self_attentions attn_output_weights attention_weight";

bool has_rank(const ArrayEntry* entry, std::size_t least, std::size_t most) {
  return entry && entry->shape.size() >= least && entry->shape.size() <= most;
}

/// The list and the index of a name: "attentions.3" and "attentions_3" are number 3 of "attentions"; "3" is number 3 of
/// "" (a list that was saved alone).
std::optional<std::pair<std::string, std::size_t>> numbered(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return {};
  std::size_t index = 0;
  if (std::from_chars(name.data() + digits, name.data() + name.size(), index).ec != std::errc()) return {};
  std::string group = name.substr(0, digits);
  if (!group.empty() && std::string_view("._/").find(group.back()) == std::string_view::npos) return {};
  if (!group.empty()) group.pop_back();
  return std::pair{group, index};
}

bool is_weight_name(const std::string& name) {
  for (const std::string_view known : Parts(weight_names, ' ')) {
    if (name == known || name.ends_with("." + std::string(known))) return true;
  }
  return false;
}

/// Whether a list has no telling name: it was saved alone, in a tuple ("0.3"), or by layer ("layer_3").
bool is_unnamed(const std::string& group) {
  const bool in_tuple = group.find_first_not_of("0123456789") == std::string::npos;
  return in_tuple || group == "layer" || group == "layers" || group == "block";
}

/// Whether each row sums to 1 or is empty. Only then is an array without a telling name read as attention.
bool rows_are_shares(const Tensor& tensor) {
  const Index width = tensor.size(-1);
  if (width == 0 || tensor.count() == 0) return false;
  bool any = false;
  for (Index first = 0; first < tensor.count(); first += width) {
    double sum = 0;
    for (const float v : tensor.values().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(width))) {
      if (v < 0 || v > 1.001F) return false;
      sum += static_cast<double>(v);
    }
    if (sum != 0 && !std::isnan(sum) && std::abs(sum - 1) > 0.02) return false;
    any |= sum != 0;
  }
  return any;
}

/// The rest of --layer after the group's name or its stack's name: for "cross_attentions", "cross.2" leaves "2".
/// Nothing if it names another group.
std::optional<std::string> within_group(const std::string& layer, const std::string& group) {
  const std::string stack = group.substr(0, group.find('_'));
  for (const std::string& named : {group, stack}) {
    if (named.empty()) continue;
    if (layer == named) return "";
    if (layer.starts_with(named + ".")) return layer.substr(named.size() + 1);
  }
  return {};
}

/// All attentions of the file; a list of layers counts as one.
std::vector<PrecomputedAttention> all_weights(const ArrayFile& file) {
  std::map<std::string, std::map<std::size_t, std::string>> lists;
  std::vector<PrecomputedAttention> found;
  for (const ArrayEntry& entry : file.entries()) {
    if (is_weight_name(entry.name) && has_rank(&entry, 2, 5)) found.push_back({{}, {}, {}, {entry.name}, entry.name});
    const auto place = numbered(entry.name);
    if (place && has_rank(&entry, 2, 4) && (is_unnamed(place->first) || is_weight_name(place->first)))
      lists[place->first][place->second] = entry.name;
  }
  for (const auto& [group, members] : lists) {
    PrecomputedAttention list;
    list.group = group;
    for (const auto& [index, name] : members) {
      if (index == list.weights.size()) list.weights.push_back(name);
    }
    if (list.weights.size() != members.size()) continue;
    const bool is_only_list = !group.empty() || members.size() == file.entries().size();
    const bool is_attention =
        !is_unnamed(group) || (is_only_list && std::ranges::all_of(list.weights, [&](const std::string& name) {
                                 return rows_are_shares(file.load(name));
                               }));
    if (is_attention) found.push_back(std::move(list));
  }
  if (found.empty() && file.entries().size() == 1 && has_rank(&file.entries()[0], 2, 5)) {
    const std::string& only = file.entries()[0].name;
    if (rows_are_shares(file.load(only))) found.push_back({{}, {}, {}, {only}, only});
  }
  return found;
}

/// Whether the name is one of those that an encoder-decoder returns from one call (Hugging Face's Seq2SeqLMOutput).
/// They belong together, and the first is shown first.
bool is_of_one_call(const PrecomputedAttention& found) {
  const std::string& name = found.group;
  return name == "encoder_attentions" || name == "decoder_attentions" || name == "cross_attentions";
}

std::optional<PrecomputedAttention> find_weights(const ArrayFile& file, const std::string& layer) {
  std::vector<PrecomputedAttention> found = all_weights(file);
  if (found.empty()) return {};
  if (found.size() == 1) return found.front();
  std::string names;
  for (PrecomputedAttention& candidate : found) {
    if (within_group(layer, candidate.group)) return candidate;
    names += (names.empty() ? "" : ", ") + in_quotes(candidate.group).english();
  }
  if (layer.empty() && std::ranges::all_of(found, is_of_one_call)) {
    std::ranges::stable_sort(found, {}, [](const PrecomputedAttention& f) {
      return f.group == "encoder_attentions" ? 0 : f.group == "decoder_attentions" ? 1 : 2;
    });
    found.front().others = names;
    return found.front();
  }
  throw FileError(file.path(), Message("holds {0} attentions", found.size()),
                  Message("expected --layer with one of {0}, and .N for one of its layers", names));
}

/// The number at the end of --layer, or 0.
Index layer_number(const FileReading& r, const PrecomputedAttention& found, Index layers) {
  const std::string& layer_setting = r.resolving.scenario.layer;
  const std::string layer_text = within_group(layer_setting, found.group).value_or(layer_setting);
  if (layer_text.empty()) return 0;
  const Index layer = number_of_text<Index>(layer_text).value_or(-1);
  if (layer < 0 || layer >= layers) {
    r.fail(Message("has no layer {0}", in_quotes(layer_text)), Message("expected --layer with 0 to {0}", layers - 1));
  }
  return layer;
}

/// How the file stores the layers of an attention.
struct LayerAxes {
  std::string axes;  ///< "[L, H, n_q, n_k]"
  Index layers = 1;
  bool stacked = false;  ///< along the first axis of one array
};
LayerAxes axes_of(const ArrayFile& file, const PrecomputedAttention& found, bool by_layer) {
  const auto listed = static_cast<Index>(found.weights.size());
  const Shape& shape = file.find(found.weights.front())->shape;
  switch (shape.size()) {
    case 2: return {"[n_q, n_k]", listed, false};
    case 3: return {"[H, n_q, n_k]", listed, false};
    case 4:
      return by_layer && listed == 1 ? LayerAxes{"[L, H, n_q, n_k]", shape[0], true}
                                     : LayerAxes{"[B, H, n_q, n_k]", listed, false};
    default: return {"[L, B, H, n_q, n_k]", shape[0], true};
  }
}

/// The weights [B, H, n_q, n_k] of one layer.
Tensor weights_of(const TensorFile& file, const PrecomputedAttention& found, const LayerAxes& axes, Index layer) {
  const std::string& name = found.weights[axes.stacked ? 0 : static_cast<std::size_t>(layer)];
  const Tensor stored = file.load(name);
  if (axes.stacked) {
    return file.made(name + " layer " + std::to_string(layer), [&] {
      const Tensor one = stored.slice(0, layer, 1);
      return stored.rank() == 4 ? one : one.view({stored.size(1), stored.size(2), stored.size(3), stored.size(4)});
    });
  }
  if (stored.rank() == 4) return stored;
  return file.made(name + " as four axes", [&] {
    return stored.rank() == 2 ? stored.view({1, 1, stored.size(0), stored.size(1)})
                              : stored.view({1, stored.size(0), stored.size(1), stored.size(2)});
  });
}

/// Whether there is one line of words for several [H, n_q, n_k] in one array. Then they are layers: a batch would have
/// several lines.
bool has_one_line_of_words(const ArrayFile& file, const Scenario& scenario) {
  if (!scenario.tokens.empty()) return scenario.tokens.size() == 1;
  for (const char* name : {"tokens", "query_tokens", "key_tokens", "1"}) {
    if (const auto words = file.words(name)) return words->shape.size() == 1 || words->shape[0] == 1;
  }
  return false;
}

bool goes_by_layer(const ArrayFile& file, const PrecomputedAttention& found, const Scenario& s) {
  return !within_group(s.layer, found.group).value_or(s.layer).empty() || has_one_line_of_words(file, s);
}

PrecomputedSequence read_weights(const FileReading& r, const PrecomputedAttention& found) {
  PrecomputedSequence read;
  auto& [in, d, mask] = read;
  const LayerAxes axes_found =
      axes_of(r.file.arrays(), found, goes_by_layer(r.file.arrays(), found, r.resolving.scenario));
  const std::string& axes = axes_found.axes;
  const Index layers = axes_found.layers, layer = layers > 1 ? layer_number(r, found, layers) : 0;
  const std::string& name = found.weights[axes_found.stacked ? 0 : static_cast<std::size_t>(layer)];
  if (Tensor(r.load(name)).count() == 0) r.fail(r.shape_of(name), "expected no empty axis");
  const Tensor weights = weights_of(r.file, found, axes_found, layer);
  in.weights = weights;
  d.batch = weights.size(0);
  d.heads = d.kv_heads = weights.size(1);
  d.n_q = weights.size(2);
  d.n_k = weights.size(3);
  d.d_head = 1;
  d.d_model = d.d_query = d.d_key = d.d_value = d.d_out = d.heads;
  heads_said(r);
  r.assume("weights", Message("{0} {1}: the attention alone", name, axes));
  if (layers > 1) in.layer = std::to_string(layer);
  if (layers > 1) r.assume("layer", Message("{0} of {1}; --layer N shows another", layer, layers));
  if (!found.others.empty())
    r.assume("attentions", Message("{0}; --layer NAME.N shows another than {1}", found.others, in_quotes(found.group)));
  double furthest = 0;
  for (Index row = 0; row < weights.count() / d.n_k; ++row) {
    double sum = 0;
    for (Index k = 0; k < d.n_k; ++k)
      sum += static_cast<double>(weights.values()[static_cast<std::size_t>(row * d.n_k + k)]);
    if (sum != 0 && !std::isnan(sum)) furthest = std::max(furthest, std::abs(sum - 1));
  }
  if (furthest > 0.02)
    r.assume("weights", Message("rows do not sum to 1 (one is off by {0}): shown as they are; entropies, rollout and "
                                "flow divide each by its sum",
                                shortest(static_cast<float>(furthest))));
  mask = mask_guessed(r, weights);
  return read;
}

}  // namespace

std::vector<std::string> attention_arrays(const ArrayFile& file) {
  std::vector<std::string> names;
  for (const PrecomputedAttention& list : all_weights(file))
    names.insert(names.end(), list.weights.begin(), list.weights.end());
  return names;
}

std::vector<FileAttention> attentions_of(const TensorFile& file, const Scenario& scenario) {
  const ArrayFile& arrays = file.arrays();
  const std::optional<PrecomputedAttention> chosen = find_precomputed(arrays, scenario.layer);
  if (!chosen || chosen->weights.empty()) return {};
  std::vector<PrecomputedAttention> groups = all_weights(arrays);
  if (!std::ranges::all_of(groups, is_of_one_call)) groups = {*chosen};
  std::ranges::stable_sort(groups, {}, [](const PrecomputedAttention& f) {
    return f.group == "encoder_attentions" ? 0 : f.group == "decoder_attentions" ? 1 : 2;
  });
  std::vector<FileAttention> all;
  for (const PrecomputedAttention& group : groups) {
    const bool is_chosen = group.group == chosen->group;
    const LayerAxes axes = axes_of(arrays, group, goes_by_layer(arrays, group, scenario));
    const std::string layer_text = within_group(scenario.layer, group.group).value_or(scenario.layer);
    for (Index layer = 0; layer < axes.layers; ++layer) {
      const std::string number = std::to_string(layer);
      all.push_back({groups.size() > 1 ? group.group + "." + number : number, group.group,
                     weights_of(file, group, axes, layer),
                     is_chosen && (layer_text.empty() ? layer == 0 : layer_text == number)});
    }
  }
  return all;
}

std::optional<PrecomputedAttention> find_precomputed(const ArrayFile& file, const std::string& layer) {
  if (!find_attentions(file).empty()) return {};
  if (auto heads = find_heads(file)) return heads;
  return find_weights(file, layer);
}

PrecomputedSequence read_precomputed(const FileReading& r, const PrecomputedAttention& found) {
  const Scenario& s = r.resolving.scenario;
  const char* why =
      found.weights.empty() ? "since the file holds the heads as they are" : "since the file holds the attention alone";
  if (s.x) throw SettingError("x", "is given, but the file's projections are not known", "expected no x");
  if (s.text_as_input)
    throw SettingError("--text", "needs a model's embedding", "expected a file with one, or no text");
  PrecomputedSequence read = found.weights.empty() ? read_heads(r, found) : read_weights(r, found);
  const Dims& d = read.dims;
  must_be_unset(s.batch_size, "--batch-size", why, d.batch);
  must_be_unset(s.queries, "--queries", why, d.n_q);
  must_be_unset(s.keys, "--keys", why, d.n_k);
  must_be_unset(s.heads, "--heads", why, d.heads);
  must_be_unset(s.kv_heads, "--kv-heads", why, d.kv_heads);
  return read;
}

}  // namespace headlight
