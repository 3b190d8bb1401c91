// Files that start with the heads of query, key and value, as scaled_dot_product_attention takes them.
#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/text/number_text.h"
#include "core/models/architecture/checkpoint.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

bool has_axes(const ArrayEntry* entry, std::size_t least, std::size_t most) {
  return entry && entry->shape.size() >= least && entry->shape.size() <= most;
}

/// Names of three arrays, and from how many axes on these are heads.
struct Triple {
  std::string q, k, v;
  std::size_t least_rank = 4;
};

/// The names that heads have, at the top or in a dictionary or tuple of inputs.
std::vector<Triple> triples() {
  std::vector<Triple> all;
  std::vector<std::string> places{""};
  places.insert(places.end(), std::begin(places_of_inputs), std::end(places_of_inputs));
  for (const std::string& at : places) {
    all.push_back({at + "Q_heads", at + "K_heads", at + "V_heads", 3});
    all.push_back({at + "q", at + "k", at + "v"});
    all.push_back({at + "query", at + "key", at + "value"});
    all.push_back({at + "Q", at + "K", at + "V"});
  }
  for (const std::string at : {"args.", "inputs."}) all.push_back({at + "0", at + "1", at + "2"});
  return all;
}

/// Whether the file holds parameters, under whatever names: then three arrays are not all there is of an attention.
bool has_parameters(const ArrayFile& file) {
  return std::ranges::any_of(file.entries(), [](const ArrayEntry& entry) {
    const std::string_view name = entry.name;
    const bool named = name.ends_with("weight") || name.ends_with("kernel") || name.starts_with("W") ||
                       name.starts_with("w_") || name.ends_with(".w");
    return (named && entry.shape.size() >= 2) || name == "x" || name == "hidden_states";
  });
}

/// How the heads of a file lie in its arrays.
struct HeadLayout {
  bool joined = false;        ///< [B, n, H · d_head]
  bool length_first = false;  ///< [B, n, H, d_head], as flash-attn and xformers have them
  Index width = 0;            ///< d_head of queries and keys where they are joined
  /// Where queries, keys and values are packed in one array, the axis of the three.
  std::optional<Index> packed_axis{};
};

/// The axis of queries, keys and values in one array: [B, n, 3, H, d_head] (flash-attn), [3, B, H, n, d_head] (timm),
/// [B, 3, H, n, d_head], or the last of [B, n, 3 · H · d_head].
Index packed_axis(const FileReading& r, const std::string& name) {
  const Shape& shape = r.file.arrays().find(name)->shape;
  if (shape.size() < 5) return static_cast<Index>(shape.size()) - 1;
  std::vector<Index> axes;
  for (const Index axis : {2, 0, 1}) {
    if (shape[static_cast<std::size_t>(axis)] == 3) axes.push_back(axis);
  }
  if (axes.size() != 1)
    r.fail(r.shape_of(name),
           "expected [B, n, 3, H, d_head], [3, B, H, n, d_head] or [B, 3, H, n, d_head] where one "
           "of the first three sizes is 3");
  return axes.front();
}

/// Queries (0), keys (1) or values (2) of a packed array, or the array itself.
Tensor stored_part(const FileReading& r, const std::string& name, const HeadLayout& layout, Index part) {
  const Tensor stored = r.load(name);
  if (stored.count() == 0) r.fail(r.shape_of(name), "expected no empty axis");
  if (!layout.packed_axis) return stored;
  const Index axis = *layout.packed_axis, share = stored.size(axis) / 3;
  return r.file.made(name + " part " + std::to_string(part), [&] {
    const Tensor third = stored.slice(axis, part * share, share).contiguous();
    Shape shape = third.shape();
    if (stored.rank() == 5) shape.erase(shape.begin() + axis);
    return third.view(shape);
  });
}

