// Pass: one forward and one backward pass of a network over some sequences, in memory that is allocated once.
//
//   Pass pass(shape, layout, 8, 32);                  // eight sequences of 32 tokens
//   pass.forward(weights, tokens, dropout);
//   const PassLoss loss = pass.loss(targets, by);     // dL/dlogits takes the place of the logits
//   pass.backward(weights, gradients);
//
// The stages' gradients, by hand (Vaswani et al. 2017, eq. 1, differentiated; d stands for dL/d):
//   dV_h = A′ᵀ dO_h     dA′ = dO_h V_hᵀ     dA = dA′ · kept / (1 − p)     dS = A (dA − Σ_k dA A)
//   dQ_h = s · dS K_h   dK_h = s · dSᵀ Q_h  dX = dY Wᵀ  dW = Xᵀ dY        db = Σ dY
// where grouped heads add to the keys and values that they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compute/training/seen_products.h"
#include "core/compute/training/shape.h"
#include "core/compute/training/stage_book.h"

namespace headlight {

/// Dropout of the attention weights: cell i of a layer, over [sequences, H, n, n], is dropped where a word of
/// philox(⌊i / 4⌋, seed + layer) is below p, as in core/compute/attention/softmax.h.
struct PassDropout {
  float p = 0;
  std::uint64_t seed = 0;
  Index first_sequence = 0;  ///< of this pass, in the batch
};

/// Targets that ask for an answer: those that are not −1.
inline Index answers_in(std::span<const std::int32_t> targets) {
  return std::ranges::count_if(targets, [](std::int32_t target) { return target >= 0; });
}

struct PassLoss {
  double sum = 0;   ///< of −log p(target), in nats
  Index right = 0;  ///< answers whose most probable token is the target

  PassLoss& operator+=(const PassLoss& more) {
    sum += more.sum;
    right += more.right;
    return *this;
  }
};

class Pass {
 public:
  /// With room for so many sequences.
  Pass(const NetworkShape& shape, const ParameterLayout& layout, Index sequences, Index length);

  /// Bytes of such a pass.
  static double bytes(const NetworkShape& shape, Index sequences, Index length);

  Index length() const { return n_; }
  /// `tokens` [sequences · n]: ids of at most as many sequences as there is room for. Keeps what the backward pass
  /// needs. `book`, if not null, gets every stage.
  void forward(const float* weights, std::span<const std::int32_t> tokens, const PassDropout& dropout = {},
               StageBook* book = nullptr);
  /// [rows, vocabulary]
  std::span<const float> logits() const {
    return std::span(logits_).first(static_cast<std::size_t>(rows_ * shape_.vocabulary));
  }
  /// A layer's attention weights [sequences, H, n, n], before dropout.
  std::span<const float> weights_of(Index layer) const { return blocks_[static_cast<std::size_t>(layer)].weights; }
  /// The loss at positions whose target is not −1. The logits become dL/dlogits for L = `by` · Σ −log p(target):
  ///   dL/dlogit_j = by · (p_j − [j is the target])
  PassLoss loss(std::span<const std::int32_t> targets, float by);
  /// After loss(): writes dL/dparameter to `gradients`, laid out as the weights. Those of fixed positions are 0.
  void backward(const float* weights, float* gradients, StageBook* book = nullptr);

 private:
  /// What one block keeps for its backward pass. R = rows, S = sequences.
  struct BlockNumbers {
    Buffer xhat1, inverse1, y1;       ///< [R, d], [R], [R, d]: LayerNorm before attention
    Buffer packed;                    ///< [R, (H + 2G) d_head]: q, k (rotated), v
    Buffer weights, dropped, capped;  ///< [S, H, n, n]; the last two only where there is dropout, a soft-cap
    Buffer concat;                    ///< [R, H d_head]
    Buffer xhat2, inverse2, y2;       ///< before the MLP
    Buffer slope, active;             ///< [R, hidden]: GELU's slope, and what it gives
  };

  /// The blocks of a head's cells [queries, keys], and of their transpose.
  struct HeadBlocks {
    std::vector<SeenBlock> by_query, by_key;
  };

  void embed(const float* weights);
  void norm(const float* weights, Index gain, Index bias, const Buffer& x, Buffer& xhat, Buffer& inverse, Buffer& y);
  void norm_gradient(const float* weights, float* gradients, Index gain, Index bias, const Buffer& dy,
                     const Buffer& xhat, const Buffer& inverse, Buffer& dx) const;
  void attend(Index layer, const float* weights, StageBook* book);
  void attend_head(Index layer, Index sequence, Index head, StageBook* book);
  void find_blocks();
  void drop(Index layer, Index sequence, Index head, float* to);
  bool is_dead(Index head, Index query) const;
  void fill_dead_rows(Index head, float* a) const;
  /// What is computed of a head's cells: all for a book, else what the mask lets through.
  const HeadBlocks& blocks_of(Index head, const StageBook* book) const;
  void attend_gradient(Index layer, const float* weights, float* gradients, StageBook* book);
  void attend_head_gradient(Index layer, Index sequence, Index head, StageBook* book);
  void rotate(float* packed, float direction) const;
  void keep_channels(StageBook* book, Index layer, bool gradient, const float* packed, bool rotated) const;

  NetworkShape shape_;
  ParameterLayout layout_;
  Index sequences_, n_, rows_;
  std::vector<BlockNumbers> blocks_;
  Buffer x_, xhat_, inverse_, y_, logits_, out_;
  Buffer mask_, bias_;      ///< [H or 1, n, n], [H, n, n]; empty: none
  std::vector<char> dead_;  ///< [H or 1, n]: queries without keys
  HeadBlocks all_cells_;
  std::vector<HeadBlocks> seen_cells_;  ///< [H or 1]; empty: no mask
  Buffer cos_, sin_;                    ///< [n, d_head / 2]
  Buffer dx_, dy_, d_packed_, d_concat_, d_hidden_;
  Buffer square_, keep_;  ///< [n, n]
  Buffer room_;
  std::vector<std::int32_t> tokens_;
  PassDropout dropout_;
};

}  // namespace headlight
