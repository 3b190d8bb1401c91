#include "core/network/weights.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

/// Rows of [out, …] under each other; a view where they are one stretch.
Tensor rows_of(const Tensor& whole, const std::vector<std::pair<Index, Index>>& rows) {
  if (rows.empty()) return whole;
  if (rows.size() == 1) return whole.slice(0, rows.front().first, rows.front().second);
  Buffer values;
  Shape shape = whole.shape();
  shape[0] = 0;
  for (const auto& [first, count] : rows) {
    const Tensor part = whole.slice(0, first, count).contiguous();
    values.insert(values.end(), part.values().begin(), part.values().end());
    shape[0] += count;
  }
  return Tensor(shape, std::move(values));
}

}  // namespace

Linear read_linear(const Checkpoint& checkpoint, const LinearSpec& spec) {
  Linear linear;
  if (!spec.there()) return linear;
  const Tensor stored = checkpoint.load(spec.weight);
  linear.weight = rows_of(spec.in_out ? stored.transpose(0, 1) : stored, spec.rows);
  if (!spec.bias.empty()) linear.bias = rows_of(checkpoint.load(spec.bias), spec.rows);
  return linear;
}

Norm read_norm(const Checkpoint& checkpoint, const NormSpec& spec) {
  Norm norm{spec.kind, {}, {}, spec.epsilon};
  if (!spec.weight.empty()) norm.weight = checkpoint.load(spec.weight);
  if (!spec.bias.empty()) norm.bias = checkpoint.load(spec.bias);
  if (spec.plus_one && norm.weight.defined()) {
    Buffer values(norm.weight.values().begin(), norm.weight.values().end());
    for (float& value : values) value += 1;
    norm.weight = Tensor(norm.weight.shape(), std::move(values));
  }
  return norm;
}

Index relative_bucket(Index distance, const RelativeSpec& spec) {
  const Index buckets = spec.bidirectional ? spec.buckets / 2 : spec.buckets;
  const Index first = spec.bidirectional && distance > 0 ? buckets : 0;
  const Index apart = spec.bidirectional ? std::abs(distance) : std::max<Index>(0, -distance);
  const Index exact = buckets / 2;
  if (apart < exact) return first + apart;
  // log2 is exact at powers of two, where the buckets' borders lie.
  const double growth = std::log2(static_cast<double>(apart) / static_cast<double>(exact)) /
                        std::log2(static_cast<double>(spec.furthest) / static_cast<double>(exact));
  return first + std::min(exact + static_cast<Index>(growth * static_cast<double>(buckets - exact)), buckets - 1);
}

Tensor relative_bias(const Checkpoint& checkpoint, const RelativeSpec& spec, Index n_q, Index n_k) {
  const Tensor table = checkpoint.load(spec.table);
  const Index heads = table.size(1);
  Buffer values;
  values.reserve(static_cast<std::size_t>(heads * n_q * n_k));
  for (Index h = 0; h < heads; ++h) {
    for (Index q = 0; q < n_q; ++q) {
      for (Index k = 0; k < n_k; ++k) values.push_back(table.at({relative_bucket(k - q, spec), h}));
    }
  }
  return Tensor({1, heads, n_q, n_k}, std::move(values));
}

}  // namespace headlight
