#include "ui/base/timeline/timeline.h"

#include <algorithm>

#include "core/teaching/explain/explain.h"

namespace headlight {
namespace {

// Longer matrices advance in this many bands of rows or columns, ranges of numbers, or of terms.
constexpr Index bands_at_most = 16;
constexpr Index runs_at_most = 64;

}  // namespace

Stage shown_as(const Trace& trace, Stage stage) {
  return trace.inputs.self_attention() && (stage == Stage::query || stage == Stage::value) ? Stage::key : stage;
}

void Timeline::add(Stage stage, Moment::Kind kind, Index count, Index most) {
  const Index moments = std::min(count, most);
  for (Index i = 0; i < moments; ++i) moments_.push_back({stage, kind, count * i / moments, count * (i + 1) / moments});
}

void Timeline::add_product(const Trace& trace, Stage stage, ProductOrder way) {
  const Index rows = trace[stage].size(-2), cols = trace[stage].size(-1);
  switch (way) {
    case ProductOrder::rows: return add(stage, Moment::Kind::rows, rows, bands_at_most);
    case ProductOrder::columns: return add(stage, Moment::Kind::columns, cols, bands_at_most);
    case ProductOrder::dot: return add(stage, Moment::Kind::cells, rows * cols, runs_at_most);
    case ProductOrder::outer: break;
  }
  add(stage, Moment::Kind::terms, product_terms(trace, stage), bands_at_most);
  add(stage, Moment::Kind::rows, rows, 1);
}

Timeline::Timeline(const Trace& trace, ProductOrder way) {
  for (const Stage stage : trace.stages()) {
    if (shown_as(trace, stage) != stage) continue;
    const int first = count();
    const Index rows = trace[stage].size(-2), numbers = rows * trace[stage].size(-1);
    if (product_terms(trace, stage) > 0) {
      add_product(trace, stage, way);
    } else if (is_rearrangement(stage)) {
      add(stage, Moment::Kind::travel, travel_parts - 1, travel_parts);
      add(stage, Moment::Kind::rows, rows, 1);
    } else {
      if (stage == Stage::weights && trace.standing_for(Stage::masked_scores)) {  // otherwise they are from a file
        for (const auto kind : {Moment::Kind::shifted, Moment::Kind::exponentials, Moment::Kind::sums})
          add(stage, kind, 1, 1);
      }
      if (way == ProductOrder::dot) add(stage, Moment::Kind::cells, numbers, runs_at_most);
      else add(stage, Moment::Kind::rows, rows, stage == Stage::weights ? bands_at_most : 1);
    }
    chapters_.push_back({stage, first, count() - first, trace[stage].size(-1)});
  }
}

const Moment& Timeline::at(int moment) const {
  return moments_[static_cast<std::size_t>(std::clamp(moment, 0, std::max(count() - 1, 0)))];
}

const Timeline::Chapter* Timeline::chapter_of(Stage stage) const {
  const auto found = std::ranges::find(chapters_, stage, &Chapter::stage);
  return found == chapters_.end() ? nullptr : &*found;
}

Shown Timeline::shown(Stage stage, int moment) const {
  const Chapter* chapter = chapter_of(stage);
  if (is_input(stage) || is_parameter(stage) || chapter == nullptr) return {};
  moment = std::clamp(moment, 0, std::max(count() - 1, 0));
  if (moment < chapter->first) return {.rows = 0};
  if (moment >= chapter->first + chapter->count - 1) return {};
  const Moment& now = at(moment);
  switch (now.kind) {
    case Moment::Kind::rows: return {.rows = now.last};
    case Moment::Kind::columns: return {.columns = now.last};
    case Moment::Kind::cells: return {.rows = now.last / chapter->columns, .cells = now.last % chapter->columns};
    default: return {.rows = 0};
  }
}

}  // namespace headlight