/// The array, or a part of a packed one, as [B, H, n, d]; the batch axis may be missing.
Tensor four_axes(const FileReading& r, const std::string& name, const HeadLayout& layout, Index part) {
  const Tensor stored = stored_part(r, name, layout, part);
  const std::string recipe = layout.packed_axis ? name + " part " + std::to_string(part) : name;
  if (layout.length_first) {
    if (stored.rank() != 4) r.fail(r.shape_of(name), "expected [B, n, H, d_head]");
    return r.file.made(recipe + " heads first", [&] { return stored.transpose(1, 2).contiguous(); });
  }
  if (stored.rank() == 4) return stored;
  const bool is_batch = layout.joined && stored.rank() == 3;
  if (!is_batch) r.assume("batch", Message("{0} {1} is one batch entry", name, to_string(stored.shape())));
  if (!layout.joined) return stored.view({1, stored.size(0), stored.size(1), stored.size(2)});
  const Index batch = is_batch ? stored.size(0) : 1, n = stored.size(-2), width = stored.size(-1);
  if (width % layout.width != 0)
    r.fail(r.shape_of(name), Message("expected a multiple of d_head {0} in its last axis", layout.width));
  return r.file.made(recipe + " in heads of " + std::to_string(layout.width), [&] {
    return stored.view({batch, n, width / layout.width, layout.width}).transpose(1, 2).contiguous();
  });
}

/// The layout of the heads, by the number of heads that the file or --heads says.
HeadLayout layout_of(const FileReading& r, const PrecomputedAttention& found) {
  Shape q = r.file.arrays().find(found.Q_heads)->shape;
  std::optional<Index> packed;
  if (found.packed) packed = packed_axis(r, found.Q_heads);
  const auto number = heads_said(r);
  const double said = r.resolving.scenario.heads ? static_cast<double>(*r.resolving.scenario.heads)
                      : number                   ? number->value
                                                 : 0;
  const auto is = [&](Index size) { return said == static_cast<double>(size); };
  if (packed && !found.joined) return {false, *packed == 2 || (is(q[3]) && !is(q[2])), 0, packed};
  if (packed) q.back() /= 3;
  if (!found.joined) return {false, q.size() == 4 && is(q[2]) && !is(q[1]), 0};
  if (said <= 1) return {true, false, q.back(), packed};
  if (std::fmod(static_cast<double>(q.back()), said) != 0 || (q.size() == 3 && is(q[0])))
    r.fail(Message("{0}, and there are {1} heads", r.shape_of(found.Q_heads), shortest(static_cast<float>(said))),
           "expected [B, H, n, d_head], or [B, n, H · d_head]");
  return {true, false, static_cast<Index>(static_cast<double>(q.back()) / said), packed};
}

/// The values' heads are as many as the keys', and may have another width.
HeadLayout for_values(const FileReading& r, const PrecomputedAttention& found, HeadLayout layout, Index kv_heads) {
  const Index width = r.file.arrays().find(found.V_heads)->shape.back();
  if (found.packed) return layout;
  if (layout.joined && width % kv_heads == 0) layout.width = width / kv_heads;
  return layout;
}

/// The axes of a packed array, for a sentence.
const char* packed_axes(const HeadLayout& layout) {
  if (layout.joined) return "[B, n, 3 · H · d_head]";
  if (*layout.packed_axis == 2) return "[B, n, 3, H, d_head]";
  if (*layout.packed_axis == 0) return layout.length_first ? "[3, B, n, H, d_head]" : "[3, B, H, n, d_head]";
  return layout.length_first ? "[B, 3, n, H, d_head]" : "[B, 3, H, n, d_head]";
}

void note_heads(const FileReading& r, const HeadLayout& layout, const std::string& names, Index heads) {
  if (layout.packed_axis)
    return r.assume("heads", Message("{0}: {1}, queries, keys and values in one array, no projections; the pipeline "
                                     "begins at the heads",
                                     names, packed_axes(layout)));
  r.assume("heads",
           layout.length_first
               ? Message("{0}: [B, n, H, d_head] as the number of heads tells, no projections; the pipeline "
                         "begins there",
                         names)
           : !layout.joined ? Message("{0}: [B, H, n, d_head], no projections; the pipeline begins there", names)
           : heads > 1 ? Message("{0}: [B, n, H · d_head], no projections; the pipeline begins at the heads", names)
                       : Message("{0}: [B, n, d_head], one head, no projections; the pipeline begins there", names));
}

