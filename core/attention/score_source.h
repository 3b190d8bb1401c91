// The score-shaped stages of sequences too long to hold: any part of any of them, computed from Q, K, the mask and each row's
// maximum and sum. What the mask empties is passed over in blocks.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/attention/product.h"
#include "core/attention/sweep.h"
#include "core/mask/block_verdict.h"
#include "core/stage/demand_matrix.h"

namespace headlight {

/// A mask as a rule, not as cells.
struct MaskRule {
  MaskExpression expression;
  MaskContext context;  ///< what it points to is held below
  Tensor valid_lens, file_mask, painted;
};

class ScoreSource {
 public:
  /// `steps` without mask and dropout; `rule` may be null. `shape` is [B, H, n_q, n_k].
  ScoreSource(ScoreSteps steps, Shape shape, std::shared_ptr<const MaskRule> rule, int threads);

  ~ScoreSource();

  const Shape& shape() const { return shape_; }
  /// Keys [k0, k0 + count) of one row of a stage, scores … weights, mask.
  void row(Stage stage, Index b, Index h, Index q, Index k0, Index count, float* to) const;
  /// Rows [q, q + count) of head_outputs, each `stride` numbers after the last.
  void head_outputs(Index b, Index h, Index q, Index count, float* to, Index stride) const;
  /// As DemandMatrices.
  std::vector<BlockExtremes> extremes(Stage stage, Index b, Index h, std::span<const Index> row_cuts,
                                      std::span<const Index> col_cuts, Index rows_a_band) const;
  KindCounts kinds(Stage stage, Index b, Index h) const;

 private:
  struct Tile;
  struct Room;
  struct Head;
  struct Segment {
    Index first, end, at;  ///< keys, and where the first of them stands in a tile's rows
    bool masked;           ///< cell by cell
  };

  const Head& head(Index b, Index g) const;
  BlockVerdict verdict(Index b, Index h, Index q0, Index q1, Index k0, Index k1) const;
  void add_segments(Tile& tile, Index k0, Index k1, bool mask) const;
  void open(Tile& tile, Stage stage) const;
  void score(Tile& tile, Stage stage) const;
  void weigh(Tile& tile) const;
  bool is_after_mask(Stage stage) const { return rule_ && (stage == Stage::masked_scores || stage == Stage::weights); }
  float dead_weight() const;
  void add_steps(Stage stage, float* x, Index h, Index q, Index k0, Index count, const float* bias) const;

  ScoreSteps steps_;
  Shape shape_;
  std::shared_ptr<const MaskRule> rule_;
  int threads_;
  Index group_;
  Tensor bias_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Head>> heads_;  // by b · G + g; packed when first looked at
  mutable std::vector<KindCounts> counted_;           // by b · H + h of the mask; empty until asked
};

/// The stages as tensors on demand: score-shaped ones, head_outputs, and what is made of those row by row.
Tensor stage_on_demand(std::shared_ptr<const ScoreSource> source, Stage stage);
Tensor head_outputs_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head);
/// concat [B, n_q, H · d_head], or, with a weight or a bias, output = concat Wᵀ + b.
Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight, const Tensor& bias);

}  // namespace headlight
