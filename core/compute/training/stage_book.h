// StageBook: every stage of every layer of one pass, and its gradient, as tensors.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/rules/stage/stage.h"

namespace headlight {

/// One layer's stages, or their gradients; undefined where there is none. Indexed by stage.
struct LayerStages {
  std::array<Tensor, matrix_count> tensors;
  Tensor residual;  ///< [B, n, d_model], what enters the block
  Tensor kept;      ///< [B, H, n, n], 1 = kept by dropout; undefined without dropout, and among gradients
  Tensor& operator[](Stage stage) { return tensors[static_cast<std::size_t>(stage)]; }
  const Tensor& operator[](Stage stage) const { return tensors[static_cast<std::size_t>(stage)]; }
};

/// "d_weights": the name of a stage's gradient.
std::string gradient_name(Stage stage);
/// The stage of such a name; unset if it is none.
std::optional<Stage> gradient_named(std::string_view name);

class StageBook {
 public:
  StageBook(Index layers, Index sequences, Index length) : sequences_(sequences), length_(length) {
    pages_.resize(static_cast<std::size_t>(2 * layers));
  }
  /// Room for [sequences, heads, length, cols], or [sequences, length, cols] with heads 0; zeros at first.
  float* room(Index layer, Stage stage, bool gradient, Index heads, Index cols);
  float* residual_room(Index layer, bool gradient, Index cols);
  /// Copies an [n, cols] matrix, rows `stride` apart, to (sequence, head).
  void put(Index layer, Stage stage, bool gradient, Index sequence, Index head, Index heads, const float* from,
           Index cols, Index stride);
  void put_kept(Index layer, Index sequence, Index head, Index heads, const float* from);
  /// Moves the numbers out as tensors.
  LayerStages take(Index layer, bool gradient);

 private:
  struct Sheet {
    Shape shape;
    Buffer numbers;
  };
  struct Page {
    std::map<Stage, Sheet> stages;
    Sheet residual, kept;
  };
  Page& page(Index layer, bool gradient) { return pages_[static_cast<std::size_t>(2 * layer + (gradient ? 1 : 0))]; }

  Index sequences_, length_;
  std::vector<Page> pages_;
};

}  // namespace headlight
