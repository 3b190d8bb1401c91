// Masks, valid lengths and biases in a file: the names, the axes and the polarity of each kind.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/message.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

/// Which reading of a shape to prefer, if several fit.
enum class MaskKind : std::uint8_t {
  plain,        ///< mask: [n_q, n_k] before [B, n_k]; [B, n_q, n_k] before [B·H, n_q, n_k] and [H, n_q, n_k]
  per_token,    ///< attention_mask: [B, n_k] first, as Hugging Face's tokenizers give it
  key_padding,  ///< key_padding_mask: [B, n_k] only
  torch_attn,   ///< attn_mask: [B·H, n_q, n_k] first
  bias,         ///< attn_bias, and attn_mask of separate heads: [H, n_q, n_k] first
};

/// A mask with the attention's axes.
struct PlacedMask {
  Tensor tensor;     ///< [B|1, H|1, n_q|1, n_k|1]
  std::string axes;  ///< how its own axes were read: "[n_q, n_k]"
};

/// One reading of a shape: the names of its axes, their sizes, and which axis of [B, H, n_q, n_k] each one is.
struct Reading {
  const char* axes;
  Shape sizes;
  std::vector<std::size_t> slots;
};
constexpr std::size_t batch_and_head = 4;  // instead of an axis: one axis that counts both

std::vector<Reading> readings(const Dims& d, Index rank, MaskKind kind) {
  const Reading query_key{"[n_q, n_k]", {d.n_q, d.n_k}, {2, 3}};
  const Reading batch_key{"[B, n_k]", {d.batch, d.n_k}, {0, 3}};
  const Reading per_batch{"[B, n_q, n_k]", {d.batch, d.n_q, d.n_k}, {0, 2, 3}};
  const Reading per_head{"[H, n_q, n_k]", {d.heads, d.n_q, d.n_k}, {1, 2, 3}};
  const Reading both{"[B·H, n_q, n_k]", {d.batch * d.heads, d.n_q, d.n_k}, {batch_and_head, 2, 3}};
  if (rank == 1) return {{"[n_k]", {d.n_k}, {3}}};
  if (rank == 2) {
    if (kind == MaskKind::key_padding) return {batch_key};
    if (kind == MaskKind::per_token) return {batch_key, query_key};
    return {query_key, batch_key};
  }
  if (rank == 3) {
    if (kind == MaskKind::torch_attn) return {both, per_batch, per_head};
    if (kind == MaskKind::bias) return {per_head, per_batch, both};
    return {per_batch, both, per_head};
  }
  if (rank == 4) return {{"[B, H, n_q, n_k]", {d.batch, d.heads, d.n_q, d.n_k}, {0, 1, 2, 3}}};
  return {};
}

Message expected_shapes(const Dims& d, MaskKind kind) {
  std::string text;
  for (const Index rank : {2, 3, 4}) {
    if (kind == MaskKind::key_padding && rank > 2) break;
    for (const Reading& reading : readings(d, rank, kind)) {
      text += (text.empty() ? "" : ", ") + std::string(reading.axes) + " = " + to_string(reading.sizes);
    }
  }
  return {kind == MaskKind::key_padding ? "expected {0}" : "expected {0}, any axis may be 1", text};
}

bool fits(const Shape& stored, const Shape& sizes) {
  return std::equal(stored.begin(), stored.end(), sizes.begin(), sizes.end(),
                    [](Index a, Index b) { return a == b || a == 1; });
}

/// Whether these are the axes of Swin's masks of shifted windows, [windows, n_q, n_k].
bool is_of_windows(const FileReading& r, const Dims& d, const Shape& s) {
  return s.size() == 3 && s[0] > 1 && d.batch % s[0] == 0 && s[1] == d.n_q && s[2] == d.n_k &&
         !r.find({"relative_position_bias_table"}).empty();
}

