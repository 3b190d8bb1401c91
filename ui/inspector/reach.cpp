#include "ui/inspector/reach.h"

#include "ui/timeline/timeline.h"

namespace headlight {

std::vector<Region> reach_of(const Trace& trace, const Cell& cell) {
  std::vector<Region> regions = dependants(trace, cell);
  if (cell.stage != Stage::key || shown_as(trace, Stage::query) != Stage::key) return regions;
  for (const Stage input : {Stage::query, Stage::value}) {
    for (const Region& region : dependants(trace, {input, cell.batch, 0, cell.row, cell.col}))
      regions.push_back(region);
  }
  return regions;
}

bool shows_reach(const View& view, const Trace& trace, Stage stage) {
  const bool computed = !is_parameter(stage) && stage >= Stage::Q && stage != Stage::mask && trace.has(stage);
  return view.reaches || !computed;
}

}  // namespace headlight
