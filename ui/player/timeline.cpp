#include "ui/player/timeline.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr Index rows_one_by_one = 16;  // longer matrices advance in this many bands

/// Moved or scaled as a whole; the others are computed row by row.
bool at_once(Stage stage) {
  switch (stage) {
    case Stage::query: case Stage::key: case Stage::value:
    case Stage::Q_heads: case Stage::K_heads: case Stage::V_heads:
    case Stage::Q_rotated: case Stage::K_rotated:
    case Stage::scaled_scores: case Stage::capped_scores: case Stage::biased_scores:
    case Stage::mask: case Stage::masked_scores: case Stage::dropped_weights: case Stage::concat:
      return true;
    default:
      return false;
  }
}

bool is_input(Stage stage) { return stage <= Stage::value || is_parameter(stage); }

}  // namespace

Timeline::Timeline(const Trace& trace) {
  for (const Stage stage : trace.stages()) {
    if (trace.inputs.self_attention() && (stage == Stage::query || stage == Stage::value)) continue;  // one card, X
    const Index rows = trace[stage].size(-2);
    const Index bands = at_once(stage) ? 1 : std::min(rows, rows_one_by_one);
    chapters_.push_back({stage, count(), static_cast<int>(bands)});
    for (Index band = 0; band < bands; ++band) moments_.push_back({stage, rows * band / bands, rows * (band + 1) / bands});
  }
}

const Moment& Timeline::at(int moment) const {
  return moments_[static_cast<std::size_t>(std::clamp(moment, 0, std::max(count() - 1, 0)))];
}

Index Timeline::rows_shown(Stage stage, int moment) const {
  constexpr Index all = INT64_MAX;
  if (is_input(stage)) return all;
  moment = std::clamp(moment, 0, std::max(count() - 1, 0));
  for (const Chapter& chapter : chapters_) {
    if (chapter.stage != stage) continue;
    if (moment < chapter.first) return 0;
    if (moment >= chapter.first + chapter.count - 1) return all;
    return at(moment).last_row;
  }
  return all;
}

View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment) {
  view.step = std::clamp(moment, 0, std::max(timeline.count() - 1, 0));
  const Moment& now = timeline.at(*view.step);
  const Tensor& values = trace[now.stage];
  Cell cell{now.stage, view.batch, 0, now.last_row - 1, 0};
  if (values.rank() == 4) cell.head = is_per_kv_head(now.stage) ? view.head / trace.dims().groups() : view.head;
  view.selected = cell;
  view.path = {cell};
  view.hovered.reset();
  return view;
}

View without_moment(View view) {
  view.step.reset();
  view.playing = false;
  return view;
}

}  // namespace headlight
