// Masks that are rules instead of matrices: a module's buffer for its longest sequence, is_causal, lengths, documents.

#include <algorithm>
#include <cmath>

#include "core/base/arrays/array_file.h"
#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/state_dict.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/lesson_markdown.h"

namespace headlight {
namespace {

/// A module's causal mask for its longest sequence, cut to these queries and keys.
struct Buffered {
  std::string name;
  Tensor attend;  ///< [1, 1, n_q, n_k]
  bool inverted = false;
};

/// Reads a stored square of 0 and 1 as a causal mask: ones on and below the diagonal, or ones above it where attention
/// is forbidden.
std::optional<Buffered> causal_buffer(const FileReading& r, const Dims& d, const std::string& name) {
  const ArrayEntry* entry = r.file.arrays().find(name);
  if (!entry || entry->shape.size() < 2) return {};
  const Shape& shape = entry->shape;
  const Index n = shape.back();
  if (shape[shape.size() - 2] != n || element_count(shape) != n * n || n < std::max(d.n_q, d.n_k) || n < 2) return {};
  const Tensor stored = r.load(name).view({n, n});
  const MatrixView cells = stored.matrix();
  const auto equals = [&](auto value) {
    for (Index q = 0; q < n; ++q) {
      for (Index k = 0; k < n; ++k) {
        if (cells(q, k) != value(q, k)) return false;
      }
    }
    return true;
  };
  const bool lower = equals([](Index q, Index k) { return k <= q ? 1.0F : 0.0F; });
  const bool upper = !lower && (equals([](Index q, Index k) { return k > q ? 1.0F : 0.0F; }) ||
                                equals([](Index q, Index k) { return k > q ? -INFINITY : 0.0F; }));
  if (!lower && !upper) return {};
  const Index before = std::max<Index>(0, d.n_k - d.n_q);  // the queries are the last ones of a cache
  const auto seen = [=](Index, Index q, Index k) { return k <= q + before ? 1.0F : 0.0F; };
  return Buffered{name, from_cells(1, d.n_q, d.n_k, seen), upper};
}

/// The ids as float32. Ids that are too large for float32 to distinguish are replaced by 0, 1, …, and `assumptions`
/// notes it: the documents stay separate.
Tensor document_ids(Shape shape, std::span<const double> ids, std::vector<Assumption>& assumptions) {
  constexpr double exact = 16777216;  // 2^24
  const bool large = std::ranges::any_of(ids, [](double id) { return std::abs(id) >= exact; });
  Buffer values(ids.size());
  std::ranges::transform(ids, values.begin(), [](double id) { return static_cast<float>(id); });
  if (large) {
    std::vector<double> all(ids.begin(), ids.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::ranges::transform(ids, values.begin(), [&](double id) {
      return static_cast<float>(std::ranges::lower_bound(all, id) - all.begin());
    });
    assumptions.push_back({"mask", "document ids from 16777216 on are numbered 0, 1, … in their order"});
  }
  return Tensor(std::move(shape), std::move(values));
}

}  // namespace

void read_causal_buffer(MaskReading& m) {
  const FileReading& r = m.file;
  std::vector<std::string> places{r.attention.prefix};
  const std::string& first = r.attention.q.modules.empty() ? std::string() : r.attention.q.modules.front().weight;
  if (const std::size_t dot = first.rfind('.', first.rfind('.') - 1); !first.empty() && dot != std::string::npos)
    places.push_back(first.substr(0, dot + 1));
  places.insert(places.end(), r.attention.around.begin(), r.attention.around.end());
  places.emplace_back();
  for (const std::string& place : places) {
    for (const char* name : {"bias", "tril", "mask", "causal_mask", "attn_mask", "masked", "triu"}) {
      const std::string full = place + name;
      if (full == r.attention.packed.bias || full == r.attention.o.bias || m.taken.contains(full)) continue;
      const std::optional<Buffered> found = causal_buffer(r, m.dims, full);
      if (!found) continue;
      r.assume("mask", Message(found->inverted ? "{0}: the module's causal mask, stored as what may not be attended to"
                                               : "{0}: the module's causal mask",
                               full));
      m.restrict_to(found->attend);
      for (const char* buffer_name : {"masked_bias", "IGNORE"}) {
        const auto value = r.number_beside({buffer_name});
        if (value && value->value < 0 && !m.masking.fill) m.masking.fill = static_cast<float>(value->value);
      }
      return;
    }
  }
}

bool is_causal_buffer(const MaskReading& m, const std::string& name) {
  const FileReading& r = m.file;
  const Dims& d = m.dims;
  const Shape& shape = r.file.arrays().find(name)->shape;
  const bool in_module = !r.attention.prefix.empty() && name.starts_with(r.attention.prefix);
  const bool weights = !r.attention.q.weight.empty() || r.attention.is_packed();
  // A module that was saved alone may have torch.triu(torch.ones(n, n), diagonal=1).
  const bool called_mask = name == "mask" || name.ends_with(".mask");
  if (weights && called_mask && is_floating(r.file.arrays().find(name)->dtype)) {
    const auto found = causal_buffer(r, d, name);
    if (found && found->inverted) return true;
  }
  const bool larger = shape.size() >= 2 && shape.back() > d.n_k && shape[shape.size() - 2] == shape.back();
  return (in_module || larger) && causal_buffer(r, d, name).has_value();
}

void read_is_causal(MaskReading& m) {
  const FileReading& r = m.file;
  const auto flag = r.own_number({"is_causal", "causal", "use_causal_mask"});
  if (!flag || flag->value == 0) return;
  r.assume("mask", Message("{0}: causal, aligned at the top left as scaled_dot_product_attention does", flag->name));
  m.restrict_to(MaskExpression::call("causal"));
}

void read_valid_lens(MaskReading& m) {
  const FileReading& r = m.file;
  const Dims& d = m.dims;
  std::string name = r.find({"valid_lens", "valid_len", "valid_length"});
  if (name.empty()) name = r.find_around({"valid_lens", "valid_len", "valid_length"});
  if (name.empty()) {  // these may also be the lengths of something else
    name = r.find({"lengths", "seq_lens", "seqlens", "seq_lengths", "src_lengths", "key_lengths", "input_lengths"});
    if (!name.empty() && r.file.arrays().find(name)->shape != Shape{d.batch}) return;
  }
  if (name.empty()) return;
  const Tensor lengths = r.load(name);
  if (lengths.shape() != Shape{d.batch} && lengths.shape() != Shape{d.batch, d.n_q}) {
    r.fail(r.shape_of(name),
           Message("expected [B] = {0} or [B, n_q] = {1}", to_string({d.batch}), to_string({d.batch, d.n_q})));
  }
  if (!std::ranges::all_of(lengths.values(), [](float v) { return v >= 0 && v == std::floor(v); })) {
    r.fail(Message("{0} holds a number that is no length", in_quotes(name)), "expected whole numbers, 0 or more");
  }
  m.masking.valid_lens = lengths;
  r.assume("mask", Message(lengths.rank() == 1 ? "{0} [B]: keys k < length may be attended to"
                                               : "{0} [B, n_q]: keys k < length may be attended to",
                           name));
}

void read_documents(MaskReading& m) {
  const FileReading& r = m.file;
  const Dims& d = m.dims;
  const std::string ends = r.find({"cu_seqlens", "cu_seqlens_q", "cu_seq_lens", "cu_seq_lens_q"});
  const std::string name =
      !ends.empty() ? ends : r.find({"document_ids", "doc_ids", "document_id", "sequence_ids", "segment_ids"});
  if (name.empty()) return;
  Tensor stored = r.load(name).contiguous();
  if (ends.empty()) stored = document_ids(stored.shape(), r.file.arrays().load_unrounded(name), r.assumptions);
  if (d.n_q != d.n_k)
    r.fail(Message("{0} says the documents of one sequence, but there are {1} queries and {2} keys", in_quotes(name),
                   d.n_q, d.n_k),
           "expected as many");
  const Index n = d.n_q;
  Tensor ids = stored;
  if (!ends.empty()) {
    const std::span<const float> at = stored.values();
    bool ascends = stored.rank() == 1 && at.size() >= 2 && at.front() == 0 && at.back() == static_cast<float>(n);
    for (std::size_t i = 1; ascends && i < at.size(); ++i) ascends = at[i] >= at[i - 1];
    if (!ascends)
      r.fail(Message("{0} is not where documents begin", in_quotes(name)),
             Message("expected [documents + 1] ascending numbers from 0 to {0}", n));
    Buffer of;
    for (Index i = 0; i < n; ++i)
      of.push_back(static_cast<float>(std::upper_bound(at.begin(), at.end(), static_cast<float>(i)) - at.begin()));
    ids = Tensor({n}, std::move(of));
  }
  if (ids.shape() != Shape{n} && ids.shape() != Shape{d.batch, n})
    r.fail(r.shape_of(name), Message("expected [n] = {0} or [B, n] = {1}", to_string({n}), to_string({d.batch, n})));
  const Index entries = ids.rank() == 2 ? d.batch : 1;
  m.masking.doc_ids = ids.view({entries, n});
  m.restrict_to(MaskExpression::parse("doc(q) == doc(k)"));
  r.assume("mask", Message(ends.empty() ? "{0}: tokens of the same id may attend to each other"
                                        : "{0}: tokens of one document may attend to each other",
                           name));
}

bool is_mask_file(const std::string& path, bool wanted) {
  const std::filesystem::path file = path_from(path);
  if (is_mask_name(file)) return true;
  if (!wanted || path.starts_with("lesson:") || file.extension() == ".json" || is_markdown(path)) return false;
  try {
    return find_attentions(*open_mask_arrays(file)).empty();
  } catch (const InputError&) { return false; }
}

Scenario with_mask_file(Scenario scenario, const std::string& path) {
  scenario.mask_file = path;
  const bool names_it = !scenario.mask.empty() && MaskExpression::parse(scenario.mask).calls("file");
  if (!names_it) scenario.mask = "file()";
  return scenario;
}

}  // namespace headlight
