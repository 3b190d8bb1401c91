#include "core/scenario/inputs/state_dict.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/projection_names.h"

namespace headlight {
namespace {

using std::string_view;

/// The names of a file in the spelling of the schemes: Keras and Flax have "/" between parts, TensorFlow ":0" at the
/// end.
class Names {
 public:
  explicit Names(const ArrayFile& file) : file_(file) {
    for (const ArrayEntry& entry : file.entries()) entries_.emplace(dotted(entry.name), &entry);
  }

  const ArrayEntry* find(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : found->second;
  }
  /// The name in the file; "" if it has none.
  std::string if_present(const std::string& name) const {
    const ArrayEntry* entry = find(name);
    return entry ? entry->name : "";
  }
  const ArrayFile& file() const { return file_; }

 private:
  const ArrayFile& file_;
  std::unordered_map<std::string, const ArrayEntry*> entries_;
};

bool has_rank(const ArrayEntry* entry, std::size_t rank) { return entry && entry->shape.size() == rank; }

/// The projection with this name; its weight is empty if no array fits.
LinearKeys projection_at(const Names& names, const std::string& name, const Suffix& suffix) {
  const ArrayEntry* weight = names.find(joined(name, suffix.weight));
  const bool heads = has_rank(weight, 3) && suffix.layout == WeightLayout::in_out;
  if (!has_rank(weight, 2) && !heads) return {};
  return {weight->name, names.if_present(joined(name, suffix.bias)), heads ? WeightLayout::in_head_out : suffix.layout};
}

/// The prefix of output.dense in BERT and ViT, which is next to "self." or "attention.attention."; nothing for others,
/// whose parent can have layers with the same name outside the attention.
std::optional<std::string> parent_of(const std::string& prefix) {
  if (prefix.ends_with("self.")) return prefix.substr(0, prefix.size() - 5);
  if (prefix.ends_with("attention.attention.")) return prefix.substr(0, prefix.size() - 10);
  return {};
}

/// The output projection of an attention whose values have `width` channels, or whose queries have, if key/value heads
/// are shared (0: unknown).
LinearKeys output_of(const Names& names, const std::string& prefix, Index width, Index queries = 0) {
  std::vector<std::string> places{prefix};
  if (const std::optional<std::string> parent = parent_of(prefix)) places.push_back(*parent);
  for (const std::string& place : places) {
    for (const string_view name : Parts(outputs, ' ')) {
      for (const Suffix& suffix : suffixes) {
        LinearKeys keys = projection_at(names, joined(place, name), suffix);
        if (keys.weight.empty()) continue;
        if (keys.layout == WeightLayout::in_head_out) keys.layout = WeightLayout::head_inner_out;
        const ArrayEntry& entry = *names.file().find(keys.weight);
        // c_proj is a Conv1D in GPT-2 and an nn.Linear in nanoGPT; if it is not square, its sides show which.
        const Sides sides = sides_of(entry.shape, keys.layout);
        if (name == "c_proj" && width > 0 && sides.in != width && sides.out == width) {
          keys.layout = keys.layout == WeightLayout::out_in ? WeightLayout::in_out : WeightLayout::out_in;
        }
        const bool certain = name == "o_proj" || name == "out_proj" || name == "c_proj";
        const Index in = sides_of(entry.shape, keys.layout).in;
        if (width == 0 || certain || in == width || (queries > width && in == queries)) return keys;
      }
    }
  }
  return {};
}

std::optional<AttentionKeys> separate_at(const Names& names, const std::string& name, const SeparateScheme& scheme,
                                         const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.q, suffix.weight));
  if (!prefix) return {};
  // BERT's "self.query" is found under its own scheme, so that output.dense one level above is found too.
  if (scheme.q == "query" && prefix_before(*prefix, "self.")) return {};
  AttentionKeys keys;
  keys.prefix = *prefix;
  keys.q = projection_at(names, joined(*prefix, scheme.q), suffix);
  keys.k = projection_at(names, joined(*prefix, scheme.k), suffix);
  keys.v = projection_at(names, joined(*prefix, scheme.v), suffix);
  if (keys.q.weight.empty() || keys.k.weight.empty() || keys.v.weight.empty()) return {};
  if (suffix.weight == "_weight") keys.packed.bias = names.if_present(*prefix + "in_proj_bias");
  keys.o = output_of(names, scheme.q == "self.query" ? *prefix + "self." : *prefix, outputs_of(names.file(), keys.v),
                     outputs_of(names.file(), keys.q));
  return keys;
}

