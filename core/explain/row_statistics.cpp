#include "core/explain/row_statistics.h"

#include <cassert>
#include <cmath>
#include <optional>

namespace headlight {
namespace {

RowFlag flag_of(const Trace& trace, Stage stage, const RowStatistics& row, Index keys, double masked_weight) {
  constexpr double tolerance = 1e-4;
  if (row.allowed == 0 && keys > 0) {
    if (std::isnan(row.sum)) return RowFlag::dead_nan;
    return row.sum == 0 ? RowFlag::dead_zero : RowFlag::dead_uniform;
  }
  if (std::isnan(row.sum)) return RowFlag::nan;
  if (masked_weight > tolerance) return RowFlag::leak;
  if (std::abs(row.sum - 1) <= tolerance) return RowFlag::none;
  return stage == Stage::dropped_weights ? RowFlag::dropout
         : trace.sink_logits.defined()   ? RowFlag::sink
                                         : RowFlag::none;
}

}  // namespace

std::vector<RowStatistics> row_statistics(const Trace& trace, Stage stage, Index batch, Index head) {
  assert(stage == Stage::weights || stage == Stage::dropped_weights);
  const MatrixView weights = trace[stage].matrix(batch, head);
  std::optional<MatrixView> mask;
  if (trace.has(Stage::mask)) mask = trace[Stage::mask].matrix(batch, head);
  std::vector<RowStatistics> rows(static_cast<std::size_t>(weights.rows));
  for (Index r = 0; r < weights.rows; ++r) {
    RowStatistics& row = rows[static_cast<std::size_t>(r)];
    double masked_weight = 0;
    row.maximum = weights(r, 0);
    for (Index c = 0; c < weights.cols; ++c) {
      const float p = weights(r, c);
      const bool allowed = !mask || (*mask)(r, c) != 0;
      row.allowed += allowed ? 1 : 0;
      row.sum += static_cast<double>(p);
      if (!(p <= 0)) row.entropy -= static_cast<double>(p) * std::log2(static_cast<double>(p));
      if (!allowed) masked_weight += static_cast<double>(p);
      if (p > row.maximum || std::isnan(p)) row.maximum = p;
    }
    if (row.sum > 0) row.entropy = row.entropy / row.sum + std::log2(row.sum);
    row.flag = flag_of(trace, stage, row, weights.cols, masked_weight);
  }
  return rows;
}

const char* word_of(RowFlag flag) {
  constexpr const char* words[] = {"",        "row.dead_nan", "row.dead_uniform", "row.dead_zero",
                                   "row.nan", "row.dropout",  "row.sink",         "row.leak"};
  return words[static_cast<std::size_t>(flag)];
}

}  // namespace headlight
