#include "ui/frame/measure_shown.h"

#include "core/run/contributions.h"

namespace headlight {
namespace {

/// In the cache of pictures, which keeps one of a type.
struct BroughtShares {
  Tensor shares;
};

}  // namespace

HeadMeasure measure_shown(const Trace& trace, const View& view) {
  return trace.has(Stage::contribution_norms) ? view.measure : HeadMeasure::weight;
}

Stage measured_stage(const Trace& trace, const View& view, Stage stage) {
  const bool weighs = stage == Stage::weights || stage == Stage::dropped_weights;
  return weighs && measure_shown(trace, view) != HeadMeasure::weight ? Stage::contribution_norms : stage;
}

Tensor numbers_shown(const Frame& frame, Stage stage) {
  const Trace& trace = *frame.trace();
  if (!is_measure(stage) || frame.view().measure != HeadMeasure::share) return trace[stage];
  return frame.pictures
      .get<BroughtShares>([&] { return BroughtShares{row_shares(trace[stage])}; }, frame.document.trace)
      .shares;
}

}  // namespace headlight