/// Reads such masks: in the batch, the windows of a picture follow each other.
std::optional<PlacedMask> mask_of_windows(const FileReading& r, const Dims& d, const std::string& name) {
  const Shape& found = r.file.arrays().find(name)->shape;
  if (!is_of_windows(r, d, found)) return {};
  const Tensor stored = r.load(name).contiguous();
  Buffer values;
  for (Index b = 0; b < d.batch; b += found[0])
    values.insert(values.end(), stored.values().begin(), stored.values().end());
  return PlacedMask{Tensor({d.batch, 1, d.n_q, d.n_k}, std::move(values)), "[windows, n_q, n_k]"};
}

/// Reads the array if its shape fits. Throws FileError with the shapes that fit.
PlacedMask placed_mask(const FileReading& r, const Dims& d, const std::string& name, MaskKind kind) {
  if (auto windows = mask_of_windows(r, d, name)) return std::move(*windows);
  const Shape& found = r.file.arrays().find(name)->shape;  // the shape is checked before the numbers are read
  for (const Reading& reading : readings(d, static_cast<Index>(found.size()), kind)) {
    if (!fits(found, reading.sizes)) continue;
    const Tensor stored = r.load(name);
    Shape shape(4, 1);
    for (std::size_t i = 0; i < reading.slots.size(); ++i) {
      const Index size = found[i];
      if (reading.slots[i] != batch_and_head) {
        shape[reading.slots[i]] = size;
      } else if (size != 1) {
        shape[0] = d.batch;
        shape[1] = d.heads;
      }
    }
    return {stored.view(shape), reading.axes};
  }
  r.fail(r.shape_of(name), expected_shapes(d, kind));
}

struct MaskName {
  const char* name;
  MaskKind kind;
  std::optional<bool> true_attends;  ///< unset: the name does not say it; --mask-polarity overrides it
  bool float_is_added = false;       ///< floating numbers are added to the scores, even if all are 0 or 1
  /// The sequence of these keys: "src", "tgt" or "memory" as in nn.Transformer's layers, "self": that of the queries.
  const char* of = "";
};

constexpr MaskName mask_names[] = {
    {"mask", MaskKind::plain, true},
    {"att_mask", MaskKind::plain, true},
    {"attention_mask", MaskKind::per_token, true},
    {"key_padding_mask", MaskKind::key_padding, false},
    {"padding_mask", MaskKind::key_padding, {}},
    {"pad_mask", MaskKind::key_padding, {}},
    {"attn_mask", MaskKind::torch_attn, {}, true},
    {"self_attn_mask", MaskKind::torch_attn, {}, true, "self"},
    {"self_attn_padding_mask", MaskKind::key_padding, false, false, "self"},
    {"src_key_padding_mask", MaskKind::key_padding, false, false, "src"},
    {"src_padding_mask", MaskKind::key_padding, false, false, "src"},
    {"src_mask", MaskKind::torch_attn, {}, true, "src"},
    {"tgt_key_padding_mask", MaskKind::key_padding, false, false, "tgt"},
    {"tgt_padding_mask", MaskKind::key_padding, false, false, "tgt"},
    {"tgt_mask", MaskKind::torch_attn, {}, true, "tgt"},
    {"memory_key_padding_mask", MaskKind::key_padding, false, false, "memory"},
    {"memory_padding_mask", MaskKind::key_padding, false, false, "memory"},
    {"memory_mask", MaskKind::torch_attn, {}, true, "memory"},
    {"encoder_attention_mask", MaskKind::per_token, true, false, "memory"},
    {"encoder_padding_mask", MaskKind::key_padding, false, false, "memory"},
    {"context_mask", MaskKind::per_token, true, false, "memory"},
};

template <typename Rule>
bool all_of(const Tensor& tensor, Rule rule) {
  return std::ranges::all_of(tensor.values(), rule);
}

bool is_binary(const Tensor& tensor) {
  return all_of(tensor, [](float v) { return v == 0 || v == 1; });
}

/// The first number of `tensor` that is neither 0 nor 1.
std::string odd_value(const Tensor& tensor) {
  const std::span<const float> values = tensor.values();
  return shortest(*std::find_if(values.begin(), values.end(), [](float v) { return v != 0 && v != 1; }));
}

