// Files that start after the projections: with attention weights, or with heads (file_heads.cpp).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/attention_axes.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

constexpr std::string_view weight_names =
    "weights attentions attention attn attn_weights attention_weights attention_probs attn_probs cross_attentions "
    "encoder_attentions decoder_attentions self_attentions attn_output_weights attention_weight";

bool has_rank(const ArrayEntry* entry, std::size_t least, std::size_t most) {
  return entry && entry->shape.size() >= least && entry->shape.size() <= most;
}

/// The list of a name and its places in it: "attentions.3" and "attentions_3" are number 3 of "attentions",
/// "attentions.0.3" number 3 of the list 0 of it; "3" is number 3 of "" (a list that was saved alone).
struct Numbered {
  std::string list;
  std::vector<Index> places;
};
Numbered numbered(const std::string& name) {
  Numbered found{name, {}};
  while (found.places.size() < 2) {
    std::string& list = found.list;
    const std::size_t digits = list.find_last_not_of("0123456789") + 1;
    if (digits == list.size()) break;
    Index index = 0;
    if (std::from_chars(list.data() + digits, list.data() + list.size(), index).ec != std::errc()) break;
    const bool separated = digits == 0 || std::string_view("._/").find(list[digits - 1]) != std::string_view::npos;
    if (!separated || (!found.places.empty() && digits > 0 && list[digits - 1] == '_')) break;
    found.places.insert(found.places.begin(), index);
    list.resize(digits > 0 ? digits - 1 : 0);
    if (digits == 0) break;
  }
  return found;
}

bool is_weight_name(const std::string& name) {
  for (const std::string_view known : Split(weight_names, ' ')) {
    if (name == known || name.ends_with("." + std::string(known))) return true;
  }
  return false;
}

/// The place of an array in a list of layers whose number is not at the end, "layers.3.weights": the name without it.
std::optional<Numbered> numbered_within(const std::string& name) {
  std::optional<Numbered> found;
  std::size_t first = 0;
  for (const std::string_view part : Split(name, '.')) {
    if (const auto index = number_of_text<Index>(std::string(part)); index && *index >= 0 && !part.empty()) {
      if (found) return {};  // of which is not known
      found = Numbered{name.substr(0, first) + name.substr(std::min(name.size(), first + part.size() + 1)), {*index}};
    }
    first += part.size() + 1;
  }
  return found;
}

/// Whether a list has no telling name: it was saved alone, in a tuple ("0.3"), or by layer ("layer_3").
bool is_unnamed(const std::string& group) {
  const bool in_tuple = group.find_first_not_of("0123456789.") == std::string::npos;
  return in_tuple || group == "layer" || group == "layers" || group == "block";
}