/// "q.0.weight", "q.1.weight", …: each projection has a module for each head.
std::optional<AttentionKeys> head_modules_at(const Names& names, const std::string& name,
                                             const SeparateScheme& scheme) {
  const Suffix& suffix = suffixes[0];
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.q, ".0", suffix.weight));
  if (!prefix || !names.find(joined(*prefix, scheme.q, ".1.weight"))) return {};
  AttentionKeys keys;
  keys.prefix = *prefix;
  for (const auto& [projection, of] : {std::pair{&keys.q, scheme.q}, {&keys.k, scheme.k}, {&keys.v, scheme.v}}) {
    for (int head = 0;; ++head) {
      LinearKeys one = projection_at(names, joined(*prefix, of, "." + std::to_string(head)), suffix);
      if (one.weight.empty()) break;
      projection->heads.push_back(std::move(one));
    }
    if (projection->heads.empty()) return {};
    projection->weight = projection->heads.front().weight;
  }
  keys.o = output_of(names, *prefix, outputs_of(names.file(), keys.v));
  return keys;
}

std::optional<AttentionKeys> bare_at(const Names& names, const std::string& name, const BareScheme& scheme) {
  const std::optional<std::string> prefix = prefix_before(name, scheme.q);
  if (!prefix) return {};
  const ArrayEntry* q = names.find(name);
  const bool per_head = has_rank(q, 3);
  if (!has_rank(q, 2) && !per_head) return {};
  const auto keys_of = [&](string_view weight, string_view bias, WeightLayout heads) {
    const ArrayEntry* entry = names.find(joined(*prefix, weight));
    if (!has_rank(entry, per_head ? 3 : 2)) return LinearKeys{};
    return LinearKeys{entry->name, names.if_present(joined(*prefix, bias)), per_head ? heads : WeightLayout::out_in};
  };
  AttentionKeys keys;
  keys.prefix = *prefix;
  keys.bare = !per_head;
  keys.q = keys_of(scheme.q, scheme.b_q, WeightLayout::head_in_out);
  keys.k = keys_of(scheme.k, scheme.b_k, WeightLayout::head_in_out);
  keys.v = keys_of(scheme.v, scheme.b_v, WeightLayout::head_in_out);
  if (keys.k.weight.empty() || keys.v.weight.empty()) return {};
  keys.o = keys_of(scheme.o, scheme.b_o, WeightLayout::head_inner_out);
  const ArrayEntry* flat = names.find(joined(*prefix, scheme.o));
  if (per_head && has_rank(flat, 2))
    keys.o = {flat->name, names.if_present(joined(*prefix, scheme.b_o)), WeightLayout::in_out};
  return keys;
}

/// Queries in a matrix of their own, keys and values in one.
std::optional<AttentionKeys> pair_at(const Names& names, const std::string& name, const PairScheme& scheme,
                                     const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.q, suffix.weight));
  if (!prefix) return {};
  AttentionKeys keys;
  keys.prefix = *prefix;
  keys.q = projection_at(names, joined(*prefix, scheme.q), suffix);
  LinearKeys kv = projection_at(names, joined(*prefix, scheme.kv), suffix);
  const auto is_matrix = [&](const LinearKeys& linear) {
    return !linear.weight.empty() && names.file().find(linear.weight)->shape.size() == 2;
  };
  if (!is_matrix(keys.q) || !is_matrix(kv)) return {};
  // GPT-2's are Conv1Ds, unless the sides of c_attn show an nn.Linear.
  const Shape& shape = names.file().find(kv.weight)->shape;
  if (scheme.kv == "c_attn" && shape[0] < 2 * shape[1]) keys.q.layout = kv.layout = WeightLayout::in_out;
  if (sides_of(names.file().find(kv.weight)->shape, kv.layout).out % 2 != 0) return {};
  keys.k = keys.v = std::move(kv);
  keys.k.outputs = Outputs::first_half;
  keys.v.outputs = Outputs::second_half;
  keys.o = output_of(names, *prefix, outputs_of(names.file(), keys.v), outputs_of(names.file(), keys.q));
  if (keys.q.layout == WeightLayout::in_out && keys.o.weight.ends_with("c_proj.weight"))
    keys.o.layout = WeightLayout::in_out;
  return keys;
}

