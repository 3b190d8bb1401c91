// The score-shaped stages of sequences that are too long to store: rows, extremes of blocks or counts of any part of
// them, computed on request.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/compute/attention/product.h"
#include "core/compute/attention/row_steps.h"
#include "core/compute/attention/sweep.h"
#include "core/rules/mask/mask_rule.h"
#include "core/rules/stage/extent.h"
#include "core/rules/stage/stage.h"

namespace headlight {

// Rows of these stages, usually computed one tile at a time from Q, K and the mask. Keys that the mask excludes for a
// whole tile are skipped.

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// Some rows of one head, not necessarily adjacent, over the keys that they need.
struct ScoreTile {
  static constexpr Index most_rows = 24;
  struct Segment {
    Index first, end, at;  ///< keys, and the position of the first of them in the tile's rows
    bool masked;           ///< the mask applies cell by cell
    Index count() const { return end - first; }
  };

  ScoreTile() = default;
  ScoreTile(Index batch, Index head) : b(batch), h(head) {}
  void look_at(Index batch, Index head);

  Index b = 0, h = 0, count = 0;
  std::array<Index, most_rows> q{};
  std::array<bool, most_rows> live{};  ///< whether the mask allows at least one key
  std::vector<Segment> segments;
  Buffer queries, numbers, row;  ///< `row` is a buffer for one row of the mask or of a bias
  Index stride = 0;              ///< between rows of `numbers`
  std::unique_ptr<MaskReader> mask;

  float* at(Index row_of_tile, const Segment& s) { return numbers.data() + row_of_tile * stride + s.at; }
  Index query(Index row_of_tile) const { return q[static_cast<std::size_t>(row_of_tile)]; }
  bool is_live(Index row_of_tile) const { return live[static_cast<std::size_t>(row_of_tile)]; }
  /// The mask for one row of a segment, in `row`.
  const float* read_mask(Index row_of_tile, const Segment& s);
};

class ScoreRows {
 public:
  /// `steps` without mask and dropout; `rule` may be null. `shape` is [B, H, n_q, n_k].
  ScoreRows(ScoreSteps steps, Shape shape, std::shared_ptr<const ReadableMask> rule, int threads);

  const ScoreSteps& steps() const { return steps_; }
  const Shape& shape() const { return shape_; }
  const ReadableMask* rule() const { return rule_.get(); }
  int threads() const { return threads_; }
  /// Number of query heads that share a key/value head.
  Index group() const { return group_; }
  bool is_after_mask(Stage stage) const { return rule_ && (stage == Stage::masked_scores || stage == Stage::weights); }

  /// K (transposed) and V of one key/value head as the kernels read them, packed on first use. Throws Cancelled.
  const PackedMatrix& keys(Index b, Index g, const std::stop_token& stop = {}) const;
  const PackedMatrix& values(Index b, Index g, const std::stop_token& stop = {}) const;
  /// The same V, row by row, for rows that use all keys.
  MatrixView plain_values(Index b, Index g) const;
  /// Adds the segments of keys [k0, k1): all of them, or those that the mask allows.
  void add_segments(ScoreTile& tile, Index k0, Index k1, bool mask) const;
  /// Allocates the tile's rows over the keys that `stage` needs, and copies their queries.
  void open(ScoreTile& tile, Stage stage) const;
  /// Computes the tile's rows up to `stage`, at most masked_scores.
  void score(ScoreTile& tile, Stage stage) const;
  /// Turns masked_scores into weights.
  void weigh(ScoreTile& tile) const;
  /// The value of each weight in a row without an allowed key.
  float dead_weight() const;
  std::unique_ptr<MaskReader> reader() const { return std::make_unique<MaskReader>(rule_->expression, rule_->context); }

 private:
  void take_queries(ScoreTile& tile) const;

  ScoreSteps steps_;
  Shape shape_;
  std::shared_ptr<const ReadableMask> rule_;
  int threads_;
  Index group_;
  RowSteps row_steps_;
  /// Data of one key/value head. The first thread that needs it computes it; other groups can be computed meanwhile.
  struct Group {
    std::once_flag has_keys, has_values, has_plain_values;
    PackedMatrix keys, values;
    Tensor plain_values;
  };
  Group& at(Index b, Index g) const { return groups_[static_cast<std::size_t>(b * steps_.keys.size(1) + g)]; }
  mutable std::vector<Group> groups_;
};

// The score-shaped stages of sequences that are too long to store: rows, extremes of blocks or counts of any part of
// them, computed on request.

class ScoreSource {
 public:
  /// As ScoreRows.
  ScoreSource(ScoreSteps steps, Shape shape, std::shared_ptr<const ReadableMask> rule, int threads);

  const Shape& shape() const { return rows_.shape(); }
  /// Keys [k0, k0 + count) of one row of a stage from scores to weights, or of the mask.
  void row(Stage stage, Index b, Index h, Index q, Index k0, Index count, float* to) const;
  /// Prepares the keys and values of one head for head_outputs. Throws Cancelled.
  void prepare(Index b, Index h, const std::stop_token& stop) const;
  /// Rows [q, q + count) of head_outputs, `stride` numbers apart.
  void head_outputs(Index b, Index h, Index q, Index count, float* to, Index stride) const;
  /// As in MatrixSource.
  std::vector<BlockExtremes> extremes(Stage stage, Index b, Index h, std::span<const Index> row_cuts,
                                      std::span<const Index> col_cuts, Index rows_a_band,
                                      const std::stop_token& stop) const;
  KindCounts kinds(Stage stage, Index b, Index h, const std::stop_token& stop) const;

 private:
  /// Counts of the mask's cells, for one head.
  struct MaskCounts {
    Index allowed = 0;
    Index in_dead_rows = 0;  ///< cells of rows without an allowed key
  };
  MaskCounts mask_counts(Index b, Index h, const std::stop_token& stop) const;

  ScoreRows rows_;
  mutable std::mutex mutex_;
  mutable std::vector<std::optional<MaskCounts>> counted_;  // index b · H + h of the mask
};

/// [B, H, n_q, n_k]: a stage from scores to weights, or the mask.
Tensor stage_on_demand(std::shared_ptr<const ScoreSource> source, Stage stage);
/// [B, H, n_q, d_head]
Tensor head_outputs_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head);
/// concat [B, n_q, H · d_head] or, if there is a weight or a bias, output = concat Wᵀ + b.
Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight,
                        const Tensor& bias);

}  // namespace headlight
