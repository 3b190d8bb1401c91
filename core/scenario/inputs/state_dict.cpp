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
LinearSpec projection_at(const Names& names, const std::string& name, const Suffix& suffix) {
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
LinearSpec output_of(const Names& names, const std::string& prefix, Index width, Index queries = 0) {
  std::vector<std::string> places{prefix};
  if (const std::optional<std::string> parent = parent_of(prefix)) places.push_back(*parent);
  for (const std::string& place : places) {
    for (const string_view name : Split(outputs, ' ')) {
      for (const Suffix& suffix : suffixes) {
        LinearSpec linear = projection_at(names, joined(place, name), suffix);
        if (linear.weight.empty()) continue;
        if (linear.layout == WeightLayout::in_head_out) linear.layout = WeightLayout::head_inner_out;
        const ArrayEntry& entry = *names.file().find(linear.weight);
        // c_proj is a Conv1D in GPT-2 and an nn.Linear in nanoGPT; if it is not square, its sides show which.
        const LinearSize sides = linear_size(entry.shape, linear.layout);
        if (name == "c_proj" && width > 0 && sides.in != width && sides.out == width) {
          linear.layout = linear.layout == WeightLayout::out_in ? WeightLayout::in_out : WeightLayout::out_in;
        }
        const bool certain = name == "o_proj" || name == "out_proj" || name == "c_proj";
        const Index in = linear_size(entry.shape, linear.layout).in;
        if (width == 0 || certain || in == width || (queries > width && in == queries)) return linear;
      }
    }
  }
  return {};
}

std::optional<FoundAttention> separate_at(const Names& names, const std::string& name, const SeparateScheme& scheme,
                                          const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.q, suffix.weight));
  if (!prefix) return {};
  // BERT's "self.query" is found under its own scheme, so that output.dense one level above is found too.
  if (scheme.q == "query" && prefix_before(*prefix, "self.")) return {};
  FoundAttention attention;
  attention.prefix = *prefix;
  attention.q = projection_at(names, joined(*prefix, scheme.q), suffix);
  attention.k = projection_at(names, joined(*prefix, scheme.k), suffix);
  attention.v = projection_at(names, joined(*prefix, scheme.v), suffix);
  if (attention.q.weight.empty() || attention.k.weight.empty() || attention.v.weight.empty()) return {};
  if (suffix.weight == "_weight") attention.packed.bias = names.if_present(*prefix + "in_proj_bias");
  attention.o = output_of(names, scheme.q == "self.query" ? *prefix + "self." : *prefix,
                          outputs_of(names.file(), attention.v), outputs_of(names.file(), attention.q));
  return attention;
}

/// "q.0.weight", "q.1.weight", …: each projection has a module for each head.
std::optional<FoundAttention> head_modules_at(const Names& names, const std::string& name,
                                              const SeparateScheme& scheme) {
  const Suffix& suffix = suffixes[0];
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.q, ".0", suffix.weight));
  if (!prefix || !names.find(joined(*prefix, scheme.q, ".1.weight"))) return {};
  FoundAttention attention;
  attention.prefix = *prefix;
  for (const auto& [projection, of] :
       {std::pair{&attention.q, scheme.q}, {&attention.k, scheme.k}, {&attention.v, scheme.v}}) {
    for (int head = 0;; ++head) {
      LinearSpec one = projection_at(names, joined(*prefix, of, "." + std::to_string(head)), suffix);
      if (one.weight.empty()) break;
      projection->modules.push_back(std::move(one));
    }
    if (projection->modules.empty()) return {};
    projection->weight = projection->modules.front().weight;
  }
  attention.o = output_of(names, *prefix, outputs_of(names.file(), attention.v));
  return attention;
}

std::optional<FoundAttention> bare_at(const Names& names, const std::string& name, const BareScheme& scheme) {
  const std::optional<std::string> prefix = prefix_before(name, scheme.q);
  if (!prefix) return {};
  const ArrayEntry* q = names.find(name);
  const bool per_head = has_rank(q, 3);
  if (!has_rank(q, 2) && !per_head) return {};
  const auto linear_of = [&](string_view weight, string_view bias, WeightLayout heads) {
    const ArrayEntry* entry = names.find(joined(*prefix, weight));
    if (!has_rank(entry, per_head ? 3 : 2)) return LinearSpec{};
    return LinearSpec{entry->name, names.if_present(joined(*prefix, bias)), per_head ? heads : WeightLayout::out_in};
  };
  FoundAttention attention;
  attention.prefix = *prefix;
  attention.bare = !per_head;
  attention.q = linear_of(scheme.q, scheme.b_q, WeightLayout::head_in_out);
  attention.k = linear_of(scheme.k, scheme.b_k, WeightLayout::head_in_out);
  attention.v = linear_of(scheme.v, scheme.b_v, WeightLayout::head_in_out);
  if (attention.k.weight.empty() || attention.v.weight.empty()) return {};
  attention.o = linear_of(scheme.o, scheme.b_o, WeightLayout::head_inner_out);
  const ArrayEntry* flat = names.find(joined(*prefix, scheme.o));
  if (per_head && has_rank(flat, 2))
    attention.o = {flat->name, names.if_present(joined(*prefix, scheme.b_o)), WeightLayout::in_out};
  return attention;
}