std::optional<AttentionKeys> packed_at(const Names& names, const std::string& name, const PackedScheme& scheme,
                                       const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.name, suffix.weight));
  const ArrayEntry* entry = names.find(name);
  if (!prefix || !has_rank(entry, 2)) return {};
  AttentionKeys keys;
  keys.prefix = *prefix;
  keys.packing = scheme.packing;
  keys.packed = {entry->name, names.if_present(joined(*prefix, scheme.name, suffix.bias)), suffix.layout};
  // GPT-2's cross-attention: c_attn has its keys and values alone.
  if (scheme.name == "c_attn" && names.find(*prefix + "q_attn.weight")) return {};
  const Index rows = entry->shape[0];
  const Index cols = entry->shape[1];
  // c_attn is a Conv1D or an nn.Linear (nanoGPT); the longer side shows which.
  if (scheme.name == "c_attn" && cols > rows) keys.packed.layout = WeightLayout::in_out;
  const Sides sides = sides_of(entry->shape, keys.packed.layout);
  // A square proj is an output projection, as in timm.
  if (scheme.name == "proj" && (sides.out % 3 != 0 || sides.out <= sides.in)) return {};
  const bool is_square = scheme.name == "proj" || sides.out == 3 * sides.in;
  keys.o = output_of(names, *prefix, is_square ? sides.out / 3 : 0);
  if (keys.o.weight == entry->name) keys.o = {};
  if (keys.packed.layout == WeightLayout::in_out && keys.o.layout == WeightLayout::out_in &&
      keys.o.weight.ends_with("c_proj.weight")) {
    keys.o.layout = WeightLayout::in_out;
  }
  return keys;
}

void append_found(const Names& names, const ArrayEntry& entry, std::vector<AttentionKeys>& found) {
  const std::string name = dotted(entry.name);
  const auto add = [&](std::optional<AttentionKeys> keys) {
    if (keys) found.push_back(std::move(*keys));
    return keys.has_value();
  };
  for (const SeparateScheme& scheme : separate_schemes) {
    for (const Suffix& suffix : suffixes) {
      if (add(separate_at(names, name, scheme, suffix))) return;
    }
    if (add(head_modules_at(names, name, scheme))) return;
  }
  for (const PairScheme& scheme : pair_schemes) {
    for (const Suffix& suffix : suffixes) {
      if (add(pair_at(names, name, scheme, suffix))) return;
    }
  }
  for (const BareScheme& scheme : bare_schemes) {
    if (add(bare_at(names, name, scheme))) return;
  }
  for (const PackedScheme& scheme : packed_schemes) {
    for (const Suffix& suffix : suffixes) {
      if (add(packed_at(names, name, scheme, suffix))) return;
    }
  }
}

/// "sa.heads.2." is head 2 of "sa."; nothing if the prefix is not that of a head.
std::optional<std::pair<std::string, std::size_t>> head_place(const std::string& prefix) {
  if (prefix.empty()) return {};
  const std::size_t end = prefix.size() - 1;
  const std::size_t digits = prefix.find_last_not_of("0123456789", end - 1) + 1;
  if (end == 0 || digits >= end || digits < 2) return {};
  const std::size_t dot = prefix.rfind('.', digits - 2);
  const std::size_t word = dot == std::string::npos ? 0 : dot + 1;
  std::string module = lowercase(prefix.substr(word, digits - 1 - word));
  module.erase(std::remove(module.begin(), module.end(), '_'), module.end());
  // "multi_head_attention_1" (Keras) and "MultiHeadDotProductAttention_0" (Flax) are whole attentions, not heads.
  const bool is_head =
      (module.ends_with("head") || module.ends_with("heads")) && module.find("multi") == std::string::npos;
  if (!is_head) return {};
  std::size_t index = 0;
  if (std::from_chars(prefix.data() + digits, prefix.data() + end, index).ec != std::errc()) return {};
  return std::pair{prefix.substr(0, word), index};
}

