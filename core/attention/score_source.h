// The score-shaped stages of sequences too long to hold: any part of any of them, as rows, as blocks' extremes or as
// counts, computed when it is asked for.
#pragma once

#include <optional>

#include "core/attention/score_rows.h"
#include "core/stage/extent.h"
#include "core/stage/stage.h"

namespace headlight {

class ScoreSource {
 public:
  /// As ScoreRows.
  ScoreSource(ScoreSteps steps, Shape shape, std::shared_ptr<const ReadableMask> rule, int threads);

  const Shape& shape() const { return rows_.shape(); }
  /// Keys [k0, k0 + count) of one row of a stage, scores … weights, mask.
  void row(Stage stage, Index b, Index h, Index q, Index k0, Index count, float* to) const;
  /// Keys and values of one head, as its head_outputs need them. Throws Cancelled.
  void prepare(Index b, Index h, const std::stop_token& stop) const;
  /// Rows [q, q + count) of head_outputs, each `stride` numbers after the last.
  void head_outputs(Index b, Index h, Index q, Index count, float* to, Index stride) const;
  /// As MatrixSource.
  std::vector<BlockExtremes> extremes(Stage stage, Index b, Index h, std::span<const Index> row_cuts,
                                      std::span<const Index> col_cuts, Index rows_a_band,
                                      const std::stop_token& stop) const;
  KindCounts kinds(Stage stage, Index b, Index h, const std::stop_token& stop) const;

 private:
  /// The mask's cells, of one head.
  struct MaskCounts {
    Index allowed = 0;
    Index in_dead_rows = 0;  ///< cells of rows that let no key through
  };
  MaskCounts mask_counts(Index b, Index h, const std::stop_token& stop) const;

  ScoreRows rows_;
  mutable std::mutex mutex_;
  mutable std::vector<std::optional<MaskCounts>> counted_;  // by b · H + h of the mask
};

/// [B, H, n_q, n_k] of a stage from scores to weights, or of the mask.
Tensor stage_on_demand(std::shared_ptr<const ScoreSource> source, Stage stage);
/// [B, H, n_q, d_head]
Tensor head_outputs_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head);
/// concat [B, n_q, H · d_head], or, with a weight or a bias, output = concat Wᵀ + b.
Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight,
                        const Tensor& bias);

}  // namespace headlight
