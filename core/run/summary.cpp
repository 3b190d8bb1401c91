#include "core/run/summary.h"

#include <algorithm>

#include "core/parallel/turns.h"
#include "core/run/masks_over.h"
#include "core/run/trace.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

Index heads_of(const Tensor& tensor) { return tensor.rank() == 4 ? tensor.size(1) : 1; }

void read(const Trace& trace, Stage stage, const std::stop_token& stop, StageSummary& to) {
  const Index batches = to.of.rank() >= 3 ? to.of.size(0) : 1;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads_of(to.of); ++h) {
      if (stop.stop_requested()) throw Cancelled();
      const CellMasks masks = masks_over(trace, stage, b, h);
      to.extent.add(to.of.matrix(b, h), masks);
      to.kinds.push_back(count_kinds(to.of.matrix(b, h), masks));
      breathe();
    }
  }
}

}  // namespace

const KindCounts& TraceSummary::kinds(Stage stage, Index batch, Index head) const {
  const StageSummary& summary = stages[static_cast<std::size_t>(stage)];
  static const KindCounts none{};
  if (summary.kinds.empty()) return none;
  const auto at = static_cast<std::size_t>(batch * heads_of(summary.of) + std::min(head, heads_of(summary.of) - 1));
  return summary.kinds[std::min(at, summary.kinds.size() - 1)];
}

std::shared_ptr<const TraceSummary> summarise(const Trace& trace, const TraceSummary* last, const std::stop_token& stop) {
  auto summary = std::make_shared<TraceSummary>();
  for (const Stage stage : all_matrices()) {
    const auto i = static_cast<std::size_t>(stage);
    StageSummary& now = summary->stages[i];
    now.of = trace[stage];
    if (!now.of.defined()) continue;
    if (info(stage).cover != Cover::none) now.mask = trace[Stage::mask];
    if (info(stage).cover == Cover::mask_and_dropout) now.kept = trace.dropout_keep;
    const StageSummary* before = last ? &last->stages[i] : nullptr;
    const bool same = before && identical(before->of, now.of) && identical(before->mask, now.mask) && identical(before->kept, now.kept);
    if (same) {
      now = *before;
    } else {
      read(trace, stage, stop, now);
    }
  }
  return summary;
}

}  // namespace headlight
