#include "ui/document/view.h"

#include <algorithm>
#include <cassert>

#include "core/explain/explain.h"

namespace headlight {

View look_at(View view, const Trace& trace, const Cell& cell) {
  view.selected = cell;
  view.hovered.reset();
  view.looked = true;
  if (!is_parameter(cell.stage)) view.batch = cell.batch;
  if (!has_head_axis(cell.stage)) return view;
  const Index groups = trace.dims().groups();
  if (!is_per_kv_head(cell.stage)) {
    view.head = cell.head;
  } else if (view.head / groups != cell.head) {
    view.head = cell.head * groups;
  }
  return view;
}

std::span<const Cell> path_of(const View& view, const Trace& trace) {
  const bool leads_here = view.selected && !view.path.empty() && view.path.back() == *view.selected;
  if (!leads_here || !std::ranges::all_of(view.path, [&](const Cell& cell) { return contains(trace, cell); }))
    return {};
  return view.path;
}

View follow(View view, const Trace& trace, const Cell& from, const Cell& source) {
  if (view.selected != from || path_of(view, trace).empty()) view.path = {from};
  view = look_at(std::move(view), trace, source);
  view.path.push_back(source);
  return view;
}

View go_back(View view, const Trace& trace, std::size_t step) {
  assert(step < view.path.size());
  view.path.resize(step + 1);
  const Cell cell = view.path.back();
  return look_at(std::move(view), trace, cell);
}

namespace {

bool in_steps(Moment::Kind kind) {
  return kind == Moment::Kind::rows || kind == Moment::Kind::columns || kind == Moment::Kind::cells;
}

}  // namespace

View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment) {
  view.step = std::clamp(moment, 0, std::max(timeline.count() - 1, 0));
  const Moment& now = timeline.at(*view.step);
  view.looking.share.reset();
  view.hovered.reset();
  view.path.clear();
  view.selected.reset();
  if (!in_steps(now.kind)) return view;
  const Tensor& values = trace[now.stage];
  Cell cell{now.stage, view.batch, 0, now.last - 1, 0};
  if (values.rank() == 4) cell.head = is_per_kv_head(now.stage) ? view.head / trace.dims().groups() : view.head;
  if (now.kind == Moment::Kind::columns) cell = {cell.stage, cell.batch, cell.head, 0, now.last - 1};
  if (now.kind == Moment::Kind::cells) {
    cell.row = (now.last - 1) / values.size(-1);
    cell.col = (now.last - 1) % values.size(-1);
  }
  view.selected = cell;
  view.path = {cell};
  return view;
}

View without_moment(View view) {
  view.step.reset();
  view.looking.share.reset();
  view.playing = false;
  return view;
}

}  // namespace headlight
