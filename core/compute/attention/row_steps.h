// The steps from scores to the mask for one row, for rows in memory (core/compute/attention/sweep.h) and for rows that
// are computed when they are read (core/compute/attention/score_source.h).
#pragma once

#include <array>
#include <vector>

#include "core/compute/attention/sweep.h"

namespace headlight {

/// Keys [k0, k0 + count) of a row.
struct RowPart {
  Index b, h, q, k0, count;
};

/// The stages between the scores and the mask, in order.
inline constexpr auto stages_before_mask = [] {
  constexpr auto first = static_cast<std::size_t>(Stage::scores) + 1;
  std::array<Stage, static_cast<std::size_t>(Stage::mask) - first> stages{};
  for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = static_cast<Stage>(first + i);
  return stages;
}();

class RowSteps {
 public:
  /// For scores of `shape`, [B, H, n_q, n_k].
  RowSteps(const ScoreSteps& steps, Shape shape);

  /// Computes one of stages_before_mask from the stage before it, in place. `room` is a buffer for a row of a term.
  void take(Stage stage, float* x, const RowPart& part, Buffer& room) const;

 private:
  Shape shape_;
  float scale_ = 1, cap_ = 0;
  std::vector<AddedTerm> added_;  ///< those that are not by distance are broadcast
};

}  // namespace headlight