/// Queries in a matrix of their own, keys and values in one.
std::optional<FoundAttention> pair_at(const Names& names, const std::string& name, const PairScheme& scheme,
                                      const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.q, suffix.weight));
  if (!prefix) return {};
  FoundAttention attention;
  attention.prefix = *prefix;
  attention.q = projection_at(names, joined(*prefix, scheme.q), suffix);
  LinearSpec kv = projection_at(names, joined(*prefix, scheme.kv), suffix);
  const auto is_matrix = [&](const LinearSpec& linear) {
    return !linear.weight.empty() && names.file().find(linear.weight)->shape.size() == 2;
  };
  if (!is_matrix(attention.q) || !is_matrix(kv)) return {};
  // GPT-2's are Conv1Ds, unless the sides of c_attn show an nn.Linear.
  const Shape& shape = names.file().find(kv.weight)->shape;
  if (scheme.kv == "c_attn" && shape[0] < 2 * shape[1]) attention.q.layout = kv.layout = WeightLayout::in_out;
  if (linear_size(names.file().find(kv.weight)->shape, kv.layout).out % 2 != 0) return {};
  attention.k = attention.v = std::move(kv);
  attention.halve_packed_kv(names.file());
  attention.o = output_of(names, *prefix, outputs_of(names.file(), attention.v), outputs_of(names.file(), attention.q));
  if (attention.q.layout == WeightLayout::in_out && attention.o.weight.ends_with("c_proj.weight"))
    attention.o.layout = WeightLayout::in_out;
  return attention;
}

std::optional<FoundAttention> packed_at(const Names& names, const std::string& name, const PackedScheme& scheme,
                                        const Suffix& suffix) {
  const std::optional<std::string> prefix = prefix_before(name, joined(scheme.name, suffix.weight));
  const ArrayEntry* entry = names.find(name);
  if (!prefix || !has_rank(entry, 2)) return {};
  FoundAttention attention;
  attention.prefix = *prefix;
  attention.packing = scheme.packing;
  attention.packed = {entry->name, names.if_present(joined(*prefix, scheme.name, suffix.bias)), suffix.layout};
  // GPT-2's cross-attention: c_attn has its keys and values alone.
  if (scheme.name == "c_attn" && names.find(*prefix + "q_attn.weight")) return {};
  const Index rows = entry->shape[0];
  const Index cols = entry->shape[1];
  // c_attn is a Conv1D or an nn.Linear (nanoGPT); the longer side shows which.
  if (scheme.name == "c_attn" && cols > rows) attention.packed.layout = WeightLayout::in_out;
  const LinearSize sides = linear_size(entry->shape, attention.packed.layout);
  // A square proj is an output projection, as in timm.
  if (scheme.name == "proj" && (sides.out % 3 != 0 || sides.out <= sides.in)) return {};
  const bool is_square = scheme.name == "proj" || sides.out == 3 * sides.in;
  attention.o = output_of(names, *prefix, is_square ? sides.out / 3 : 0);
  if (attention.o.weight == entry->name) attention.o = {};
  if (attention.packed.layout == WeightLayout::in_out && attention.o.layout == WeightLayout::out_in &&
      attention.o.weight.ends_with("c_proj.weight")) {
    attention.o.layout = WeightLayout::in_out;
  }
  return attention;
}

