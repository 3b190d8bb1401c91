// The score-shaped stages of sequences too long to hold: any part of any of them, as rows, as blocks' extremes or as
// counts, computed when it is asked for.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/attention/product.h"
#include "core/attention/row_steps.h"
#include "core/attention/sweep.h"
#include "core/mask/mask_rule.h"
#include "core/stage/extent.h"
#include "core/stage/stage.h"

namespace headlight {

// Their rows, computed a tile at a time from Q, K and the mask as a rule. Keys that the mask rules out for a whole tile
// are never multiplied.

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// Some rows of one head, not always neighbours, over the keys that matter to them.
struct ScoreTile {
  static constexpr Index most_rows = 24;
  struct Segment {
    Index first, end, at;  ///< keys, and where the first of them stands in the tile's rows
    bool masked;           ///< cell by cell
    Index count() const { return end - first; }
  };

  ScoreTile() = default;
  ScoreTile(Index batch, Index head) : b(batch), h(head) {}
  void look_at(Index batch, Index head);

  Index b = 0, h = 0, count = 0;
  std::array<Index, most_rows> q{};
  std::array<bool, most_rows> live{};  ///< whether the mask lets a key through
  std::vector<Segment> segments;
  Buffer queries, numbers, row;  ///< `row` is room for one row of the mask or of a bias
  Index stride = 0;              ///< from row to row of `numbers`
  std::unique_ptr<MaskReader> mask;

  float* at(Index row_of_tile, const Segment& s) { return numbers.data() + row_of_tile * stride + s.at; }
  Index query(Index row_of_tile) const { return q[static_cast<std::size_t>(row_of_tile)]; }
  bool is_live(Index row_of_tile) const { return live[static_cast<std::size_t>(row_of_tile)]; }
  /// The mask over one row of a segment, in `row`.
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
  /// Query heads that share a key/value head.
  Index group() const { return group_; }
  bool is_after_mask(Stage stage) const { return rule_ && (stage == Stage::masked_scores || stage == Stage::weights); }

  /// K, transposed, and V of one key/value head as the kernels read them, packed when they are first looked at. Throws
  /// Cancelled.
  const PackedMatrix& keys(Index b, Index g, const std::stop_token& stop = {}) const;
  const PackedMatrix& values(Index b, Index g, const std::stop_token& stop = {}) const;
  /// The same V, row by row, for rows that mix all of it.
  MatrixView plain_values(Index b, Index g) const;
  /// Adds the segments of keys [k0, k1): all of them, or those that the mask leaves.
  void add_segments(ScoreTile& tile, Index k0, Index k1, bool mask) const;
  /// Makes room for the tile's rows over the keys that `stage` needs, and takes up their queries.
  void open(ScoreTile& tile, Stage stage) const;
  /// The tile's rows as `stage` has them, at most masked_scores.
  void score(ScoreTile& tile, Stage stage) const;
  /// masked_scores become weights.
  void weigh(ScoreTile& tile) const;
  /// What every weight is in a row that the mask leaves without a key.
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
  /// Of one key/value head, each made by who looks at it first; others may be made meanwhile.
  struct Group {
    std::once_flag has_keys, has_values, has_plain_values;
    PackedMatrix keys, values;
    Tensor plain_values;
  };
  Group& at(Index b, Index g) const { return groups_[static_cast<std::size_t>(b * steps_.keys.size(1) + g)]; }
  mutable std::vector<Group> groups_;
};

// The score-shaped stages of sequences too long to hold: any part of any of them, as rows, as blocks' extremes or as
// counts, computed when it is asked for.

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
