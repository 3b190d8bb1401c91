// Masks, valid lengths and biases in a file: which name means what, over which axes, with which polarity.
#include <algorithm>
#include <cmath>

#include "core/files/error_place.h"
#include "core/mask/expression.h"
#include "core/scenario/file_source.h"
#include "core/scenario/scenario_rules.h"
#include "core/tensor/error.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

/// Which reading of a shape to try first, where more than one fits.
enum class Kind : std::uint8_t {
  plain,        ///< mask: [n_q, n_k] before [B, n_k]; [B, n_q, n_k] before [B·H, n_q, n_k] and [H, n_q, n_k]
  per_token,    ///< attention_mask: [B, n_k] first, as Hugging Face's tokenizers give it
  key_padding,  ///< key_padding_mask: [B, n_k] only
  torch_attn,   ///< attn_mask: [B·H, n_q, n_k] first
  bias,         ///< attn_bias: [H, n_q, n_k] first
};

struct MaskName {
  const char* name;
  Kind kind;
  bool true_attends;    ///< by the table; --mask-polarity overrides
  bool float_is_added;  ///< floating numbers are added to the scores, even if all are 0 or 1
};

constexpr MaskName mask_names[] = {
    {"mask", Kind::plain, true, false},
    {"att_mask", Kind::plain, true, false},
    {"attention_mask", Kind::per_token, true, false},
    {"key_padding_mask", Kind::key_padding, false, false},
    {"attn_mask", Kind::torch_attn, false, true},
};

/// One way to read a shape: what its axes are called, their sizes, and which of [B, H, n_q, n_k] each of them is.
struct Reading {
  const char* axes;
  Shape sizes;
  std::vector<std::size_t> slots;
};
constexpr std::size_t batch_and_head = 4;  // in place of a slot: one axis that counts both

std::vector<Reading> readings(const Dims& d, Index rank, Kind kind) {
  const Reading query_key{"[n_q, n_k]", {d.n_q, d.n_k}, {2, 3}};
  const Reading batch_key{"[B, n_k]", {d.batch, d.n_k}, {0, 3}};
  const Reading per_batch{"[B, n_q, n_k]", {d.batch, d.n_q, d.n_k}, {0, 2, 3}};
  const Reading per_head{"[H, n_q, n_k]", {d.heads, d.n_q, d.n_k}, {1, 2, 3}};
  const Reading both{"[B·H, n_q, n_k]", {d.batch * d.heads, d.n_q, d.n_k}, {batch_and_head, 2, 3}};
  if (rank == 1) return {{"[n_k]", {d.n_k}, {3}}};
  if (rank == 2) {
    if (kind == Kind::key_padding) return {batch_key};
    if (kind == Kind::per_token) return {batch_key, query_key};
    return {query_key, batch_key};
  }
  if (rank == 3) {
    if (kind == Kind::torch_attn) return {both, per_batch, per_head};
    if (kind == Kind::bias) return {per_head, per_batch, both};
    return {per_batch, both, per_head};
  }
  if (rank == 4) return {{"[B, H, n_q, n_k]", {d.batch, d.heads, d.n_q, d.n_k}, {0, 1, 2, 3}}};
  return {};
}

std::string expected_shapes(const Dims& d, Kind kind) {
  std::string text;
  for (const Index rank : {2, 3, 4}) {
    if (kind == Kind::key_padding && rank > 2) break;
    for (const Reading& reading : readings(d, rank, kind)) {
      text += (text.empty() ? "expected " : ", ") + std::string(reading.axes) + " = " + to_string(reading.sizes);
    }
  }
  return text + (kind == Kind::key_padding ? "" : ", any axis may be 1");
}

bool fits(const Shape& stored, const Shape& sizes) {
  return std::equal(stored.begin(), stored.end(), sizes.begin(), sizes.end(),
                    [](Index a, Index b) { return a == b || a == 1; });
}

struct Placed {
  Tensor tensor;  ///< [B|1, H|1, n_q|1, n_k|1]
  std::string axes;
};

