// Attention of a pass: forward, and the gradient of each stage.
#include <algorithm>
#include <limits>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/training/linear.h"
#include "core/compute/training/pass.h"

namespace headlight {

void Pass::find_blocks() {
  const auto all = seen_blocks(n_, [](Index, Index) { return true; });
  all_cells_ = {all, all};
  for (Index h = 0; h * n_ * n_ < static_cast<Index>(mask_.size()); ++h) {
    const auto sees = [&](Index query, Index key) {  // the weights of a query without keys need not be 0
      return is_dead(h, query) || mask_[static_cast<std::size_t>((h * n_ + query) * n_ + key)] != 0;
    };
    seen_cells_.push_back(
        {seen_blocks(n_, sees), seen_blocks(n_, [&](Index key, Index query) { return sees(query, key); })});
  }
}

const Pass::HeadBlocks& Pass::blocks_of(Index head, const StageBook* book) const {
  if (book || seen_cells_.empty()) return all_cells_;
  return seen_cells_[seen_cells_.size() > 1 ? static_cast<std::size_t>(head) : 0];
}

bool Pass::is_dead(Index head, Index query) const {
  if (dead_.empty()) return false;
  return dead_[static_cast<std::size_t>(static_cast<Index>(dead_.size()) > n_ ? head * n_ + query : query)] != 0;
}

// q and k of each head, rotated by the angles of their rows times `direction` (Su et al. 2021, eq. 34):
// (a cos − b sin, a sin + b cos). The gradient is rotated back, since a rotation's transpose is its inverse.
void Pass::rotate(float* packed, float direction) const {
  const Index pairs = shape_.d_head / 2, heads = shape_.heads + shape_.kv_heads;
  const bool half = shape_.rope == Rope::half;
  for (Index row = 0; row < rows_; ++row) {
    const float *cos = cos_.data() + row % n_ * pairs, *sin = sin_.data() + row % n_ * pairs;
    for (Index h = 0; h < heads; ++h) {
      float* const x = packed + row * shape_.packed() + h * shape_.d_head;
      for (Index j = 0; j < pairs; ++j) {
        float &a = x[half ? j : 2 * j], &b = x[half ? j + pairs : 2 * j + 1];
        const float turned = a * cos[j] - direction * b * sin[j];
        b = direction * a * sin[j] + b * cos[j];
        a = turned;
      }
    }
  }
}

// Q, K, V and their heads (`rotated`: the heads after RoPE) from rows of q ‖ k ‖ v.
void Pass::keep_channels(StageBook* book, Index layer, bool gradient, const float* packed, bool rotated) const {
  if (!book) return;
  struct PackedColumns {
    Stage whole, heads, turned;
    Index column, count;
  };
  const PackedColumns parts[] = {{Stage::Q, Stage::Q_heads, Stage::Q_rotated, 0, shape_.heads},
                                 {Stage::K, Stage::K_heads, Stage::K_rotated, shape_.key_column(), shape_.kv_heads},
                                 {Stage::V, Stage::V_heads, Stage::V_heads, shape_.value_column(), shape_.kv_heads}};
  const Index width = shape_.packed(), d_head = shape_.d_head;
  for (const PackedColumns& part : parts) {
    if (rotated && part.turned == Stage::V_heads) continue;
    for (Index s = 0; s < sequences_; ++s) {
      const float* const from = packed + s * n_ * width + part.column;
      if (!rotated) book->put(layer, part.whole, gradient, s, 0, 0, from, part.count * d_head, width);
      for (Index h = 0; h < part.count; ++h)
        book->put(layer, rotated ? part.turned : part.heads, gradient, s, h, part.count, from + h * d_head, d_head,
                  width);
    }
  }
}

void Pass::drop(Index layer, Index sequence, Index head, float* to) {
  const Index cells = n_ * n_;
  const Index first = ((dropout_.first_sequence + sequence) * shape_.heads + head) * cells;
  for (Index i = 0; i < cells;) {
    const Index cell = first + i;
    const auto words = philox(static_cast<std::uint64_t>(cell / 4), dropout_.seed + static_cast<std::uint64_t>(layer));
    for (Index j = cell % 4; j < 4 && i < cells; ++j, ++i)
      keep_[static_cast<std::size_t>(i)] =
          philox_uniform(words[static_cast<std::size_t>(j)]) < dropout_.p ? 0.0F : 1.0F;
  }
  kernels().times(to, keep_.data(), cells, 1 / (1 - dropout_.p));
}

void Pass::fill_dead_rows(Index head, float* a) const {
  for (Index q = 0; q < n_; ++q) {
    if (!is_dead(head, q)) continue;
    const float weight = shape_.dead_row == DeadRow::zero      ? 0
                         : shape_.dead_row == DeadRow::uniform ? 1 / static_cast<float>(n_)
                                                               : std::numeric_limits<float>::quiet_NaN();
    std::fill_n(a + q * n_, n_, weight);
  }
}

// One head of one sequence, [n, n]: scores = Q_h K_hᵀ, scaled, capped, biased, masked; weights; dropped; O_h = A′ V_h.
void Pass::attend_head(Index layer, Index s, Index h, StageBook* book) {
  const Kernels& k = kernels();
  BlockNumbers& block = blocks_[static_cast<std::size_t>(layer)];
  const Index width = shape_.packed(), d = shape_.d_head, cells = n_ * n_, H = shape_.heads,
              group = h / (H / shape_.kv_heads);
  const float* const row = block.packed.data() + s * n_ * width;
  const Index at = (s * H + h) * cells;
  float* const a = block.weights.data() + at;
  const auto keep = [&](Stage stage) {
    if (book) book->put(layer, stage, false, s, h, H, a, n_, n_);
  };
  const HeadBlocks& seen = blocks_of(h, book);
  seen_scores(seen.by_query, row + h * d, width, row + shape_.key_column() + group * d, width, n_, d, a, room_.data());
  keep(Stage::scores);
  k.scale(a, cells, shape_.scale);
  keep(Stage::scaled_scores);
  if (shape_.softcap) {
    k.cap(a, cells, *shape_.softcap);
    std::copy_n(a, cells, block.capped.data() + at);
    keep(Stage::capped_scores);
  }
  if (!bias_.empty()) {
    k.add(a, bias_.data() + h * cells, cells);
    keep(Stage::biased_scores);
  }
  if (!mask_.empty()) {
    const bool by_head = static_cast<Index>(mask_.size()) > cells;
    k.mask(a, mask_.data() + (by_head ? h * cells : 0), cells, -std::numeric_limits<float>::infinity());
    keep(Stage::masked_scores);
    if (book) book->put(layer, Stage::mask, false, s, h, H, mask_.data() + (by_head ? h * cells : 0), n_, n_);
  }
  for (Index q = 0; q < n_; ++q) k.softmax(a + q * n_, n_, -std::numeric_limits<float>::infinity());
  fill_dead_rows(h, a);
  keep(Stage::weights);
  float* used = a;
  if (dropout_.p > 0) {
    used = block.dropped.data() + at;
    std::copy_n(a, cells, used);
    drop(layer, s, h, used);
    if (book) {
      book->put(layer, Stage::dropped_weights, false, s, h, H, used, n_, n_);
      book->put_kept(layer, s, h, H, keep_.data());
    }
  }
  float* const out = block.concat.data() + s * n_ * H * d + h * d;
  seen_sums(seen.by_query, used, row + shape_.value_column() + group * d, width, n_, d, out, H * d, false,
            room_.data());
  if (book) book->put(layer, Stage::head_outputs, false, s, h, H, out, d, H * d);
}

void Pass::attend(Index layer, const float* weights, StageBook* book) {
  BlockNumbers& block = blocks_[static_cast<std::size_t>(layer)];
  const BlockOffsets& at = layout_.blocks[static_cast<std::size_t>(layer)];
  const Index d = shape_.d_model, wide = shape_.heads * shape_.d_head;
  linear(block.y1.data(), rows_, d, weights + at.W_qkv, shape_.packed(), weights + at.b_qkv, block.packed.data(),
         room_.data());
  keep_channels(book, layer, false, block.packed.data(), false);
  if (shape_.rope != Rope::none) {
    rotate(block.packed.data(), 1);
    keep_channels(book, layer, false, block.packed.data(), true);
  }
  for (Index s = 0; s < sequences_; ++s) {
    for (Index h = 0; h < shape_.heads; ++h) attend_head(layer, s, h, book);
  }
  linear(block.concat.data(), rows_, wide, weights + at.W_o, d, weights + at.b_o, out_.data(), room_.data());
  if (!book) return;
  for (const Stage input : {Stage::query, Stage::key, Stage::value})
    std::ranges::copy(block.y1, book->room(layer, input, false, 0, d));
  std::ranges::copy(block.concat, book->room(layer, Stage::concat, false, 0, wide));
  std::ranges::copy(out_, book->room(layer, Stage::output, false, 0, d));
}

// The gradient of one head of one sequence, from d_concat_ to d_packed_; the formulas are in pass.h.
void Pass::attend_head_gradient(Index layer, Index s, Index h, StageBook* book) {
  const Kernels& k = kernels();
  const BlockNumbers& block = blocks_[static_cast<std::size_t>(layer)];
  const Index width = shape_.packed(), d = shape_.d_head, cells = n_ * n_, H = shape_.heads,
              group = h / (H / shape_.kv_heads);
  const Index at = (s * H + h) * cells, key = shape_.key_column() + group * d,
              value = shape_.value_column() + group * d;
  const float* const row = block.packed.data() + s * n_ * width;
  float* const d_row = d_packed_.data() + s * n_ * width;
  const float* const d_out = d_concat_.data() + s * n_ * H * d + h * d;
  const float *a = block.weights.data() + at, *used = dropout_.p > 0 ? block.dropped.data() + at : a;
  float *const da = square_.data(), *const room = room_.data();
  const HeadBlocks& seen = blocks_of(h, book);
  const bool shared = h % (H / shape_.kv_heads) != 0;  // its keys and values have the gradient of an earlier head
  const auto keep = [&](Stage stage) {
    if (book) book->put(layer, stage, true, s, h, H, da, n_, n_);
  };
  if (book) book->put(layer, Stage::head_outputs, true, s, h, H, d_out, d, H * d);
  seen_sums_across(seen.by_key, used, d_out, H * d, n_, d, d_row + value, width, shared, room);
  seen_scores(seen.by_query, d_out, H * d, row + value, width, n_, d, da, room);
  if (dropout_.p > 0) {
    keep(Stage::dropped_weights);
    drop(layer, s, h, da);
  }
  keep(Stage::weights);
  for (Index q = 0; q < n_; ++q) {
    if (is_dead(h, q)) std::fill_n(da + q * n_, n_, 0.0F);  // its weights are constants
    else k.softmax_slope(a + q * n_, da + q * n_, n_);
  }
  if (!mask_.empty()) keep(Stage::masked_scores);  // 0 under the mask, as the weights there are
  if (!bias_.empty()) keep(Stage::biased_scores);
  if (shape_.softcap) {
    keep(Stage::capped_scores);
    k.cap_slope(block.capped.data() + at, da, cells, *shape_.softcap);
  }
  keep(Stage::scaled_scores);
  k.scale(da, cells, shape_.scale);
  keep(Stage::scores);
  seen_sums(seen.by_query, da, row + key, width, n_, d, d_row + h * d, width, false, room);
  seen_sums_across(seen.by_key, da, row + h * d, width, n_, d, d_row + key, width, shared, room);
}

// From dL/doutput, which is dx_ since the block adds its output to x, to dy_: dL/d(LayerNorm's output).
void Pass::attend_gradient(Index layer, const float* weights, float* gradients, StageBook* book) {
  const BlockNumbers& block = blocks_[static_cast<std::size_t>(layer)];
  const BlockOffsets& at = layout_.blocks[static_cast<std::size_t>(layer)];
  const Index d = shape_.d_model, wide = shape_.heads * shape_.d_head, packed = shape_.packed();
  float* const room = room_.data();
  linear_input_gradient(dx_.data(), rows_, d, weights + at.W_o, wide, d_concat_.data(), false, room);
  linear_weight_gradient(block.concat.data(), rows_, wide, dx_.data(), d, gradients + at.W_o, gradients + at.b_o, room);
  for (Index s = 0; s < sequences_; ++s) {
    for (Index h = 0; h < shape_.heads; ++h) attend_head_gradient(layer, s, h, book);
  }
  if (shape_.rope != Rope::none) {
    keep_channels(book, layer, true, d_packed_.data(), true);
    rotate(d_packed_.data(), -1);
  }
  keep_channels(book, layer, true, d_packed_.data(), false);
  linear_input_gradient(d_packed_.data(), rows_, packed, weights + at.W_qkv, d, dy_.data(), false, room);
  linear_weight_gradient(block.y1.data(), rows_, d, d_packed_.data(), packed, gradients + at.W_qkv,
                         gradients + at.b_qkv, room);
  if (!book) return;
  std::ranges::copy(dx_, book->room(layer, Stage::output, true, 0, d));
  std::ranges::copy(d_concat_, book->room(layer, Stage::concat, true, 0, wide));
  for (const Stage input : {Stage::query, Stage::key, Stage::value})
    std::ranges::copy(dy_, book->room(layer, input, true, 0, d));
}

}  // namespace headlight