/// Whether the numbers along an axis sum to 1. Only then is an array without a telling name read as attention.
bool holds_shares(const Tensor& tensor) {
  const std::vector<bool> of_one = axes_with_sums_of_one(tensor);
  return std::ranges::any_of(of_one, [](bool sum) { return sum; });
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

/// The arrays of a list, or of a list of equally long lists, in order; nothing if places are missing.
using Members = std::map<std::vector<Index>, std::string>;
std::optional<PrecomputedAttention> as_list(const std::string& group, const Members& members) {
  PrecomputedAttention list;
  list.group = group;
  const std::size_t levels = members.begin()->first.size();
  Shape sizes(levels, 0);
  for (const auto& [places, name] : members) {
    if (places.size() != levels) return {};
    for (std::size_t i = 0; i < levels; ++i) sizes[i] = std::max(sizes[i], places[i] + 1);
    list.weights.push_back(name);
  }
  if (element_count(sizes) != static_cast<Index>(members.size())) return {};
  if (levels == 2 && sizes[0] == 1) sizes.erase(sizes.begin());  // a list in a tuple with others
  list.lists = std::move(sizes);
  return list;
}

/// The lists of two and more arrays whose names differ by the number of a layer, "layers.0.weights".
std::map<std::string, Members> lists_of_layers(const ArrayFile& file) {
  std::map<std::string, Members> lists;
  for (const ArrayEntry& entry : file.entries()) {
    if (!is_weight_name(entry.name) || !has_rank(&entry, 2, 4)) continue;
    if (const auto place = numbered_within(entry.name)) lists[place->list][place->places] = entry.name;
  }
  std::erase_if(lists, [&](const auto& list) {
    return list.second.size() < 2 || !as_list(list.first, list.second) || file.find(list.first);
  });
  return lists;
}

/// The lists of the file by their names. Lists in a tuple with others ("0.3" beside "1") are lists of their own. Of any
/// name where `said`.
std::map<std::string, Members> lists_in(const ArrayFile& file, bool said) {
  std::map<std::string, Members> lists;
  for (const ArrayEntry& entry : file.entries()) {
    const Numbered place = numbered(entry.name);
    if (place.places.empty() || !has_rank(&entry, 2, 4)) continue;
    if (said || is_unnamed(place.list) || is_weight_name(place.list)) lists[place.list][place.places] = entry.name;
  }
  for (auto& [group, members] : lists_of_layers(file)) lists.emplace(group, std::move(members));
  std::map<std::string, Members> split;
  for (auto& [group, members] : lists) {
    if (as_list(group, members)) {
      split[group] = std::move(members);
      continue;
    }
    for (const auto& [places, name] : members) {
      const bool nested = places.size() > 1;
      const std::string own = !nested ? group : (group.empty() ? "" : group + ".") + std::to_string(places.front());
      split[own][{places.back()}] = name;
    }
  }
  return split;
}

/// All attentions of the file; a list of layers counts as one. `said`: --axes says what the axes of saved attention
/// are, so that what the file holds is attention, whatever its name and its sums.
std::vector<PrecomputedAttention> all_weights(const ArrayFile& file, bool said = false) {
  std::vector<PrecomputedAttention> found;
  const std::map<std::string, Members> lists = lists_in(file, said);
  const auto is_listed = [&](const std::string& name) {
    const auto place = numbered_within(name);
    return place && lists.contains(place->list);
  };
  for (const ArrayEntry& entry : file.entries()) {
    if (is_weight_name(entry.name) && has_rank(&entry, 2, 5) && !is_listed(entry.name))
      found.push_back({{}, {}, {}, {entry.name}, entry.name});
  }
  for (const auto& [group, members] : lists) {
    auto list = as_list(group, members);
    if (!list) continue;
    const bool is_only_list = !group.empty() || members.size() == file.entries().size();
    const bool is_attention =
        !is_unnamed(group) ||
        (is_only_list && (said || std::ranges::all_of(list->weights, [&](const std::string& name) {
                            return holds_shares(file.load(name));
                          })));
    if (!is_attention) continue;
    list->steps = are_steps(file, *list);
    found.push_back(std::move(*list));
  }
  const auto may_be_one = [](const ArrayEntry& entry) { return has_rank(&entry, 2, 5); };
  const bool is_one = said ? std::ranges::count_if(file.entries(), may_be_one) == 1 : file.entries().size() == 1;
  if (const auto only = std::ranges::find_if(file.entries(), may_be_one);
      found.empty() && is_one && only != file.entries().end() && (said || holds_shares(file.load(only->name))))
    found.push_back({{}, {}, {}, {only->name}, only->name});
  return found;
}

/// Whether the name is one of those that an encoder-decoder returns from one call (Hugging Face's Seq2SeqLMOutput).
/// They belong together, and the first is shown first.
bool is_of_one_call(const PrecomputedAttention& found) {
  const std::string& name = found.group;
  return name == "encoder_attentions" || name == "decoder_attentions" || name == "cross_attentions";
}

/// Which array of a list --layer names by its own name, "layers.3.weights" or "layers.3"; nothing if none.
std::optional<Index> member_named(const PrecomputedAttention& found, const std::string& layer) {
  for (std::size_t i = 0; i < found.weights.size() && found.lists.size() == 1; ++i) {
    if (found.weights[i] == layer || found.weights[i].starts_with(layer + ".")) return static_cast<Index>(i);
  }
  return {};
}

std::optional<PrecomputedAttention> find_weights(const ArrayFile& file, const Scenario& scenario) {
  const std::string& layer = scenario.layer;
  std::vector<PrecomputedAttention> found = all_weights(file);
  if (found.empty()) found = all_weights(file, !scenario.axes.empty());
  if (found.empty()) return {};
  if (found.size() == 1) return found.front();
  std::string names;
  for (PrecomputedAttention& candidate : found) {
    if (within_group(layer, candidate.group) || member_named(candidate, layer)) return candidate;
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
Index layer_number(const FileReading& r, const PrecomputedAttention& found, const SavedAxes& axes) {
  const std::string layer_text = layer_within(r.resolving.scenario, found);
  if (layer_text.empty()) return 0;
  const std::optional<Index> named = axes.letters[0] == 'L' ? member_named(found, layer_text) : std::nullopt;
  const Index layer = named ? *named : number_of_text<Index>(layer_text).value_or(-1), layers = axes.layers;
  if (layer < 0 || layer >= layers) {
    r.fail(Message("has no layer {0}", in_quotes(layer_text)),
           layers == 1 ? Message("expected no --layer, or 0, since it holds one layer")
                       : Message("expected --layer with 0 to {0}", layers - 1));
  }
  return layer;
}

/// Several readings of the axes are the user's to choose from.
void refuse_open_axes(const FileReading& r, const PrecomputedAttention& found, const SavedAxes& axes) {
  constexpr std::size_t most = most_axes_offered;
  if (axes.choices.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, axes.choices.size()); ++i) list += (i ? " or " : "") + axes.choices[i];
  if (axes.choices.size() > most) list += " …";
  const Message shape = r.shape_of(found.weights.front());
  r.fail(found.lists.empty() ? Message("{0}, which can be read in {1} ways", shape, axes.choices.size())
                             : Message("{0} in lists of {1}, which can be read in {2} ways", shape,
                                       to_string(found.lists), axes.choices.size()),
         Message("expected --axes {0}, or num_heads or words in the file that decide", list));
}

/// A mask of the cells that the file stores, and of those that zeros say.
Tensor mask_of(const FileReading& r, const PrecomputedAttention& found, const SavedAxes& axes, Index layer,
               const Tensor& weights) {
  const Tensor stored = stored_cells(r.file, found, axes, layer), guessed = mask_guessed(r, weights);
  if (!stored.defined()) return guessed;
  r.assume("mask", found.steps ? "the keys that a step of generate() had not computed yet are masked"
                               : "the cells outside the band are masked");
  if (!guessed.defined()) return stored;
  Buffer both;
  const auto cells = static_cast<std::size_t>(stored.count());  // of one batch entry
  for (std::size_t i = 0; i < guessed.values().size(); ++i)
    both.push_back(guessed.values()[i] * stored.values()[i % cells]);
  return Tensor(guessed.shape(), std::move(both));
}

/// The sentences about how the arrays are read.
void note_reading(const FileReading& r, const PrecomputedAttention& found, const SavedAxes& axes,
                  const std::string& name, Index layer) {
  heads_said(r);
  const std::string words = axes_in_words(found, axes);
  r.assume("weights", Message("{0} {1}: the attention alone", name, words));
  if (found.steps)
    r.assume("steps", Message("{0} of generate(): the prompt's rows, then a row a step", found.lists[0]));
  if (axes.layers > 1) r.assume("layer", Message("{0} of {1}; --layer N shows another", layer, axes.layers));
  if (!found.others.empty())
    r.assume("attentions", Message("{0}; --layer NAME.N shows another than {1}", found.others, in_quotes(found.group)));
}

PrecomputedSequence read_weights(const FileReading& r, const PrecomputedAttention& found) {
  PrecomputedSequence read;
  auto& [in, d, mask] = read;
  if (Tensor(r.load(found.weights.front())).count() == 0)
    r.fail(r.shape_of(found.weights.front()), "expected no empty axis");
  const SavedAxes axes = axes_of(r, found);
  refuse_open_axes(r, found, axes);
  const Index layer = layer_number(r, found, axes);
  const Tensor weights = weights_of(r.file, found, axes, layer);
  in.weights = weights;
  d.batch = weights.size(0);
  d.heads = d.kv_heads = weights.size(1);
  d.n_q = weights.size(2);
  d.n_k = weights.size(3);
  d.d_head = 1;
  d.d_model = d.d_query = d.d_key = d.d_value = d.d_out = d.heads;
  const std::size_t first = found.lists.size() == 1 && axes.letters[0] == 'L' ? static_cast<std::size_t>(layer) : 0;
  note_reading(r, found, axes, found.weights[first], layer);
  if (axes.layers > 1) in.layer = std::to_string(layer);
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
  mask = mask_of(r, found, axes, layer, weights);
  return read;
}

}  // namespace

std::vector<std::string> attention_arrays(const ArrayFile& file) {
  std::vector<std::string> names;
  for (const PrecomputedAttention& list : all_weights(file))
    names.insert(names.end(), list.weights.begin(), list.weights.end());
  return names;
}

std::string layer_within(const Scenario& scenario, const PrecomputedAttention& found) {
  return within_group(scenario.layer, found.group).value_or(scenario.layer);
}

std::vector<FileAttention> attentions_of(const TensorFile& file, const Scenario& scenario) {
  const ArrayFile& arrays = file.arrays();
  const std::optional<PrecomputedAttention> chosen = find_precomputed(file, scenario);
  if (!chosen || chosen->weights.empty()) return {};
  std::vector<PrecomputedAttention> groups = all_weights(arrays);
  if (groups.empty()) groups = {*chosen};
  if (!std::ranges::all_of(groups, is_of_one_call)) groups = {*chosen};
  std::ranges::stable_sort(groups, {}, [](const PrecomputedAttention& f) {
    return f.group == "encoder_attentions" ? 0 : f.group == "decoder_attentions" ? 1 : 2;
  });
  std::vector<FileAttention> all;
  std::vector<Assumption> assumptions;
  const Resolving resolving{scenario};
  const FileReading reading{resolving, file, {}, assumptions};
  for (const PrecomputedAttention& group : groups) {
    const bool is_chosen = group.group == chosen->group;
    const SavedAxes axes = axes_of(reading, group);
    refuse_open_axes(reading, group, axes);
    const std::string layer_text = layer_within(scenario, group);
    for (Index layer = 0; layer < axes.layers; ++layer) {
      const std::string number = std::to_string(layer);
      const Tensor weights = weights_of(file, group, axes, layer);
      all.push_back({groups.size() > 1 ? group.group + "." + number : number, group.group, weights,
                     mask_of(reading, group, axes, layer, weights),
                     is_chosen && (layer_text.empty() ? layer == 0 : layer_text == number)});
    }
  }
  return all;
}

std::optional<PrecomputedAttention> find_precomputed(const TensorFile& file, const Scenario& scenario) {
  if (!file.attentions(scenario.names).empty()) return {};
  if (auto heads = find_heads(file.arrays())) return heads;
  return find_weights(file.arrays(), scenario);
}

PrecomputedSequence read_precomputed(const FileReading& r, const PrecomputedAttention& found) {
  const Scenario& s = r.resolving.scenario;
  const char* why =
      found.weights.empty() ? "since the file holds the heads as they are" : "since the file holds the attention alone";
  if (s.x) throw SettingError("x", "is given, but the file's projections are not known", "expected no x");
  if (s.text_as_input)
    throw SettingError("--text", "needs a model's embedding", "expected a file with one, or no text");
  if (found.weights.empty() && !s.axes.empty())
    throw SettingError("--axes", "says what the axes of saved attention are, and the file holds heads",
                       "expected it unset");
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