/// Joins modules for single heads to one attention.
void join_heads(const Names& names, std::vector<AttentionKeys>& found) {
  std::map<std::string, std::map<std::size_t, AttentionKeys>> attentions;
  std::vector<AttentionKeys> joined_found;
  std::vector<std::string> order;
  for (AttentionKeys& keys : found) {
    const auto place = keys.is_packed() ? std::nullopt : head_place(keys.prefix);
    if (!place) {
      joined_found.push_back(std::move(keys));
      continue;
    }
    if (!attentions.contains(place->first)) order.push_back(place->first);
    attentions[place->first].emplace(place->second, std::move(keys));
  }
  for (const std::string& prefix : order) {
    auto& heads = attentions[prefix];
    AttentionKeys attention;
    attention.prefix = prefix;
    attention.bare = heads.begin()->second.bare;
    std::size_t next = 0;
    for (auto& [index, head] : heads) {
      if (index != next++)
        throw FileError(names.file().path(), Message("has no head {0} beside {1}", next - 1, in_quotes(head.q.weight)),
                        "expected every head's module");
      for (const auto& [all, one] :
           {std::pair{&attention.q, &head.q}, {&attention.k, &head.k}, {&attention.v, &head.v}})
        all->heads.push_back(*one);
    }
    for (LinearKeys* all : {&attention.q, &attention.k, &attention.v}) all->weight = all->heads.front().weight;
    attention.o = output_of(names, prefix, outputs_of(names.file(), attention.v));
    joined_found.push_back(std::move(attention));
  }
  found = std::move(joined_found);
}

/// The endings of a name that --names gives: those of modules, and none, of an array itself.
std::vector<Suffix> given_suffixes() {
  std::vector<Suffix> all{{"", "_bias", WeightLayout::out_in}};
  all.insert(all.end(), std::begin(suffixes), std::end(suffixes));
  return all;
}

/// The projection whose module or weight has the name; its weight is empty if there is none.
LinearKeys given_projection(const Names& names, const std::string& name, const std::string& bias) {
  for (const Suffix& suffix : given_suffixes()) {
    LinearKeys keys = projection_at(names, name, suffix);
    if (keys.weight.empty()) continue;
    if (!bias.empty()) keys.bias = names.if_present(bias);
    return keys;
  }
  return {};
}

/// The attentions whose arrays have the given names, each under a prefix of its own.
std::vector<AttentionKeys> attentions_named(const Names& names, const GivenNames& given) {
  const bool is_packed = !given.qkv.empty();
  const std::string& first = is_packed ? given.qkv : given.q;
  std::vector<AttentionKeys> found;
  for (const ArrayEntry& entry : names.file().entries()) {
    for (const Suffix& suffix : given_suffixes()) {
      const auto prefix = prefix_before(dotted(entry.name), joined(dotted(first), suffix.weight));
      if (!prefix) continue;
      const auto at = [&](const std::string& name, const std::string& bias) {
        const std::string own = bias.empty() ? "" : *prefix + dotted(bias);
        return name.empty() ? LinearKeys{} : given_projection(names, *prefix + dotted(name), own);
      };
      AttentionKeys keys;
      keys.prefix = *prefix;
      keys.q = at(given.q, given.bq), keys.k = at(given.k, given.bk), keys.v = at(given.v, given.bv);
      keys.packed = at(given.qkv, given.bqkv), keys.o = at(given.o, given.bo);
      keys.bare = !is_packed && !keys.q.weight.empty() && suffix.weight.empty();
      const bool whole =
          is_packed ? keys.is_packed() : !keys.q.weight.empty() && !keys.k.weight.empty() && !keys.v.weight.empty();
      if (!whole || (!given.o.empty() && keys.o.weight.empty())) continue;
      if (given.o.empty() && !is_packed)
        keys.o = output_of(names, *prefix, outputs_of(names.file(), keys.v), outputs_of(names.file(), keys.q));
      found.push_back(std::move(keys));
      break;
    }
  }
  if (!found.empty()) return found;
  std::vector<std::string> arrays;
  for (const ArrayEntry& entry : names.file().entries()) arrays.push_back(entry.name + " " + to_string(entry.shape));
  throw FileError(names.file().path(), "holds no attention under the names of --names",
                  Message("expected names among {0}", first_in_quotes(arrays, 12)));
}

}  // namespace

