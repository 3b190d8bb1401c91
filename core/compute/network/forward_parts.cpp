// What a pass computes besides attention: embeddings, MLPs, and the logits from the last block's output.

#include <algorithm>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/compute/attention/product.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/network/forward.h"
#include "core/compute/network/layers.h"
#include "core/compute/network/pictures.h"
#include "core/compute/network/weights.h"
#include "core/models/architecture/checkpoint.h"
#include "core/rules/position/sinusoids.h"

namespace headlight {

Forward::EmbeddingParts Forward::picture_parts(const EmbeddingSpec& spec, const Tensor& pixels) const {
  const Index patch = network_.spec().picture->patch, batch = pixels.size(0);
  Linear linear = read_linear(checkpoint_, spec.patches);
  linear.weight = linear.weight.view({linear.weight.size(0), linear.weight.count() / linear.weight.size(0)});
  const Tensor patches = project(patches_of(pixels, patch), linear.weight, linear.bias, workers_).contiguous();
  const Index width = patches.size(2), extra = std::ssize(spec.extra), count = extra + patches.size(1);
  Buffer words, places(static_cast<std::size_t>(count * width), 0.0F);
  for (Index b = 0; b < batch; ++b) {
    for (const ExtraToken& token : spec.extra) {
      const Tensor row = checkpoint_.load(token.array);
      const auto values = row.values().subspan(static_cast<std::size_t>(token.row * width));
      words.insert(words.end(), values.begin(), values.begin() + width);
    }
    const auto values = patches.values().subspan(static_cast<std::size_t>(b * patches.size(1) * width));
    words.insert(words.end(), values.begin(), values.begin() + patches.size(1) * width);
  }
  EmbeddingParts parts{Tensor({batch, count, width}, std::move(words)), {}};
  if (spec.position_kind == PositionKind::none) return parts;
  Tensor table = checkpoint_.load(spec.positions);
  if (const PictureSpec& picture = *network_.spec().picture;
      picture.table_rows > 0 && (picture.table_rows != picture.rows || picture.table_columns != picture.columns))
    table = resampled_positions(table, std::ranges::count(spec.extra, true, &ExtraToken::has_position), picture);
  auto from = table.values().begin();
  for (Index i = 0; i < count; ++i) {
    if (i < extra && !spec.extra[static_cast<std::size_t>(i)].has_position) continue;
    std::copy_n(from, width, places.begin() + i * width);
    from += width;
  }
  parts.places = Tensor({1, count, width}, std::move(places)).expand({batch, count, width});
  return parts;
}

Forward::EmbeddingParts Forward::embedding_parts(const StackSpec& stack, const NetworkText& text, Index first) const {
  const EmbeddingSpec& spec = stack.embedding;
  if (spec.patches.there()) return picture_parts(spec, text.pixels);
  const TokenBatch& tokens = &stack == &network_.spec().stacks.front() ? text.tokens : text.decoder;
  const Index end = tokens.count(), count = end - first;
  if (spec.most_positions > 0 && end > spec.most_positions) {
    throw SettingError(
        "--text", Message("has {0} tokens", end),
        Message("expected at most {0}, the positions that {1} has", spec.most_positions, network_.file()));
  }
  std::vector<Index> ids;
  for (const std::vector<Token>& entry : tokens.entries) {
    for (auto i = static_cast<std::size_t>(first); i < entry.size(); ++i) ids.push_back(entry[i].id);
  }
  const Tensor rows = checkpoint_.load_rows(spec.tokens, ids);
  EmbeddingParts parts{through(times(rows.view({tokens.size(), count, rows.size(1)}), spec.scale),
                               spec.projected_last ? LinearSpec() : spec.projection),
                       {}};
  const Shape& shape = parts.words.shape();
  const auto add_rows = [&](const Tensor& added) {
    const Tensor all = added.view({1, added.size(0), added.size(1)}).expand(shape);
    parts.places = parts.places.defined() ? plus(parts.places, all) : all;
  };
  if (spec.position_kind != PositionKind::none) {
    std::vector<Index> places;
    for (Index i = 0; i < count; ++i) places.push_back(spec.position_offset + first + i);
    add_rows(spec.positions.empty() ? sinusoids(end, shape[2], SinusoidOrder::sines_first).slice(0, first, count)
                                    : checkpoint_.load_rows(spec.positions, places));
  }
  if (!spec.segments.empty())
    add_rows(checkpoint_.load_rows(spec.segments, std::vector<Index>(static_cast<std::size_t>(count), 0)));
  return parts;
}

Tensor Forward::embed(const StackSpec& stack, const NetworkText& text, Index first) const {
  const EmbeddingParts parts = embedding_parts(stack, text, first);
  const Tensor x = normed(parts.places.defined() ? plus(parts.words, parts.places) : parts.words, stack.embedding.norm);
  return stack.embedding.projected_last ? through(x, stack.embedding.projection) : x;
}

Tensor Forward::hidden(const MlpSpec& spec, const Tensor& x) const {
  const Tensor up = through(x, spec.up);
  if (spec.limit > 0 && !spec.gate.there()) {
    const Tensor pairs = up.view({up.size(0), up.size(1), up.size(2) / 2, 2});
    const auto every_other = [&](Index first) {
      return pairs.slice(3, first, 1).contiguous().view({up.size(0), up.size(1), up.size(2) / 2});
    };
    return gated_within(every_other(0), every_other(1), spec.limit, workers_);
  }
  if (spec.limit > 0) return gated_within(through(x, spec.gate), up, spec.limit, workers_);
  return spec.gate.there() ? gated(through(x, spec.gate), up, spec.activation, workers_)
                           : activate(up, spec.activation, workers_);
}

Tensor Forward::feed_forward(const MlpSpec& spec, const Tensor& x) const { return through(hidden(spec, x), spec.down); }

Tensor Forward::mix(const MixtureSpec& spec, const Tensor& x, Tensor& shares) const {
  const Index width = x.size(-1), tokens = x.count() / width, count = std::ssize(spec.experts);
  const Tensor rows = x.contiguous();
  const Tensor correction = spec.correction.empty() ? Tensor() : checkpoint_.load(spec.correction);
  shares = shares_of_experts(through(rows, spec.router), spec,
                             correction.defined() ? correction.values() : std::span<const float>());
  Buffer sum(static_cast<std::size_t>(x.count()), 0.0F);
  const auto add = [&](const MlpSpec& expert, const std::vector<std::pair<Index, float>>& chosen, bool share_before) {
    Buffer values;
    for (const auto& [token, share] : chosen) {
      for (Index c = 0; c < width; ++c)
        values.push_back((share_before ? share : 1) * rows.values()[static_cast<std::size_t>(token * width + c)]);
    }
    const Tensor output = feed_forward(expert, Tensor({1, std::ssize(chosen), width}, std::move(values))).contiguous();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      for (Index c = 0; c < width; ++c)
        sum[static_cast<std::size_t>(chosen[i].first * width + c)] +=
            (share_before ? 1 : chosen[i].second) *
            output.values()[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)];
    }
  };
  for (Index expert = 0; expert < count; ++expert) {
    std::vector<std::pair<Index, float>> chosen;
    for (Index token = 0; token < tokens; ++token) {
      const float share = shares.values()[static_cast<std::size_t>(token * count + expert)];
      if (share > 0) chosen.emplace_back(token, share);
    }
    if (!chosen.empty()) add(spec.experts[static_cast<std::size_t>(expert)], chosen, spec.share_before);
  }
  if (!spec.shared) return Tensor(x.shape(), std::move(sum));
  const Tensor gates = through(rows, spec.shared_gate).contiguous();
  std::vector<std::pair<Index, float>> all;
  for (Index token = 0; token < tokens; ++token)
    all.emplace_back(
        token, spec.shared_gate.there() ? 1 / (1 + std::exp(-gates.values()[static_cast<std::size_t>(token)])) : 1.0F);
  add(*spec.shared, all, false);
  return Tensor(x.shape(), std::move(sum));
}

Tensor Forward::fed_by(const BlockSpec& block, Index layer, const Tensor& x, NetworkRun& run) const {
  if (!block.mlp && !block.mixture) return {};
  const Tensor in = normed(x, block.before_mlp);
  const Tensor output = block.mlp ? feed_forward(*block.mlp, in)
                                  : mix(*block.mixture, in, run.layers[static_cast<std::size_t>(layer)].experts);
  const Tensor added = normed(output, block.after_mlp);
  if (keeps_parts(run, layer, options_)) run.layers[static_cast<std::size_t>(layer)].mlp = added;
  return patched(added, Patch::What::mlp, layer);
}

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
    case HeadReads::first_two: return joined_columns(token(0), token(1));
    case HeadReads::first_and_patches:
      return joined_columns(token(0), mean_from(x, std::ssize(network_.spec().stacks.front().embedding.extra)));
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
