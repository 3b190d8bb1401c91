// Where the arrays and numbers of a file are looked for: under the layer's prefix, at the top, in dictionaries beside
// the weights, and in the modules around the layer. What nobody took is named.
#include <algorithm>
#include <vector>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/models/architecture/checkpoint.h"
#include "core/scenario/inputs/file_source.h"

namespace headlight {
namespace {

// Names of arguments and outputs that a hook captures: {"input": (x,), "args": (q, k, v)}.
constexpr std::string_view tuples_of_inputs[] = {"args.", "inputs.", "input."};

template <typename Places>
bool begins_with_one_of(const std::string& name, const Places& places) {
  return std::ranges::any_of(places, [&](std::string_view place) { return name.starts_with(place); });
}

/// Whether a name is of a module around the layer: of one that holds it, directly.
bool is_around(const FileReading& r, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && r.attention.prefix.starts_with(name.substr(0, dot + 1));
}

/// Whether the last part of a name says that it belongs to attention.
bool is_of_attention(const std::string& name) {
  constexpr std::string_view words[] = {"mask",    "causal", "attn",     "attention",  "rope",      "rotary",
                                        "scale",   "window", "soft_cap", "softcap",    "logit_cap", "alibi",
                                        "qk_norm", "sink",   "valid_l",  "logits_cap", "pos_bias",  "position_bias",
                                        "bias_k",  "bias_v", "clip_qkv"};
  const std::string last = name.substr(name.rfind('.') + 1);
  return std::ranges::any_of(words, [&](auto word) { return last.find(word) != std::string::npos; });
}

/// Whether a name outside the layer that nobody has asked for could belong to it.
bool may_belong(const FileReading& r, const std::string& stored) {
  const std::string name = dotted(stored);
  if (name.find('.') == std::string::npos || (!r.attention.prefix.empty() && name.starts_with(r.attention.prefix)))
    return true;
  if (begins_with_one_of(name, places_of_inputs) || begins_with_one_of(name, tuples_of_inputs)) return true;
  return (begins_with_one_of(name, places_of_settings) || is_around(r, name)) && is_of_attention(name);
}

}  // namespace

std::string FileReading::stored_name(const std::string& name) const {
  std::string by_slashes = name;
  std::ranges::replace(by_slashes, '.', '/');
  for (const std::string& spelling : {name, by_slashes}) {
    if (file.arrays().find(spelling)) return spelling;
    file.arrays().refuse_if_skipped(spelling);
  }
  return {};
}

std::string FileReading::find(std::initializer_list<const char*> names) const {
  std::vector<std::string> prefixes{attention.prefix, ""};
  prefixes.insert(prefixes.end(), std::begin(places_of_inputs), std::end(places_of_inputs));
  for (const std::string& prefix : prefixes) {
    for (const char* name : names) {
      if (std::string stored = stored_name(prefix + name); !stored.empty()) return stored;
    }
  }
  return {};
}

std::string FileReading::find_around(std::initializer_list<const char*> names) const {
  for (const std::string& module : attention.around) {
    for (const char* name : names) {
      if (std::string stored = stored_name(module + name); !stored.empty()) return stored;
    }
  }
  return {};
}

std::vector<std::string> FileReading::find_tuple() const {
  for (const std::string_view place : tuples_of_inputs) {
    std::vector<std::string> arrays;
    for (int i = 0;; ++i) {
      std::string stored = stored_name(std::string(place) + std::to_string(i));
      if (stored.empty()) break;
      arrays.push_back(std::move(stored));
    }
    if (!arrays.empty()) return arrays;
  }
  // A tuple of a module and its inputs: "0.q_proj.weight", "1".
  if (attention.prefix.empty() || attention.prefix.find_first_not_of("0123456789") != attention.prefix.find('.'))
    return {};
  std::vector<std::string> arrays;
  for (const ArrayEntry& entry : file.arrays().entries()) {
    if (entry.name.find_first_not_of("0123456789") == std::string::npos) arrays.push_back(entry.name);
  }
  return arrays;
}

std::string_view FileReading::torch_sequence() const {
  const std::string_view prefix = attention.prefix, self = "self_attn.";
  if (!attention.packed.weight.ends_with("in_proj_weight")) return {};
  if (prefix.ends_with("multihead_attn.")) return "memory";
  if (!prefix.ends_with(self)) return {};
  const std::string block(prefix.substr(0, prefix.size() - self.size()));
  return file.arrays().find(block + "multihead_attn.in_proj_weight") ? "tgt" : "src";
}

std::optional<FileReading::Number> FileReading::number_beside(std::initializer_list<const char*> names) const {
  for (const std::string& prefix : {attention.prefix, std::string()}) {
    for (const char* name : names) {
      asked->insert(prefix + name);
      if (const std::optional<double> value = file.arrays().number(prefix + name)) return Number{prefix + name, *value};
      if (file.arrays().find(prefix + name)) fail(shape_of(prefix + name), "expected one number");
    }
  }
  return {};
}

std::vector<std::string> FileReading::places_of_numbers() const {
  std::vector<std::string> places{attention.prefix, ""};
  places.insert(places.end(), attention.around.begin(), attention.around.end());
  places.insert(places.end(), std::begin(places_of_inputs), std::end(places_of_inputs));
  places.insert(places.end(), std::begin(places_of_settings), std::end(places_of_settings));
  return places;
}

std::optional<FileReading::Number> FileReading::own_number(std::initializer_list<const char*> names) const {
  if (const std::optional<Number> beside = number_beside(names)) return beside;
  for (const std::string& place : places_of_numbers()) {
    for (const char* name : names) {
      const std::string stored = stored_name(place + name), found = stored.empty() ? place + name : stored;
      const std::optional<double> value = file.arrays().number(found);
      if (!value) continue;
      asked->insert(found);
      return Number{found, *value};
    }
  }
  return {};
}

std::optional<FileReading::Number> FileReading::number(std::initializer_list<const char*> names) const {
  if (const std::optional<Number> own = own_number(names)) return own;
  if (attention.prefix.empty()) return {};  // this is no layer of a model, so config.json does not describe it
  const std::optional<Number> beside = config_number(names);
  if (!beside) return {};
  return Number{beside->name + " in " + config_name(), beside->value};
}

Tensor FileReading::load(const std::string& name) const {
  if (resolving.stop.stop_requested()) throw Cancelled();
  return file.load(name);
}

void FileReading::assume(const std::string& what, const Message& taken_for) const {
  assumptions.push_back({what, taken_for});
}

void FileReading::fail(const Message& wrong, const Message& expected) const {
  throw FileError(file.path(), wrong, expected);
}

Message FileReading::shape_of(const std::string& array) const {
  return {"{0} has shape {1}", in_quotes(array), to_string(file.arrays().find(array)->shape)};
}

void note_unused(const FileReading& r, bool attention_alone) {
  constexpr std::size_t most = 6;
  std::vector<std::string> unused;
  // In a file of attention alone, the other layers are shown too, so they are not unused.
  const std::vector<std::string> beside =
      attention_alone ? attention_arrays(r.file.arrays()) : std::vector<std::string>();
  for (const ArrayEntry& entry : r.file.arrays().entries()) {
    if (element_count(entry.shape) > 1 && (r.attention.prefix.empty() || may_belong(r, entry.name)) &&
        !r.file.was_loaded(entry.name) && std::ranges::find(beside, entry.name) == beside.end())
      unused.push_back(entry.name);
  }
  for (const SkippedArray& array : r.file.arrays().skipped()) {
    const bool is_text = r.file.arrays().words(array.name).has_value();
    if (may_belong(r, array.name) && !r.asked->contains(array.name) && (!is_text || is_of_attention(array.name)))
      unused.push_back(array.name);
  }
  if (!unused.empty()) r.assume("not used", first_in_quotes(unused, most));
}

void note_untaken_numbers(const FileReading& r) {
  constexpr std::size_t most = 8;
  std::vector<std::string> left;
  const auto add = [&](const std::string& name) {
    if (may_belong(r, name) && !r.asked->contains(name)) left.push_back(name);
  };
  for (const ArrayEntry& entry : r.file.arrays().entries()) {
    if (element_count(entry.shape) == 1 && !r.file.was_loaded(entry.name)) add(entry.name);
  }
  for (const auto& [name, value] : r.file.arrays().numbers()) add(name);
  for (const auto& [name, text] : r.file.arrays().texts()) {
    if (r.words_read->contains(name)) continue;
    if (r.file.arrays().number(name)) add(name);
    // A word where a number was looked for, and a setting of attention that is one, are not taken either.
    else if (may_belong(r, name) &&
             (r.asked->contains(name) || is_of_attention(name) || name.find("position") != std::string::npos))
      left.push_back(name);
  }
  if (!left.empty()) r.assume("numbers not taken", first_in_quotes(left, most));
}

}  // namespace headlight