GivenNames given_names(const std::string& text) {
  constexpr const char* expected =
      "expected q=, k= and v= or qkv=, each with a name in the file; also o=, x= and biases bq=";
  GivenNames names;
  const std::pair<string_view, std::string GivenNames::*> places[] = {
      {"q", &GivenNames::q},     {"k", &GivenNames::k},   {"v", &GivenNames::v},      {"o", &GivenNames::o},
      {"qkv", &GivenNames::qkv}, {"bq", &GivenNames::bq}, {"bk", &GivenNames::bk},    {"bv", &GivenNames::bv},
      {"bo", &GivenNames::bo},   {"x", &GivenNames::x},   {"bqkv", &GivenNames::bqkv}};
  for (const string_view part : Parts(text, ',')) {
    const std::size_t equals = part.find('=');
    const auto* place = std::ranges::find(places, part.substr(0, equals), [](const auto& each) { return each.first; });
    if (equals == string_view::npos || equals + 1 == part.size() || place == std::end(places))
      throw SettingError("--names", Message("has {0}", in_quotes(part)), expected);
    names.*(place->second) = without_wrappers(part.substr(equals + 1));
  }
  const bool separate = !names.q.empty() && !names.k.empty() && !names.v.empty();
  if (separate == !names.qkv.empty()) throw SettingError("--names", Message("is {0}", in_quotes(text)), expected);
  return names;
}

Sides sides_of(const Shape& s, WeightLayout layout) {
  switch (layout) {
    case WeightLayout::out_in: return {s[1], s[0]};
    case WeightLayout::in_out: return {s[0], s[1]};
    case WeightLayout::head_in_out: return {s[1], s[0] * s[2]};
    case WeightLayout::in_head_out: return {s[0], s[1] * s[2]};
    case WeightLayout::head_inner_out: return {s[0] * s[1], s[2]};
  }
  return {};
}

Index outputs_of(const ArrayFile& file, const LinearKeys& keys) {
  if (keys.heads.empty()) {
    const Index out = sides_of(file.find(keys.weight)->shape, keys.layout).out;
    return keys.outputs == Outputs::all ? out : out / 2;
  }
  Index sum = 0;
  for (const LinearKeys& head : keys.heads) sum += outputs_of(file, head);
  return sum;
}

std::optional<Index> heads_stored(const ArrayFile& file, const LinearKeys& keys) {
  if (keys.weight.empty()) return {};
  if (!keys.heads.empty()) return static_cast<Index>(keys.heads.size());
  const Shape& shape = file.find(keys.weight)->shape;
  if (keys.layout == WeightLayout::head_in_out) return shape[0];
  if (keys.layout == WeightLayout::in_head_out) return shape[1];
  return {};
}

std::string AttentionKeys::layer() const { return prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1); }

Message output_names() {
  const Parts names(outputs, ' ');
  std::vector<string_view> first;
  for (auto name = names.begin(); first.size() < 10; ++name) first.push_back(*name);
  return {"{0} and the like", comma_list(first)};
}

std::string dotted(std::string name) {
  if (name.ends_with(":0")) name.resize(name.size() - 2);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::vector<AttentionKeys> find_attentions(const ArrayFile& file, const std::string& given) {
  const Names names(file);
  std::vector<AttentionKeys> found;
  if (!given.empty()) {
    found = attentions_named(names, given_names(given));
    join_heads(names, found);
    return found;
  }
  for (const ArrayEntry& entry : file.entries()) append_found(names, entry, found);
  join_heads(names, found);
  // proj.weight beside another scheme under the same prefix is not a second attention; nor are matrices that were found
  // already.
  std::map<std::string, int> at_prefix;
  for (const AttentionKeys& keys : found) ++at_prefix[keys.prefix];
  std::erase_if(found, [&](const AttentionKeys& keys) {
    return keys.packed.weight == keys.prefix + "proj.weight" && at_prefix[keys.prefix] > 1;
  });
  return found;
}

}  // namespace headlight
