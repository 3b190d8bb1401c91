#include "core/scenario/inputs/length_first.h"

namespace headlight {

bool is_torch_module(const FileReading& r) {
  return r.attention.packed.weight.ends_with("in_proj_weight") || r.attention.q.weight.ends_with("q_proj_weight");
}

namespace {

/// Whether the masks fit inputs that are stored as [n, B, d], as in nn.MultiheadAttention, and not as [B, n, d].
bool masks_say_length_first(const FileReading& r, const InputNames& names) {
  if (names.query.empty()) return false;
  const ArrayFile& file = r.file.arrays();
  const Shape &q = file.find(names.query)->shape, &k = file.find(names.key)->shape;
  if (q.size() != 3 || k.size() != 3) return false;
  bool any = false, length_first = true, batch_first = true;
  const auto compare = [&](const std::string& name, const Shape& by_length, const Shape& by_batch) {
    const ArrayEntry* mask = file.find(r.find({name.c_str()}));
    if (!mask || mask->shape.size() != 2) return;
    any = true;
    length_first = length_first && mask->shape == by_length;
    batch_first = batch_first && mask->shape == by_batch;
  };
  for (const std::string& of : {std::string(), std::string(r.torch_sequence()) + "_"}) {
    compare(of.empty() ? "attn_mask" : of + "mask", {q[0], k[0]}, {q[1], k[1]});
    compare(of + "key_padding_mask", {k[1], k[0]}, {k[0], k[1]});
  }
  return any && length_first && !batch_first;
}

/// Whether queries and keys of different lengths have only their second axis in common, as [n, B, d] have. Queries that
/// are stored once may be those of each batch entry.
bool lengths_say_length_first(const FileReading& r, const InputNames& names) {
  if (!is_torch_module(r) || names.query.empty()) return false;
  const ArrayFile& file = r.file.arrays();
  const Shape &q = file.find(names.query)->shape, &k = file.find(names.key)->shape;
  return q.size() == 3 && k.size() == 3 && q[0] != 1 && q[0] != k[0] && q[1] == k[1];
}

}  // namespace

const char* why_length_first(const FileReading& r, const InputNames& names) {
  if (const auto flag = r.own_number({"batch_first"}))
    return flag->value == 0 ? "[n, B, d], batch_first being false" : nullptr;
  if (masks_say_length_first(r, names)) return "[n, B, d], there being no batch_first and the masks fitting it";
  return lengths_say_length_first(r, names) ? "[n, B, d], there being no batch_first and the lengths fitting it"
                                            : nullptr;
}

}  // namespace headlight
