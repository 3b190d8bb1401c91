#include "core/models/architecture/linear_spec.h"

namespace headlight {

void split_packed(const LinearSpec& packed, Index groups, Index query_rows, Index key_rows, Projections& into) {
  into.q = into.k = into.v = packed;
  for (Index group = 0; group < groups; ++group) {
    const Index first = group * (query_rows + 2 * key_rows);
    into.q.rows.emplace_back(first, query_rows);
    into.k.rows.emplace_back(first + query_rows, key_rows);
    into.v.rows.emplace_back(first + query_rows + key_rows, key_rows);
  }
}

LinearSize linear_size(const Shape& s, WeightLayout layout) {
  switch (layout) {
    case WeightLayout::out_in: return {s[1], s[0]};
    case WeightLayout::in_out: return {s[0], s[1]};
    case WeightLayout::head_in_out: return {s[1], s[0] * s[2]};
    case WeightLayout::in_head_out: return {s[0], s[1] * s[2]};
    case WeightLayout::head_inner_out: return {s[0] * s[1], s[2]};
  }
  return {};
}

Tensor to_out_in(const Tensor& stored, WeightLayout layout) {
  const auto [in, out] = linear_size(stored.shape(), layout);
  switch (layout) {
    case WeightLayout::out_in: return stored;
    case WeightLayout::in_out: return stored.transpose(0, 1);
    case WeightLayout::head_in_out: return stored.transpose(1, 2).contiguous().view({out, in});
    case WeightLayout::in_head_out:
    case WeightLayout::head_inner_out: return stored.view({in, out}).transpose(0, 1);
  }
  return stored;
}

Tensor rows_of(const Tensor& whole, const RowBlocks& rows) {
  if (rows.empty()) return whole;
  if (rows.size() == 1) return whole.slice(0, rows.front().first, rows.front().second);
  std::vector<Tensor> parts;
  for (const auto& [first, count] : rows) parts.push_back(whole.slice(0, first, count));
  return joined(parts);
}

}  // namespace headlight