Placed place(const FileReading& r, const std::string& name, Kind kind) {
  const Shape& found = r.file.arrays().find(name)->shape;  // nothing is read that does not fit
  const Dims& d = r.inputs.dims;
  for (const Reading& reading : readings(d, static_cast<Index>(found.size()), kind)) {
    if (!fits(found, reading.sizes)) continue;
    const Tensor stored = r.file.load(name);
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

bool is_floating(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

template <typename Rule>
bool all_of(const Tensor& tensor, Rule rule) {
  const std::span<const float> values = tensor.values();
  return std::all_of(values.begin(), values.end(), rule);
}

bool is_binary(const Tensor& tensor) {
  return all_of(tensor, [](float v) { return v == 0 || v == 1; });
}

template <typename Combine>
Tensor combined(const Tensor& a, const Tensor& b, Combine combine) {
  Shape shape(4);
  for (std::size_t i = 0; i < 4; ++i) shape[i] = std::max(a.shape()[i], b.shape()[i]);
  const Tensor left = a.expand(shape).contiguous();
  const Tensor right = b.expand(shape).contiguous();
  Buffer values(left.values().begin(), left.values().end());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(values[i], right.values()[i]);
  return Tensor(std::move(shape), std::move(values));
}

void add_bias(const FileReading& r, const Tensor& bias) {
  if (!all_of(bias, [](float v) { return !std::isnan(v); }))
    r.fail("its additive mask holds NaN", "expected numbers or -inf");
  Tensor& sum = r.inputs.bias;
  sum = sum.defined() ? combined(sum, bias, [](float a, float b) { return a + b; }) : bias;
}

void restrict_mask(const FileReading& r, const Tensor& attend) {
  Tensor& mask = r.inputs.file_mask;
  mask = mask.defined() ? combined(mask, attend, [](float a, float b) { return a * b; }) : attend;
}

/// The first number of `tensor` that is neither 0 nor 1.
std::string odd_value(const Tensor& tensor) {
  const std::span<const float> values = tensor.values();
  return shortest(*std::find_if(values.begin(), values.end(), [](float v) { return v != 0 && v != 1; }));
}

/// Numbers to be added of which each is 0 or so low that nothing is left of its weight: a mask.
bool is_additive_mask(const Tensor& tensor) {
  constexpr float low = -1e4F;
  return all_of(tensor, [](float v) { return v == 0 || v <= low; });
}

/// A mask that was to be added: 1 where 0 was.
void read_additive_mask(const FileReading& r, const std::string& name, const Placed& placed) {
  Buffer values;
  float lowest = 0, highest = -INFINITY;
  for (const float v : placed.tensor.values()) {
    values.push_back(v == 0 ? 1.0F : 0.0F);
    if (v != 0) lowest = std::min(lowest, v), highest = std::max(highest, v);
  }
  if (lowest == 0) {
    r.assume("mask", name + " " + placed.axes + ": all 0, nothing is masked");
  } else {
    r.assume("mask", name + " " + placed.axes + ": 0 = may attend, " + shortest(highest) + " = may not attend");
    if (!r.inputs.fill) r.inputs.fill = highest;
  }
  restrict_mask(r, Tensor(placed.tensor.shape(), std::move(values)));
}

void read_mask(const FileReading& r, const std::string& name, const MaskName& entry) {
  const Placed placed = place(r, name, entry.kind);
  const bool binary = is_binary(placed.tensor);
  const bool floating = is_floating(r.file.arrays().find(name)->dtype);
  const MaskPolarity polarity = r.resolving.scenario.mask_polarity;
  const bool by_name = polarity == MaskPolarity::by_name;
  const bool none_raises = all_of(placed.tensor, [](float v) { return v <= 0; });
  const bool all_zero = none_raises && binary;
  const bool may_be_added = entry.float_is_added || entry.kind == Kind::per_token || entry.kind == Kind::key_padding;
  // A tokenizer's own mask of 0 and 1 is [B, n_k]; of more axes, 0 is what is added where nothing is masked.
  const bool zero_adds = may_be_added && all_zero && by_name;
  if (floating && (zero_adds || (!binary && is_additive_mask(placed.tensor)))) return read_additive_mask(r, name, placed);
  const bool per_table_added = entry.float_is_added || (may_be_added && !binary);
  if (floating && ((per_table_added && (by_name || !binary)) || (!binary && none_raises))) {
    r.assume("bias", name + " " + placed.axes + ": floating, added to the scores");
    return add_bias(r, placed.tensor);
  }
  if (!binary) r.fail(in_quotes(name) + " holds " + odd_value(placed.tensor), "expected 0 and 1 (or true and false)");
  const bool true_attends = by_name ? entry.true_attends : polarity == MaskPolarity::attend;
  r.assume("mask", name + " " + placed.axes + (true_attends ? ": true = may attend" : ": true = may not attend") +
                       (by_name ? "" : ", as set"));
  if (true_attends) return restrict_mask(r, placed.tensor);
  Buffer values;
  for (const float v : placed.tensor.values()) values.push_back(1 - v);
  restrict_mask(r, Tensor(placed.tensor.shape(), std::move(values)));
}

/// A causal mask that a module keeps for its longest sequence: the part of it that these queries and keys have.
struct Buffered {
  std::string name;
  Tensor attend;  ///< [1, 1, n_q, n_k]
  bool inverted = false;
};

/// The stored square of 0 and 1 as a causal mask: ones on and below the diagonal, or where attention is forbidden, above it.
std::optional<Buffered> causal_buffer(const FileReading& r, const std::string& name) {
  const ArrayEntry* entry = r.file.arrays().find(name);
  const Dims& d = r.inputs.dims;
  if (!entry || entry->shape.size() < 2) return {};
  const Shape& shape = entry->shape;
  const Index n = shape.back();
  if (shape[shape.size() - 2] != n || element_count(shape) != n * n || n < std::max(d.n_q, d.n_k) || n < 2) return {};
  const Tensor stored = r.file.load(name).view({n, n});
  const MatrixView cells = stored.matrix();
  const auto stands = [&](auto value) {
    for (Index q = 0; q < n; ++q) {
      for (Index k = 0; k < n; ++k) {
        if (cells(q, k) != value(q, k)) return false;
      }
    }
    return true;
  };
  const bool lower = stands([](Index q, Index k) { return k <= q ? 1.0F : 0.0F; });
  const bool upper = !lower && (stands([](Index q, Index k) { return k > q ? 1.0F : 0.0F; }) || stands([](Index q, Index k) { return k > q ? -INFINITY : 0.0F; }));
  if (!lower && !upper) return {};
  Buffer values;
  for (Index q = 0; q < d.n_q; ++q) {
    const Index row = d.n_k > d.n_q ? q + d.n_k - d.n_q : q;  // later queries of a cache
    for (Index k = 0; k < d.n_k; ++k) values.push_back(k <= row ? 1.0F : 0.0F);
  }
  return Buffered{name, Tensor({1, 1, d.n_q, d.n_k}, std::move(values)), upper};
}

/// GPT-2's attn.bias, minGPT's and nanoGPT's; tril and mask of teaching code, of which the head's modules have one each.
void read_causal_buffer(const FileReading& r) {
  std::vector<std::string> places{r.keys.prefix};
  const std::string& first = r.keys.q.heads.empty() ? std::string() : r.keys.q.heads.front().weight;
  if (const std::size_t dot = first.rfind('.', first.rfind('.') - 1); !first.empty() && dot != std::string::npos) places.push_back(first.substr(0, dot + 1));
  for (const std::string& place : places) {
    for (const char* name : {"bias", "tril", "mask", "causal_mask", "attn_mask", "masked", "triu"}) {
      const std::string full = place + name;
      if (full == r.keys.packed.bias || full == r.keys.o.bias) continue;
      const std::optional<Buffered> found = causal_buffer(r, full);
      if (!found) continue;
      r.assume("mask", full + ": the module's causal mask" + (found->inverted ? ", stored as what may not be attended to" : ""));
      restrict_mask(r, found->attend);
      for (const char* said : {"masked_bias", "IGNORE"}) {
        const auto value = r.own_number({said});
        if (value && value->value < 0 && !r.inputs.fill) r.inputs.fill = static_cast<float>(value->value);
      }
      return;
    }
  }
}

/// A mask of the module's own longest sequence, and no sequence's.
bool is_buffer(const FileReading& r, const std::string& name) {
  const Shape& shape = r.file.arrays().find(name)->shape;
  const Dims& d = r.inputs.dims;
  const bool in_module = !r.keys.prefix.empty() && name.starts_with(r.keys.prefix);
  const bool weights = !r.keys.q.weight.empty() || r.keys.is_packed();
  if (weights && name == "mask" && is_floating(r.file.arrays().find(name)->dtype)) {  // torch.triu(torch.ones(n, n), diagonal=1) of a module saved alone
    const auto found = causal_buffer(r, name);
    if (found && found->inverted) return true;
  }
  const bool larger = shape.size() >= 2 && shape.back() > d.n_k && shape[shape.size() - 2] == shape.back();
  return (in_module || larger) && causal_buffer(r, name).has_value();
}

void read_is_causal(const FileReading& r) {
  const auto flag = r.own_number({"is_causal", "causal"});
  if (!flag || flag->value == 0) return;
  const Dims& d = r.inputs.dims;
  Buffer values;
  for (Index q = 0; q < d.n_q; ++q) {
    for (Index k = 0; k < d.n_k; ++k) values.push_back(k <= q ? 1.0F : 0.0F);
  }
  r.assume("mask", flag->name + ": causal, aligned at the top left as scaled_dot_product_attention does");
  restrict_mask(r, Tensor({1, 1, d.n_q, d.n_k}, std::move(values)));
}

/// What --mask leaves out of the file's own.
void note_replaced(const FileReading& r) {
  const Scenario& s = r.resolving.scenario;
  const Inputs& in = r.inputs;
  if (s.mask.empty() || !s.mask_file.empty() || (!in.file_mask.defined() && !in.valid_lens.defined())) return;
  try {
    const MaskExpression expression = MaskExpression::parse(s.mask);
    if (in.file_mask.defined() && !expression.calls("file")) r.assume("mask", "--mask replaces the file's; \"… && file()\" keeps it");
    if (in.valid_lens.defined() && !expression.calls("padding")) r.assume("mask", "--mask replaces the valid lengths; \"… && padding()\" keeps them");
  } catch (const ExpressionError&) {
    // said where the mask is computed
  }
}

void read_valid_lens(const FileReading& r) {
  const std::string name = r.find({"valid_lens", "valid_len", "valid_length"});
  if (name.empty()) return;
  const Tensor lengths = r.file.load(name);
  const Dims& d = r.inputs.dims;
  if (lengths.shape() != Shape{d.batch} && lengths.shape() != Shape{d.batch, d.n_q}) {
    r.fail(r.shape_of(name),
           "expected [B] = " + to_string({d.batch}) + " or [B, n_q] = " + to_string({d.batch, d.n_q}));
  }
  if (!all_of(lengths, [](float v) { return v >= 0 && v == std::floor(v); })) {
    r.fail(in_quotes(name) + " holds a number that is no length", "expected whole numbers, 0 or more");
  }
  r.inputs.valid_lens = lengths;
  r.assume("mask", name + (lengths.rank() == 1 ? " [B]" : " [B, n_q]") + ": keys k < length may be attended to");
}

/// Packed sequences: cu_seqlens [documents + 1], where each begins and the last ends, or an id for each token, [n] or [B, n].
/// Tokens of one document see each other.
void read_documents(const FileReading& r) {
  const Dims& d = r.inputs.dims;
  const std::string ends = r.find({"cu_seqlens", "cu_seqlens_q", "cu_seq_lens", "cu_seq_lens_q"});
  const std::string name = !ends.empty() ? ends : r.find({"document_ids", "doc_ids", "document_id", "sequence_ids", "segment_ids"});
  if (name.empty()) return;
  const Tensor stored = r.file.load(name).contiguous();
  if (d.n_q != d.n_k) r.fail(in_quotes(name) + " says the documents of one sequence, but there are " + std::to_string(d.n_q) + " queries and " + std::to_string(d.n_k) + " keys", "expected as many");
  const Index n = d.n_q;
  Tensor ids = stored;
  if (!ends.empty()) {
    const std::span<const float> at = stored.values();
    bool ascends = stored.rank() == 1 && at.size() >= 2 && at.front() == 0 && at.back() == static_cast<float>(n);
    for (std::size_t i = 1; ascends && i < at.size(); ++i) ascends = at[i] >= at[i - 1];
    if (!ascends) r.fail(in_quotes(name) + " is not where documents begin", "expected [documents + 1] ascending numbers from 0 to " + std::to_string(n));
    Buffer of;
    for (Index i = 0; i < n; ++i) of.push_back(static_cast<float>(std::upper_bound(at.begin(), at.end(), static_cast<float>(i)) - at.begin()));
    ids = Tensor({n}, std::move(of));
  }
  if (ids.shape() != Shape{n} && ids.shape() != Shape{d.batch, n}) r.fail(r.shape_of(name), "expected [n] = " + to_string({n}) + " or [B, n] = " + to_string({d.batch, n}));
  const Index entries = ids.rank() == 2 ? d.batch : 1;
  r.inputs.doc_ids = ids.view({entries, n});
  Buffer values;
  for (Index b = 0; b < entries; ++b) {
    const std::span<const float> of = ids.values().subspan(static_cast<std::size_t>(b * n), static_cast<std::size_t>(n));
    for (const float q : of) {
      for (const float k : of) values.push_back(q == k ? 1.0F : 0.0F);
    }
  }
  restrict_mask(r, Tensor({entries, 1, n, n}, std::move(values)));
  r.assume("mask", name + (ends.empty() ? ": tokens of the same id may attend to each other" : ": tokens of one document may attend to each other"));
}

void read_fill(const FileReading& r) {
  const Inputs& in = r.inputs;
  const auto number = r.own_number({"mask_fill", "mask_value"});
  if (number) {
    const auto fill = static_cast<float>(number->value);
    if (std::isnan(fill) || fill == INFINITY)
      r.fail(in_quotes(number->name) + " is " + shortest(fill), "expected a finite number or -inf");
    r.inputs.fill = fill;
  }
  if (r.resolving.scenario.fill) {
    r.assume("fill", shortest(*r.resolving.scenario.fill) + " as set");
  } else if (number) {
    r.assume("fill", shortest(*in.fill) + " (" + number->name + ")");
  } else if (in.fill) {
    r.assume("fill", shortest(*in.fill) + ", the file's own");
  } else if (in.file_mask.defined() || in.valid_lens.defined()) {
    r.assume("fill", "-inf, there being no mask_fill");
  }
}

void keep_last(const FileReading& r) {
  const Inputs* last = r.resolving.last;
  if (!last) return;
  r.inputs.file_mask = keep_if_equal(r.inputs.file_mask, last->file_mask);
  r.inputs.bias = keep_if_equal(r.inputs.bias, last->bias);
}

/// The array of a file that names none of its arrays a mask.
std::string only_array(const FileReading& r) {
  const std::span<const ArrayEntry> entries = r.file.arrays().entries();
  if (entries.size() == 1) return entries.front().name;
  std::string names;
  for (const ArrayEntry& entry : entries.first(std::min<std::size_t>(entries.size(), 8))) {
    names += (names.empty() ? "" : ", ") + in_quotes(entry.name);
  }
  r.fail("holds several arrays, none of them a mask by its name (" + names + (entries.size() > 8 ? ", …" : "") + ")",
         "expected one array, or one that is called mask");
}

/// attn_bias, or what T5 and others call it in Hugging Face's library, where that is of these queries and keys.
std::string bias_name(const FileReading& r) {
  if (const std::string name = r.find({"attn_bias"}); !name.empty()) return name;
  const std::string name = r.find({"position_bias", "relative_position_bias"});
  if (name.empty()) return {};
  const Shape& shape = r.file.arrays().find(name)->shape;
  const bool fits_here = shape.size() >= 3 && shape.size() <= 4 && shape[shape.size() - 2] == r.inputs.dims.n_q && shape.back() == r.inputs.dims.n_k;
  return fits_here ? name : std::string();
}

}  // namespace

void read_masks(const FileReading& r) {
  for (const MaskName& entry : mask_names) {
    std::string name = r.find({entry.name});
    if (!name.empty() && is_buffer(r, name)) name = r.file.arrays().find(entry.name) && name != entry.name ? entry.name : "";  // a sequence's own beside it
    if (!name.empty()) read_mask(r, name, entry);
  }
  if (const std::string name = bias_name(r); !name.empty()) {
    const Placed placed = place(r, name, Kind::bias);
    if (is_additive_mask(placed.tensor) && !all_of(placed.tensor, [](float v) { return v == 0; })) {
      read_additive_mask(r, name, placed);
    } else {
      r.assume("bias", name + " " + placed.axes + ": added to the scores");
      add_bias(r, placed.tensor);
    }
  }
  read_causal_buffer(r);
  read_is_causal(r);
  read_valid_lens(r);
  read_documents(r);
  read_fill(r);
  note_replaced(r);
  keep_last(r);
}

void read_mask_file(const Resolving& resolving, Inputs& inputs) {
  const std::string& path = resolving.scenario.mask_file;
  inputs.mask_file = TensorFile::open_mask(path, resolving.last ? resolving.last->mask_file : nullptr);
  const FileReading r{resolving, *inputs.mask_file, {}, inputs};
  inputs.file_mask = {};
  bool found = false;
  for (const MaskName& entry : mask_names) {
    if (!r.file.arrays().find(entry.name)) continue;
    read_mask(r, entry.name, entry);
    found = true;
  }
  if (!found) {
    const std::string name = only_array(r);
    read_mask(r, name, {name.c_str(), Kind::plain, true, false});
  }
  keep_last(r);
}

}  // namespace headlight
