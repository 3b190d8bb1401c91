#include "ui/document/moment.h"

#include <algorithm>

namespace headlight {
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
