#include "core/compute/run/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <span>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "core/compute/run/trace.h"
#include "core/rules/stage/entropy.h"

namespace headlight {
namespace {

Index heads_of(const Tensor& tensor) { return tensor.rank() == 4 ? tensor.size(1) : 1; }

void read(const Trace& trace, Stage stage, const std::stop_token& stop, StageSummary& to) {
  each_matrix(to.of, [&](const MatrixView& matrix, Index b, Index h) {
    if (stop.stop_requested()) throw Cancelled();
    const CellMasks masks = masks_over(trace, stage, b, h);
    if (to.of.source()) {
      to.extent.add(matrix, masks, stop);
      to.kinds.push_back(count_kinds(matrix, masks, stop));
    } else {
      const Survey all = survey(matrix, masks, stop);
      to.extent.add(all);
      to.kinds.push_back(all.kinds);
    }
    breathe();
  });
}

/// For a first look: head outputs that are computed when read need all keys and values, and counting needs the whole
/// mask. They are left for later.
void read_first_matrix(const Trace& trace, Stage stage, const std::stop_token& stop, StageSummary& to) {
  to.whole = false;
  if (part_of_source(to.of.matrix(0, 0)).source)
    to.extent.add(to.of.matrix(0, 0), masks_over(trace, stage, 0, 0), stop);
}

bool takes_long(const Tensor& tensor) { return tensor.source() && !projected_heads(tensor); }

}  // namespace

bool TraceSummary::is_whole() const {
  return std::ranges::all_of(stages, [](const StageSummary& stage) { return stage.whole; });
}

const KindCounts& TraceSummary::kinds(Stage stage, Index batch, Index head) const {
  const StageSummary& summary = stages[static_cast<std::size_t>(stage)];
  static const KindCounts none{};
  if (summary.kinds.empty()) return none;
  const auto at = static_cast<std::size_t>(batch * heads_of(summary.of) + std::min(head, heads_of(summary.of) - 1));
  return summary.kinds[std::min(at, summary.kinds.size() - 1)];
}

std::shared_ptr<const TraceSummary> summarise(const Trace& trace, const TraceSummary* last, bool first_look,
                                              const std::stop_token& stop) {
  auto summary = std::make_shared<TraceSummary>();
  for (const Stage stage : all_matrices()) {
    const auto i = static_cast<std::size_t>(stage);
    StageSummary& current = summary->stages[i];
    current.of = trace[stage];
    if (!current.of.defined()) continue;
    if (info(stage).cover != Cover::none) current.mask = trace[Stage::mask];
    if (info(stage).cover == Cover::mask_and_dropout) current.kept = trace.dropout_keep;
    const StageSummary* before = last ? &last->stages[i] : nullptr;
    const bool same = before && identical(before->of, current.of) && identical(before->mask, current.mask) &&
                      identical(before->kept, current.kept);
    const auto earlier = std::span(summary->stages).first(i);
    const auto same_tensor = std::ranges::find_if(earlier, [&](const StageSummary& other) {
      return info(stage).cover == Cover::none && identical(other.of, current.of);
    });
    if (same && (before->whole || first_look)) {
      current = *before;
    } else if (same_tensor != earlier.end()) {
      current = *same_tensor;  // in self-attention query, key and value are the same tensor
    } else if (first_look && takes_long(current.of)) {
      read_first_matrix(trace, stage, stop, current);
    } else {
      read(trace, stage, stop, current);
    }
  }
  return summary;
}

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
    RowEntropy entropy;
    row.maximum = weights(r, 0);
    for (Index c = 0; c < weights.cols; ++c) {
      const float p = weights(r, c);
      const bool allowed = !mask || (*mask)(r, c) != 0;
      row.allowed += allowed ? 1 : 0;
      entropy.add(static_cast<double>(p));
      if (!allowed) masked_weight += static_cast<double>(p);
      if (p > row.maximum || std::isnan(p)) row.maximum = p;
    }
    row.sum = entropy.sum();
    row.entropy = entropy.bits();
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