void append_found(const Names& names, const ArrayEntry& entry, std::vector<FoundAttention>& found) {
  const std::string name = dotted(entry.name);
  const auto add = [&](std::optional<FoundAttention> attention) {
    if (attention) found.push_back(std::move(*attention));
    return attention.has_value();
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
void join_heads(const Names& names, std::vector<FoundAttention>& found) {
  std::map<std::string, std::map<std::size_t, FoundAttention>> attentions;
  std::vector<FoundAttention> joined_found;
  std::vector<std::string> order;
  for (FoundAttention& attention : found) {
    const auto place = attention.is_packed() ? std::nullopt : head_place(attention.prefix);
    if (!place) {
      joined_found.push_back(std::move(attention));
      continue;
    }
    if (!attentions.contains(place->first)) order.push_back(place->first);
    attentions[place->first].emplace(place->second, std::move(attention));
  }
  for (const std::string& prefix : order) {
    auto& heads = attentions[prefix];
    FoundAttention attention;
    attention.prefix = prefix;
    attention.bare = heads.begin()->second.bare;
    std::size_t next = 0;
    for (auto& [index, head] : heads) {
      if (index != next++)
        throw FileError(names.file().path(), Message("has no head {0} beside {1}", next - 1, in_quotes(head.q.weight)),
                        "expected every head's module");
      for (const auto& [all, one] :
           {std::pair{&attention.q, &head.q}, {&attention.k, &head.k}, {&attention.v, &head.v}})
        all->modules.push_back(*one);
    }
    for (LinearSpec* all : {&attention.q, &attention.k, &attention.v}) all->weight = all->modules.front().weight;
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
LinearSpec given_projection(const Names& names, const std::string& name, const std::string& bias) {
  for (const Suffix& suffix : given_suffixes()) {
    LinearSpec linear = projection_at(names, name, suffix);
    if (linear.weight.empty()) continue;
    if (!bias.empty()) linear.bias = names.if_present(bias);
    return linear;
  }
  return {};
}

/// The attentions whose arrays have the given names, each under a prefix of its own.
std::vector<FoundAttention> attentions_named(const Names& names, const GivenNames& given) {
  const bool is_packed = !given.qkv.empty();
  const std::string& first = is_packed ? given.qkv : given.q;
  std::vector<FoundAttention> found;
  for (const ArrayEntry& entry : names.file().entries()) {
    for (const Suffix& suffix : given_suffixes()) {
      const auto prefix = prefix_before(dotted(entry.name), joined(dotted(first), suffix.weight));
      if (!prefix) continue;
      const auto at = [&](const std::string& name, const std::string& bias) {
        const std::string own = bias.empty() ? "" : *prefix + dotted(bias);
        return name.empty() ? LinearSpec{} : given_projection(names, *prefix + dotted(name), own);
      };
      FoundAttention attention;
      attention.prefix = *prefix;
      attention.q = at(given.q, given.bq), attention.k = at(given.k, given.bk), attention.v = at(given.v, given.bv);
      attention.packed = at(given.qkv, given.bqkv), attention.o = at(given.o, given.bo);
      attention.bare = !is_packed && !attention.q.weight.empty() && suffix.weight.empty();
      const bool whole =
          is_packed ? attention.is_packed()
                    : !attention.q.weight.empty() && !attention.k.weight.empty() && !attention.v.weight.empty();
      if (!whole || (!given.o.empty() && attention.o.weight.empty())) continue;
      if (given.o.empty() && !is_packed)
        attention.o =
            output_of(names, *prefix, outputs_of(names.file(), attention.v), outputs_of(names.file(), attention.q));
      found.push_back(std::move(attention));
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
  for (const string_view part : Split(text, ',')) {
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

Index outputs_of(const ArrayFile& file, const LinearSpec& linear) {
  Index sum = 0;
  for (const LinearSpec& head : linear.modules) sum += outputs_of(file, head);
  for (const auto& [first, count] : linear.rows) sum += count;
  return sum > 0 ? sum : linear_size(file.find(linear.weight)->shape, linear.layout).out;
}

std::optional<Index> heads_stored(const ArrayFile& file, const LinearSpec& linear) {
  if (linear.weight.empty()) return {};
  if (!linear.modules.empty()) return static_cast<Index>(linear.modules.size());
  const Shape& shape = file.find(linear.weight)->shape;
  if (linear.layout == WeightLayout::head_in_out) return shape[0];
  if (linear.layout == WeightLayout::in_head_out) return shape[1];
  return {};
}

void FoundAttention::halve_packed_kv(const ArrayFile& file) {
  const Index half = linear_size(file.find(k.weight)->shape, k.layout).out / 2;
  k.rows = {{0, half}}, v.rows = {{half, half}};
}

std::string FoundAttention::layer() const { return prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1); }

Message output_names() {
  const Split names(outputs, ' ');
  std::vector<string_view> first;
  for (auto name = names.begin(); first.size() < 10; ++name) first.push_back(*name);
  return {"{0} and the like", comma_list(first)};
}

std::string dotted(std::string name) {
  if (name.ends_with(":0")) name.resize(name.size() - 2);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::vector<FoundAttention> find_attentions(const ArrayFile& file, const std::string& given) {
  const Names names(file);
  std::vector<FoundAttention> found;
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
  for (const FoundAttention& attention : found) ++at_prefix[attention.prefix];
  std::erase_if(found, [&](const FoundAttention& attention) {
    return attention.packed.weight == attention.prefix + "proj.weight" && at_prefix[attention.prefix] > 1;
  });
  return found;
}

}  // namespace headlight