/// Whether all numbers are 0 or so low that the weight becomes 0: an additive mask.
bool is_additive_mask(const Tensor& tensor) {
  constexpr float low = -1e4F;
  return all_of(tensor, [](float v) { return v == 0 || v <= low; });
}

/// Reads an additive mask: 1 where it is 0.
void read_additive_mask(MaskReading& m, const std::string& name, const PlacedMask& placed) {
  Buffer values;
  float lowest = 0, highest = -INFINITY;
  for (const float v : placed.tensor.values()) {
    values.push_back(v == 0 ? 1.0F : 0.0F);
    if (v != 0) lowest = std::min(lowest, v), highest = std::max(highest, v);
  }
  if (lowest == 0) {
    m.file.assume("mask", Message("{0} {1}: all 0, nothing is masked", name, placed.axes));
  } else {
    m.file.assume("mask",
                  Message("{0} {1}: 0 = may attend, {2} = may not attend", name, placed.axes, shortest(highest)));
    if (!m.masking.fill) m.masking.fill = highest;
  }
  m.restrict_to(Tensor(placed.tensor.shape(), std::move(values)), placed.tensor);
}

bool holds_array(const ArrayFile& file, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(file.entries(), [&](const ArrayEntry& entry) {
    std::string name = "." + entry.name;
    std::ranges::replace(name, '/', '.');
    return std::ranges::any_of(endings,
                               [&](std::string_view ending) { return name.ends_with("." + std::string(ending)); });
  });
}

/// Whether an attn_mask is nn.MultiheadAttention's, or that of F.scaled_dot_product_attention, which is saved beside
/// separate heads; unset if nothing says so. `beside`: the file of the mask.
std::optional<bool> is_for_module(const FileReading& r, const ArrayFile& beside) {
  for (const ArrayFile* file : {&r.file.arrays(), &beside}) {
    if (holds_array(*file, {"in_proj_weight", "out_proj.weight", "out_proj"})) return true;
  }
  if (find_heads(r.file.arrays()) || find_heads(beside)) return false;
  return {};
}

/// Whether true means "may attend" in a boolean mask whose name does not say it. In an attn_mask of
/// nn.MultiheadAttention it means the opposite.
bool unnamed_true_attends(const FileReading& r, const std::string& name, MaskKind kind, const ArrayFile& beside) {
  if (kind == MaskKind::key_padding)
    r.fail(Message("{0} does not say by its name whether true is a token or padding", in_quotes(name)),
           mask_polarity_is_open);
  if (const auto module = is_for_module(r, beside)) return !*module;
  r.fail(Message("{0} holds true and false, and nothing beside it says whether true may attend "
                 "(scaled_dot_product_attention) or "
                 "not (nn.MultiheadAttention)",
                 in_quotes(name)),
         mask_polarity_is_open);
}

