#include "core/compute/run/difference.h"

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

bool same_number(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Adds the differences of one matrix to `values` and to the statistics of the stage.
void subtract(StageDifference& stage, const MatrixView& a, const MatrixView& b, Cell at, Buffer& values) {
  bool only_infinite = stage.largest == 0;
  for (at.row = 0; at.row < b.rows; ++at.row) {
    for (at.col = 0; at.col < b.cols; ++at.col) {
      const float from = a(at.row, at.col);
      const float to = b(at.row, at.col);
      const bool same = same_number(from, to);
      const float change = same ? 0 : to - from;
      values.push_back(change);
      if (same) continue;
      if (stage.changed++ == 0) stage.at = at;
      if (!std::isfinite(change) || (!only_infinite && std::abs(change) <= stage.largest)) continue;
      only_infinite = false;
      stage.largest = std::abs(change);
      stage.at = at;
    }
  }
}

StageDifference compare(Stage stage, const Tensor& a, const Tensor& b, const std::stop_token& stop) {
  using Kind = StageDifference::Kind;
  StageDifference result;
  result.stage = stage;
  if (!a.defined() || !b.defined()) {
    result.kind = a.defined() ? Kind::only_a : Kind::only_b;
    return result;
  }
  if (a.shape() != b.shape()) {
    result.kind = Kind::other_shape;
    return result;
  }
  if (identical(a, b)) return result;
  Buffer values;
  values.reserve(static_cast<std::size_t>(b.count()));
  each_matrix(b, [&](const MatrixView& matrix, Index batch, Index head) {
    if (stop.stop_requested()) throw Cancelled();
    subtract(result, a.matrix(batch, head), matrix, {stage, batch, head, 0, 0}, values);
  });
  if (result.changed == 0) return result;
  result.kind = Kind::differs;
  result.values = Tensor(b.shape(), std::move(values));
  return result;
}

}  // namespace

const StageDifference* Difference::find(Stage stage) const {
  const auto found = std::ranges::find(stages, stage, &StageDifference::stage);
  return found == stages.end() ? nullptr : &*found;
}

const StageDifference* Difference::first() const {
  const auto found =
      std::ranges::find_if(stages, [](const StageDifference& s) { return s.kind != StageDifference::Kind::same; });
  return found == stages.end() ? nullptr : &*found;
}

Difference difference(const Trace& a, const Trace& b, std::stop_token stop) {
  Difference result;
  for (const bool computed : {false, true}) {  // inputs first
    for (const Stage stage : all_matrices()) {
      const bool given = is_input(stage) || is_parameter(stage);
      if (given != computed && (a.has(stage) || b.has(stage)))
        result.stages.push_back(compare(stage, a[stage], b[stage], stop));
    }
  }
  return result;
}

}  // namespace headlight
