// The difference B − A between two traces, stage by stage.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compute/run/trace.h"
#include "core/rules/stage/stage.h"

namespace headlight {

struct StageDifference {
  enum class Kind : std::uint8_t {
    same,  ///< all numbers are equal
    differs,
    other_shape,  ///< cannot be subtracted
    only_a,       ///< only A has the stage
    only_b,
  };
  Stage stage{};
  Kind kind{};
  /// B − A in the stage's shape; undefined unless it differs. Numbers that are −∞ or NaN on both sides count as equal:
  /// 0. If only one side is, the difference is infinite or NaN.
  Tensor values;
  Index changed = 0;  ///< number of changed values
  float largest = 0;  ///< the largest finite |B − A|
  Cell at;            ///< its position; if no finite number changed, the first that did
};

struct Difference {
  std::vector<StageDifference> stages;  ///< inputs, parameters, then stages in order of computation, of A or B
  const StageDifference* find(Stage stage) const;
  /// The first stage that differs; null if none does.
  const StageDifference* first() const;
};

/// Throws Cancelled.
Difference difference(const Trace& a, const Trace& b, std::stop_token stop = {});

}  // namespace headlight