void read_mask(MaskReading& m, const std::string& name, const MaskName& entry, const ArrayFile& beside) {
  const FileReading& r = m.file;
  m.taken.insert(name);
  // F.scaled_dot_product_attention broadcasts from the last axis, so that its first of three axes is the heads'.
  const bool of_heads = entry.kind == MaskKind::torch_attn && is_for_module(r, beside) == false;
  const PlacedMask placed = placed_mask(r, m.dims, name, of_heads ? MaskKind::bias : entry.kind);
  const bool binary = is_binary(placed.tensor);
  const bool floating = is_floating(r.file.arrays().find(name)->dtype);
  const MaskPolarity polarity = r.resolving.scenario.mask_polarity;
  const bool by_name = polarity == MaskPolarity::by_name;
  const bool none_raises = all_of(placed.tensor, [](float v) { return v <= 0; });
  const bool all_zero = none_raises && binary;
  const bool may_be_added =
      entry.float_is_added || entry.kind == MaskKind::per_token || entry.kind == MaskKind::key_padding;
  // A tokenizer's mask of 0 and 1 is [B, n_k]. With more axes, a mask of only 0 is additive: nothing is masked.
  const bool is_additive_zero = may_be_added && all_zero && by_name;
  if (floating && (is_additive_zero || (!binary && is_additive_mask(placed.tensor))))
    return read_additive_mask(m, name, placed);
  const bool per_table_added = entry.float_is_added || (may_be_added && !binary);
  if (floating && ((per_table_added && (by_name || !binary)) || (!binary && none_raises))) {
    r.assume("bias", Message("{0} {1}: floating, added to the scores", name, placed.axes));
    return m.add_bias(placed.tensor);
  }
  if (!binary)
    r.fail(Message("{0} holds {1}", in_quotes(name), odd_value(placed.tensor)), "expected 0 and 1 (or true and false)");
  const bool true_attends = !by_name             ? polarity == MaskPolarity::attend
                            : entry.true_attends ? *entry.true_attends
                                                 : unnamed_true_attends(r, name, entry.kind, beside);
  r.assume("mask",
           Message(true_attends ? (by_name ? "{0} {1}: true = may attend" : "{0} {1}: true = may attend, as set")
                   : by_name    ? "{0} {1}: true = may not attend"
                                : "{0} {1}: true = may not attend, as set",
                   name, placed.axes));
  if (true_attends) return m.restrict_to(placed.tensor);
  Buffer values;
  for (const float v : placed.tensor.values()) values.push_back(1 - v);
  m.restrict_to(Tensor(placed.tensor.shape(), std::move(values)));
}

/// Whether a mask of this sequence is the attention's. In a module that is not nn.Transformer's, one of "src" or "tgt"
/// is only where no mask of the other sequence stands beside it.
bool is_of_sequence(const FileReading& r, std::string_view sequence) {
  if (sequence.empty() || sequence == r.torch_sequence()) return true;
  if (sequence == "self") return r.torch_sequence() != "memory" && !attends_elsewhere(r);
  if (!r.torch_sequence().empty()) return false;
  if (sequence == "memory") return attends_elsewhere(r);
  const bool source = sequence == "src";
  return r.find({source ? "tgt_mask" : "src_mask"}).empty();
}

/// Whether the mask is of the queries' sequence, as a mask of the keys' sequence stands beside it.
bool is_of_queries(const FileReading& r, const MaskName& entry) {
  return entry.kind == MaskKind::per_token && *entry.of == '\0' && !r.find({"encoder_attention_mask"}).empty() &&
         attends_elsewhere(r);
}

/// The mask's name in the file: under the layer or at the top; in a module around the layer only where its shape fits,
/// since it may be another layer's.
std::string stored_mask(const FileReading& r, const Dims& dims, const MaskName& entry) {
  if (!is_of_sequence(r, entry.of) || is_of_queries(r, entry)) return {};
  if (std::string name = r.find({entry.name}); !name.empty()) return name;
  std::string around = r.find_around({entry.name});
  if (around.empty()) return {};
  const Shape& shape = r.file.arrays().find(around)->shape;
  if (is_of_windows(r, dims, shape)) return around;
  const auto all = readings(dims, static_cast<Index>(shape.size()), entry.kind);
  return std::ranges::any_of(all, [&](const Reading& reading) { return fits(shape, reading.sizes); }) ? around : "";
}

/// Uses the last run's tensors if they are equal.
Masking kept(Masking made, const Inputs* last) {
  if (!last) return made;
  made.file_mask = keep_if_equal(made.file_mask, last->file_mask);
  made.attn_bias = keep_if_equal(made.attn_bias, last->attn_bias);
  return made;
}

/// The only array of a file in which no name means a mask.
std::string only_array(const FileReading& r) {
  const std::span<const ArrayEntry> entries = r.file.arrays().entries();
  if (entries.size() == 1) return entries.front().name;
  const std::string names = comma_list(entries.first(std::min<std::size_t>(entries.size(), 8)),
                                       [](const ArrayEntry& entry) { return in_quotes(entry.name).english(); });
  r.fail(Message(entries.size() > 8 ? "holds several arrays, none of them a mask by its name ({0}, …)"
                                    : "holds several arrays, none of them a mask by its name ({0})",
                 names),
         "expected one array, or one that is called mask");
}

}  // namespace