/// Queries, keys and values in one array of so many axes.
std::optional<PrecomputedAttention> find_packed(const ArrayFile& file, std::size_t least, std::size_t most) {
  for (const char* name : {"qkv", "QKV", "qkv_packed", "packed_qkv", "mixed_qkv"}) {
    const ArrayEntry* entry = file.find(name);
    if (!has_axes(entry, least, most) || (least < 5 && entry->shape.back() % 3 != 0)) continue;
    PrecomputedAttention found;
    found.Q_heads = found.K_heads = found.V_heads = name;
    found.packed = true;
    found.joined = least < 5;
    return found;
  }
  return {};
}

}  // namespace

std::optional<PrecomputedAttention> find_heads(const ArrayFile& file) {
  for (const Triple& names : triples()) {
    const ArrayEntry *q = file.find(names.q), *k = file.find(names.k), *v = file.find(names.v);
    if (!has_axes(q, names.least_rank, 4) || !has_axes(k, names.least_rank, 4)) continue;
    PrecomputedAttention found;
    found.Q_heads = names.q;
    found.K_heads = names.k;
    if (has_axes(v, names.least_rank, 4)) found.V_heads = names.v;
    return found;
  }
  if (auto packed = find_packed(file, 5, 5)) return packed;
  if (has_parameters(file)) return {};
  if (const auto packed = find_packed(file, 2, 3)) return packed;
  for (const Triple& names : triples()) {  // as scaled_dot_product_attention takes them too
    const ArrayEntry *q = file.find(names.q), *k = file.find(names.k), *v = file.find(names.v);
    const std::size_t rank = has_axes(q, 2, 3) ? q->shape.size() : 0;
    if (rank == 0 || !has_axes(k, rank, rank) || !has_axes(v, rank, rank)) continue;
    PrecomputedAttention found;
    found.Q_heads = names.q, found.K_heads = names.k, found.V_heads = names.v;
    found.joined = true;
    return found;
  }
  return {};
}

PrecomputedSequence read_heads(const FileReading& r, const PrecomputedAttention& found) {
  PrecomputedSequence read;
  auto& [in, d, mask] = read;
  const HeadLayout layout = layout_of(r, found);
  in.Q_heads = four_axes(r, found.Q_heads, layout, 0);
  in.K_heads = four_axes(r, found.K_heads, layout, 1);
  d.batch = in.Q_heads.size(0);
  d.heads = in.Q_heads.size(1);
  d.n_q = in.Q_heads.size(2);
  d.d_head = in.Q_heads.size(3);
  d.kv_heads = in.K_heads.size(1);
  d.n_k = in.K_heads.size(2);
  d.d_model = d.d_query = d.d_key = d.d_value = d.d_out = d.heads * d.d_head;
  if (in.K_heads.size(0) != d.batch || in.K_heads.size(3) != d.d_head) {
    r.fail(r.shape_of(found.K_heads),
           Message("expected [{0}, G, n_k, {1}], as {2} has them", d.batch, d.d_head, in_quotes(found.Q_heads)));
  }
  if (const auto said = heads_said(r); said && said->value != static_cast<double>(d.heads)) {
    r.fail(Message("{0} is {1}, where {2}", in_quotes(said->name), shortest(static_cast<float>(said->value)),
                   r.shape_of(found.Q_heads)),
           "expected as many heads");
  }
  kv_heads_said(r);
  set_head_size(r.resolving.scenario, d);
  std::string names = found.packed ? found.Q_heads : found.Q_heads + ", " + found.K_heads;
  if (found.V_heads.empty()) {
    r.assume("values", "none in the file: nothing after the weights");
  } else {
    in.V_heads = four_axes(r, found.V_heads, for_values(r, found, layout, d.kv_heads), 2);
    if (in.V_heads.size(0) != d.batch || in.V_heads.size(1) != d.kv_heads || in.V_heads.size(2) != d.n_k) {
      r.fail(r.shape_of(found.V_heads), Message("expected [{0}, {1}, {2}, d], as {3} has them", d.batch, d.kv_heads,
                                                d.n_k, in_quotes(found.K_heads)));
    }
    d.d_out = d.heads * in.V_heads.size(3);
    if (!found.packed) names += ", " + found.V_heads;
    r.assume("output projection", "missing in the file: output = concat");
  }
  note_heads(r, layout, names, d.heads);
  return read;
}

}  // namespace headlight
