// From the last block's output to the logits.
#include <cmath>

#include "core/attention/product.h"
#include "core/attention/projection.h"
#include "core/attention/softmax.h"
#include "core/network/forward.h"
#include "core/network/weights.h"

namespace headlight {
namespace {

/// [B, 1, d]: the mean of tokens [first, n).
Tensor mean_from(const Tensor& x, Index first) {
  const Index n = x.size(1), d = x.size(2);
  Buffer values;
  for (Index b = 0; b < x.size(0); ++b) {
    const MatrixView m = x.matrix(b);
    for (Index col = 0; col < d; ++col) {
      double sum = 0;
      for (Index row = first; row < n; ++row) sum += static_cast<double>(m(row, col));
      values.push_back(static_cast<float>(sum / static_cast<double>(n - first)));
    }
  }
  return Tensor({x.size(0), 1, d}, std::move(values));
}

/// [B, 1, d]: softmax(q kᵀ / √d_head) v in each head, of one query q [1, 1, d] and keys and values [B, n, d].
Tensor attended(const Tensor& query, const Tensor& keys, const Tensor& values, Index heads) {
  const Tensor q = split_heads(query, heads), k = split_heads(keys, heads);
  const Index batch = k.size(0), n = k.size(2);
  Buffer scores(static_cast<std::size_t>(batch * heads * n));
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h)
      product(q.matrix(0, h), transposed(k.matrix(b, h)), {scores.data() + (b * heads + h) * n, 1, n, n});
  }
  const double scale = 1 / std::sqrt(static_cast<double>(k.size(3)));
  const Tensor weights = softmax(times(Tensor({batch, heads, 1, n}, std::move(scores)), scale));
  return merge_heads(gather_values(weights, split_heads(values, heads)));
}

}  // namespace

/// [B, 1, …] of all tokens of a picture.
Tensor Forward::read_by_head(const Tensor& x) const {
  const HeadSpec& head = network_.spec().head;
  const auto token = [&](Index at) { return x.slice(1, at, 1).contiguous(); };
  switch (head.reads) {
    case HeadReads::first: return x;
    case HeadReads::first_two: return beside(token(0), token(1));
    case HeadReads::first_and_patches:
      return beside(token(0), mean_from(x, std::ssize(network_.spec().stacks.front().embedding.extra)));
    case HeadReads::pooled: break;
  }
  const PoolingSpec& pooling = *head.pooling;
  const Tensor query = through(checkpoint_.load(pooling.probe), pooling.q);
  const Tensor y = through(attended(query, through(x, pooling.k), through(x, pooling.v), pooling.heads), pooling.o);
  return plus(y, feed_forward(pooling.mlp, normed(y, pooling.norm)));
}

Tensor Forward::before_words(const Tensor& last) const {
  const NetworkSpec& spec = network_.spec();
  const Tensor x = read_by_head(through(normed(last, spec.stacks.back().final_norm), spec.stacks.back().projection));
  return normed(activate(through(x, spec.head.transform), spec.head.activation, workers_), spec.head.norm);
}

Tensor Forward::logits(const Tensor& last) const {
  const NetworkSpec& spec = network_.spec();
  if (!spec.head.output.there()) return {};
  const bool one = options_.logits == RunOptions::Logits::last && spec.head.reads == HeadReads::first;
  Tensor x = before_words(one ? last.slice(1, last.size(1) - 1, 1).contiguous() : last);
  if (spec.head.second.there()) {
    const Tensor first = x.slice(2, 0, spec.width).contiguous(),
                 second = x.slice(2, spec.width, spec.width).contiguous();
    x = times(plus(through(first, spec.head.output), through(second, spec.head.second)), 0.5);
  } else {
    x = times(through(x, spec.head.output), spec.head.scale);
  }
  if (!spec.head.softcap) return x;
  const double cap = *spec.head.softcap;
  return times(activate(times(x, 1 / cap), Activation::tanh, workers_), cap);
}

}  // namespace headlight
