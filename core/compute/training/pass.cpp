// Everything of a pass but attention, which is in attention_pass.cpp.
#include "core/compute/training/pass.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/training/linear.h"
#include "core/rules/position/relative_bias.h"
#include "core/rules/position/rope_waves.h"

namespace headlight {
namespace {

Buffer room_for(Index count) { return Buffer(static_cast<std::size_t>(count), 0.0F); }

/// [H, n, n]
Buffer alibi_cells(Index heads, Index n) {
  Buffer cells = room_for(heads * n * n);
  const Tensor by_distance = alibi_by_distance(heads, n, n);
  for (Index h = 0; h < heads; ++h) {
    for (Index q = 0; q < n; ++q) {
      for (Index key = 0; key < n; ++key)
        cells[static_cast<std::size_t>((h * n + q) * n + key)] = by_distance.at({h, key - q + n - 1});
    }
  }
  return cells;
}

}  // namespace

Pass::Pass(const NetworkShape& shape, const ParameterLayout& layout, Index sequences, Index length)
    : shape_(shape), layout_(layout), sequences_(sequences), n_(length), rows_(sequences * length) {
  const Index d = shape.d_model, maps = sequences * shape.heads * n_ * n_;
  blocks_.resize(static_cast<std::size_t>(shape.layers));
  for (BlockNumbers& block : blocks_) {
    block.xhat1 = block.y1 = room_for(rows_ * d);
    block.inverse1 = room_for(rows_);
    block.packed = room_for(rows_ * shape.packed());
    block.weights = block.dropped = room_for(maps);
    if (shape.softcap) block.capped = room_for(maps);
    block.concat = room_for(rows_ * shape.heads * shape.d_head);
    if (shape.hidden == 0) continue;
    block.xhat2 = block.y2 = room_for(rows_ * d);
    block.inverse2 = room_for(rows_);
    block.slope = block.active = room_for(rows_ * shape.hidden);
  }
  x_ = xhat_ = y_ = out_ = dx_ = dy_ = room_for(rows_ * d);
  inverse_ = room_for(rows_);
  logits_ = room_for(rows_ * shape.vocabulary);
  d_packed_ = room_for(rows_ * shape.packed());
  d_concat_ = room_for(rows_ * shape.heads * shape.d_head);
  d_hidden_ = room_for(rows_ * shape.hidden);
  square_ = keep_ = room_for(n_ * n_);
  room_ = room_for(packed_room(std::max({d, shape.packed(), shape.hidden, shape.vocabulary, n_})));
  tokens_.resize(static_cast<std::size_t>(rows_));

  const std::vector<float> cells = mask_cells(shape, n_);
  mask_.assign(cells.begin(), cells.end());
  for (std::size_t row = 0; row < mask_.size() / static_cast<std::size_t>(n_); ++row) {
    const auto first = mask_.begin() + static_cast<std::ptrdiff_t>(row) * n_;
    dead_.push_back(std::all_of(first, first + n_, [](float may) { return may == 0; }) ? 1 : 0);
  }
  find_blocks();
  if (shape.alibi) bias_ = alibi_cells(shape.heads, n_);
  if (shape.rope != Rope::none) {
    for (Index row = 0; row < n_; ++row) {
      for (const double frequency : rope_frequencies(static_cast<double>(shape.rope_base), shape.d_head)) {
        cos_.push_back(static_cast<float>(std::cos(static_cast<double>(row) * frequency)));
        sin_.push_back(static_cast<float>(std::sin(static_cast<double>(row) * frequency)));
      }
    }
  }
}

double Pass::bytes(const NetworkShape& s, Index sequences, Index length) {
  const auto rows = static_cast<double>(sequences * length), d = static_cast<double>(s.d_model);
  const auto packed = static_cast<double>(s.packed()), maps = rows * static_cast<double>(s.heads * length);
  const double block = rows * (4 * d + packed + static_cast<double>(s.heads * s.d_head + 2 * s.hidden)) + 3 * maps;
  return 4 * (static_cast<double>(s.layers) * block + rows * (7 * d + 2 * packed + static_cast<double>(s.vocabulary)));
}

void Pass::embed(const float* weights) {
  const Index d = shape_.d_model;
  for (Index row = 0; row < rows_; ++row) {
    const float* token = weights + layout_.tokens + tokens_[static_cast<std::size_t>(row)] * d;
    std::copy_n(token, d, x_.data() + row * d);
    if (layout_.positions >= 0) kernels().add(x_.data() + row * d, weights + layout_.positions + row % n_ * d, d);
  }
}

void Pass::norm(const float* weights, Index gain, Index bias, const Buffer& x, Buffer& xhat, Buffer& inverse,
                Buffer& y) {
  const Index d = shape_.d_model;
  if (gain < 0) {
    std::ranges::copy(x, y.begin());
    return;
  }
  for (Index row = 0; row < rows_; ++row) {
    const Index at = row * d;
    inverse[static_cast<std::size_t>(row)] = kernels().layer_norm(
        x.data() + at, weights + gain, weights + bias, shape_.norm_epsilon, xhat.data() + at, y.data() + at, d);
  }
}

// LayerNorm's gradient (Ba et al. 2016), added to dx [R, d]: xhat = (x − mean) / σ, g = dy · gain,
//   dx = (g − mean(g) − xhat · mean(g · xhat)) / σ;  dgain = Σ dy · xhat;  dbias = Σ dy
void Pass::norm_gradient(const float* weights, float* gradients, Index gain, Index bias, const Buffer& dy,
                         const Buffer& xhat, const Buffer& inverse, Buffer& dx) const {
  const Index d = shape_.d_model;
  if (gain < 0) return kernels().add(dx.data(), dy.data(), rows_ * d);
  std::fill_n(gradients + gain, d, 0.0F);
  std::fill_n(gradients + bias, d, 0.0F);
  for (Index row = 0; row < rows_; ++row) {
    const Index at = row * d;
    kernels().layer_norm_slope(dy.data() + at, xhat.data() + at, weights + gain, inverse[static_cast<std::size_t>(row)],
                               dx.data() + at, gradients + gain, gradients + bias, d);
  }
}

void Pass::forward(const float* weights, std::span<const std::int32_t> tokens, const PassDropout& dropout,
                   StageBook* book) {
  const Index d = shape_.d_model, hidden = shape_.hidden;
  rows_ = static_cast<Index>(tokens.size());
  sequences_ = rows_ / n_;
  std::ranges::copy(tokens, tokens_.begin());
  dropout_ = dropout;
  embed(weights);
  for (Index layer = 0; layer < shape_.layers; ++layer) {
    BlockNumbers& block = blocks_[static_cast<std::size_t>(layer)];
    const BlockOffsets& at = layout_.blocks[static_cast<std::size_t>(layer)];
    if (book) std::ranges::copy(x_, book->residual_room(layer, false, d));
    norm(weights, at.norm1_gain, at.norm1_bias, x_, block.xhat1, block.inverse1, block.y1);
    attend(layer, weights, book);
    kernels().add(x_.data(), out_.data(), rows_ * d);
    if (hidden == 0) continue;
    norm(weights, at.norm2_gain, at.norm2_bias, x_, block.xhat2, block.inverse2, block.y2);
    linear(block.y2.data(), rows_, d, weights + at.W_up, hidden, weights + at.b_up, block.slope.data(), room_.data());
    kernels().gelu(block.slope.data(), block.active.data(), rows_ * hidden);
    linear(block.active.data(), rows_, hidden, weights + at.W_down, d, weights + at.b_down, out_.data(), room_.data());
    kernels().add(x_.data(), out_.data(), rows_ * d);
  }
  norm(weights, layout_.norm_gain, layout_.norm_bias, x_, xhat_, inverse_, y_);
  const Index table = shape_.tied ? layout_.tokens : layout_.output;
  // logits = y · tableᵀ, the gradient's product with a table [vocabulary, d]
  linear_input_gradient(y_.data(), rows_, d, weights + table, shape_.vocabulary, logits_.data(), false, room_.data());
}

PassLoss Pass::loss(std::span<const std::int32_t> targets, float by) {
  const Index V = shape_.vocabulary;
  PassLoss total;
  for (Index row = 0; row < rows_; ++row) {
    float* const logits = logits_.data() + row * V;
    const std::int32_t target = targets[static_cast<std::size_t>(row)];
    if (target < 0) {
      std::fill_n(logits, V, 0.0F);
      continue;
    }
    const float most = kernels().largest(logits, V, -std::numeric_limits<float>::infinity()), own = logits[target];
    total.right += own >= most && std::find(logits, logits + target, most) == logits + target ? 1 : 0;
    const double sum = kernels().exponentials(logits, V, most);
    total.sum += std::log(sum) - static_cast<double>(own - most);
    kernels().scale(logits, V, static_cast<float>(static_cast<double>(by) / sum));
    logits[target] -= by;
  }
  return total;
}

void Pass::backward(const float* weights, float* gradients, StageBook* book) {
  const Index d = shape_.d_model, hidden = shape_.hidden, V = shape_.vocabulary;
  float* const room = room_.data();
  const Index table = shape_.tied ? layout_.tokens : layout_.output;
  linear(logits_.data(), rows_, V, weights + table, d, nullptr, dy_.data(), room);
  linear_weight_gradient(logits_.data(), rows_, V, y_.data(), d, gradients + table, nullptr, room);
  std::ranges::fill(dx_, 0.0F);
  norm_gradient(weights, gradients, layout_.norm_gain, layout_.norm_bias, dy_, xhat_, inverse_, dx_);
  for (Index layer = shape_.layers - 1; layer >= 0; --layer) {
    const BlockNumbers& block = blocks_[static_cast<std::size_t>(layer)];
    const BlockOffsets& at = layout_.blocks[static_cast<std::size_t>(layer)];
    if (hidden > 0) {
      linear_input_gradient(dx_.data(), rows_, d, weights + at.W_down, hidden, d_hidden_.data(), false, room);
      linear_weight_gradient(block.active.data(), rows_, hidden, dx_.data(), d, gradients + at.W_down,
                             gradients + at.b_down, room);
      kernels().times(d_hidden_.data(), block.slope.data(), rows_ * hidden, 1);
      linear_input_gradient(d_hidden_.data(), rows_, hidden, weights + at.W_up, d, dy_.data(), false, room);
      linear_weight_gradient(block.y2.data(), rows_, d, d_hidden_.data(), hidden, gradients + at.W_up,
                             gradients + at.b_up, room);
      norm_gradient(weights, gradients, at.norm2_gain, at.norm2_bias, dy_, block.xhat2, block.inverse2, dx_);
    }
    attend_gradient(layer, weights, gradients, book);
    norm_gradient(weights, gradients, at.norm1_gain, at.norm1_bias, dy_, block.xhat1, block.inverse1, dx_);
    if (book) std::ranges::copy(dx_, book->residual_room(layer, true, d));
  }
  if (!shape_.tied) std::fill_n(gradients + layout_.tokens, V * d, 0.0F);
  if (layout_.positions >= 0) std::fill_n(gradients + layout_.positions, shape_.length * d, 0.0F);
  for (Index row = 0; row < rows_; ++row) {
    const float* from = dx_.data() + row * d;
    kernels().add(gradients + layout_.tokens + tokens_[static_cast<std::size_t>(row)] * d, from, d);
    if (shape_.positions == TrainedPositions::learned)
      kernels().add(gradients + layout_.positions + row % n_ * d, from, d);
  }
}

}  // namespace headlight
