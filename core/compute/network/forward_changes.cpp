#include <algorithm>
#include <iterator>
#include <limits>

#include "core/compute/network/forward.h"

namespace headlight {
namespace {

/// x [B, n, d] or [B, H, n, d], with the position or the head `at` copied from `other`.
Tensor with_rows(const Tensor& x, const Tensor& other, Index at) {
  const Tensor own = x.contiguous(), from = other.contiguous();
  Buffer values(own.values().begin(), own.values().end());
  const bool heads = x.rank() == 4;
  const Index width = heads ? x.size(2) * x.size(3) : x.size(2), rows = x.size(1);
  for (Index b = 0; b < x.size(0); ++b) {
    const Index first = (b * rows + at) * width, source_first = ((b % from.size(0)) * rows + at) * width;
    std::copy_n(from.values().begin() + source_first, width, values.begin() + first);
  }
  return Tensor(x.shape(), std::move(values));
}

/// Overwrites head `head` in the batch entries [first, end) of x [B, H, n, d]: each position gets this head's row of
/// `means` [H, d], or 0 without means.
void put_head(Buffer& x, const Shape& shape, Index head, Index first, Index end, const Tensor* means) {
  const Index d = shape[3], head_size = shape[2] * d;
  const Tensor rows = means ? means->contiguous() : Tensor();
  for (Index b = first; b < end; ++b) {
    const auto to = x.begin() + (b * shape[1] + head) * head_size;
    if (!means) std::fill_n(to, head_size, 0.0F);
    else
      for (Index q = 0; q < shape[2]; ++q) std::copy_n(rows.values().begin() + head * d, d, to + q * d);
  }
}

/// The numbers of x, repeated `times` times along the batch axis.
Buffer values_repeated(const Tensor& x, Index times) {
  const Tensor packed = x.contiguous();
  Buffer values;
  values.reserve(static_cast<std::size_t>(x.count() * times));
  for (Index i = 0; i < times; ++i) values.insert(values.end(), packed.values().begin(), packed.values().end());
  return values;
}

Tensor repeated(const Tensor& x, Index times) {
  if (!x.defined() || times == 1) return x;
  Shape shape = x.shape();
  shape[0] *= times;
  return Tensor(std::move(shape), values_repeated(x, times));
}

TokenBatch repeated(const TokenBatch& tokens, Index times) {
  TokenBatch all;
  for (Index i = 0; i < times; ++i) {
    all.entries.insert(all.entries.end(), tokens.entries.begin(), tokens.entries.end());
    all.lengths.insert(all.lengths.end(), tokens.lengths.begin(), tokens.lengths.end());
  }
  return all;
}

}  // namespace

Tensor Forward::heads_apart() const {
  const auto [layer, first, count] = *options_.apart;
  const Tensor& heads = options_.from->layers[static_cast<std::size_t>(layer)].heads;
  const Index batch = heads.size(0);
  Shape shape = heads.shape();
  shape[0] *= count;
  Buffer values = values_repeated(heads, count);
  for (Index i = 0; i < count; ++i)
    put_head(values, shape, first + i, i * batch, (i + 1) * batch,
             options_.means ? &(*options_.means)[static_cast<std::size_t>(layer)] : nullptr);
  return Tensor(std::move(shape), std::move(values));
}

Tensor Forward::with_means(Tensor x, Index layer, const KnockOut& out) const {
  if (!options_.means) return x;
  Buffer values;
  const Shape shape = x.shape();
  for (const auto& [silent_layer, head] : out) {
    if (silent_layer != layer) continue;
    if (values.empty()) {
      const Tensor packed = x.contiguous();
      values.assign(packed.values().begin(), packed.values().end());
    }
    put_head(values, shape, head, 0, shape[0], &(*options_.means)[static_cast<std::size_t>(layer)]);
  }
  return values.empty() ? x : Tensor(shape, std::move(values));
}

Tensor Forward::patched(Tensor x, Patch::What what, Index layer) const {
  for (const Patch& patch : options_.patches) {
    if (patch.what != what || patch.layer != layer) continue;
    const LayerRun& other = options_.patched_with->layers[static_cast<std::size_t>(layer)];
    x = with_rows(x,
                  what == Patch::What::residual ? other.residual
                  : what == Patch::What::mlp    ? other.mlp
                                                : other.heads,
                  patch.at);
  }
  return x;
}

Forward::Place Forward::place_of(Index layer) const {
  const NetworkLayer& at = network_.layer(layer);
  return {at.stack, at.block};
}

Forward::Place Forward::begin(const NetworkRun& run) const {
  if (options_.from == nullptr) return {};
  Place first{std::numeric_limits<Index>::max(), 0};
  for (const auto& change : {run.change, options_.from->change}) {
    if (change) first = std::min(first, place_of(change->layer));
  }
  for (const Patch& patch : options_.patches) first = std::min(first, place_of(patch.layer));
  if (options_.apart) first = std::min(first, place_of(options_.apart->layer));
  std::vector<KnockOut::value_type> differing;
  std::ranges::set_symmetric_difference(run.knock_out, options_.from->knock_out, std::back_inserter(differing));
  for (const auto& [layer, head] : differing) first = std::min(first, place_of(layer));
  return first;
}

void Forward::take_over(NetworkRun& run) const {
  run.layers.assign(network_.layers().size(), {});
  if (options_.from == nullptr) return;
  const Place first = begin(run);
  const Index times = options_.apart ? options_.apart->count : 1;
  if (options_.apart) {
    run.text.tokens = repeated(run.text.tokens, times);
    run.text.decoder = repeated(run.text.decoder, times);
  }
  for (std::size_t layer = 0; layer < run.layers.size(); ++layer) {
    const LayerRun& other = options_.from->layers[layer];
    if (place_of(static_cast<Index>(layer)) < first && times == 1) run.layers[layer] = other;
    // The first changed block gets the same input as before.
    else if (place_of(static_cast<Index>(layer)) == first) run.layers[layer].residual = repeated(other.residual, times);
  }
  if (first.stack > 0) run.encoded = repeated(options_.from->encoded, times);
}

}  // namespace headlight
