#include "core/figure/summary.h"

#include "core/attention/trace.h"

namespace headlight {
namespace {

Extent extent_of(const StageSummary& stage) {
  Extent extent;
  const Index batches = stage.of.rank() >= 3 ? stage.of.size(0) : 1;
  const Index heads = stage.of.rank() == 4 ? stage.of.size(1) : 1;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads; ++h) {
      CellMasks masks;
      if (stage.mask.defined()) masks.allowed = stage.mask.matrix(b, h);
      extent.add(stage.of.matrix(b, h), masks);
    }
  }
  return extent;
}

}  // namespace

std::shared_ptr<const TraceSummary> summarise(const Trace& trace, const TraceSummary* last) {
  auto summary = std::make_shared<TraceSummary>();
  for (std::size_t i = 0; i < matrix_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    StageSummary& now = summary->stages[i];
    now.of = trace[stage];
    if (!now.of.defined()) continue;
    if (stage == Stage::masked_scores) now.mask = trace[Stage::mask];
    const StageSummary* before = last ? &last->stages[i] : nullptr;
    const bool same = before && identical(before->of, now.of) && identical(before->mask, now.mask);
    now.extent = same ? before->extent : extent_of(now);
  }
  return summary;
}

}  // namespace headlight
