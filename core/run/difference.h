// What a change did: B − A, stage by stage.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/run/trace.h"
#include "core/stage/cell.h"

namespace headlight {

struct StageDifference {
  enum class Kind : std::uint8_t {
    same,  ///< every number is the same
    differs,
    other_shape,  ///< nothing to subtract
    only_a,       ///< the stage is in A alone
    only_b,
  };
  Stage stage{};
  Kind kind{};
  /// B − A in the stage's shape; undefined unless it differs. A number that is −∞ or NaN on both sides has not changed:
  /// 0. One that is so on one side alone has an infinite or NaN difference.
  Tensor values;
  Index changed = 0;  ///< how many numbers
  float largest = 0;  ///< |B − A| over the finite ones
  Cell at;            ///< where that is; where no finite number changed, the first that did
};

struct Difference {
  std::vector<StageDifference>
      stages;  ///< that A or B has: inputs, parameters, then the rest in the order of computation
  const StageDifference* find(Stage stage) const;
  /// The first stage that is not the same in both; null where all are.
  const StageDifference* first() const;
};

/// Throws Cancelled when asked to stop.
Difference difference(const Trace& a, const Trace& b, std::stop_token stop = {});

}  // namespace headlight