void MaskReading::restrict_to(const Tensor& allowed, const Tensor& numbers) {
  Tensor& mask = masking.file_mask;
  mask = mask.defined() ? combined(mask, allowed, [](float a, float b) { return a * b; }) : allowed;
  if (numbers.defined()) added.push_back(numbers);
  else attend.push_back(allowed);
}

void MaskReading::restrict_to(const MaskExpression& rule) {
  masking.file_rule = masking.file_rule ? *masking.file_rule && rule : rule;
}

void MaskReading::add_bias(const Tensor& bias) {
  if (!all_of(bias, [](float v) { return !std::isnan(v); }))
    file.fail("its additive mask holds NaN", "expected numbers or -inf");
  Tensor& sum = masking.attn_bias;
  sum = sum.defined() ? combined(sum, bias, [](float a, float b) { return a + b; }) : bias;
}

// attn_bias, or the name of T5 and others in transformers, if it has the shape for these queries and keys.
std::string bias_name(const FileReading& r, const Dims& dims) {
  if (std::string name = stored_mask(r, dims, {"attn_bias", MaskKind::bias, {}}); !name.empty()) return name;
  if (const ArrayEntry* alibi = r.file.arrays().find(r.find({"alibi"})); alibi && alibi->shape.size() >= 3)  // BLOOM's
    return stored_mask(r, dims, {"alibi", MaskKind::bias, {}});
  const std::string name = r.find({"position_bias", "relative_position_bias"});
  if (name.empty()) return {};
  const Shape& shape = r.file.arrays().find(name)->shape;
  const bool fits_here =
      shape.size() >= 3 && shape.size() <= 4 && shape[shape.size() - 2] == dims.n_q && shape.back() == dims.n_k;
  return fits_here ? name : std::string();
}

Masking read_masks(const FileReading& r, const Dims& dims, Masking known) {
  MaskReading m{r, dims, std::move(known)};
  for (const MaskName& entry : mask_names) {
    std::string name = stored_mask(r, dims, entry);
    if (!name.empty() && is_causal_buffer(m, name))
      name = r.file.arrays().find(entry.name) && name != entry.name ? entry.name : "";  // a sequence has its own array
    if (!name.empty()) read_mask(m, name, entry, r.file.arrays());
  }
  if (const std::string name = bias_name(r, dims); !name.empty()) {
    const PlacedMask placed = placed_mask(r, dims, name, MaskKind::bias);
    if (is_additive_mask(placed.tensor) && !all_of(placed.tensor, [](float v) { return v == 0; })) {
      read_additive_mask(m, name, placed);
    } else {
      r.assume("bias", Message("{0} {1}: added to the scores", name, placed.axes));
      m.add_bias(placed.tensor);
    }
  }
  read_causal_buffer(m);
  add_fills_of_empty_rows(m);
  read_is_causal(m);
  read_valid_lens(m);
  read_documents(m);
  read_fill(m);
  note_replaced(m);
  return kept(std::move(m.masking), r.resolving.last);
}

void add_mask_file(const Resolving& resolving, Inputs& inputs) {
  inputs.mask_file =
      TensorFile::open_mask(resolving.scenario.mask_file, resolving.last ? resolving.last->mask_file : nullptr);
  const FileReading r{resolving, *inputs.mask_file, {}, inputs.assumptions};
  MaskReading m{r, inputs.dims, inputs};
  m.masking.file_mask = {};
  m.masking.file_rule.reset();
  const ArrayFile& beside = (inputs.file ? *inputs.file : r.file).arrays();
  bool found = false;
  for (const MaskName& entry : mask_names) {
    if (!r.file.arrays().find(entry.name)) continue;
    read_mask(m, entry.name, entry, beside);
    found = true;
  }
  if (!found) {
    const std::string name = only_array(r);
    read_mask(m, name, {name.c_str(), MaskKind::plain, true}, beside);
  }
  static_cast<Masking&>(inputs) = kept(std::move(m.masking), resolving.last);
}

}  // namespace headlight
