#include "ui/document/view.h"

#include <algorithm>
#include <cassert>
#include <cmath>

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

Index heads_per(const Trace& trace, Stage stage) { return is_per_kv_head(stage) ? trace.dims().groups() : 1; }

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
  if (values.rank() == 4) cell.head = view.head / heads_per(trace, now.stage);
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

LevelAddress level_address(const View& view) {
  const LevelChoice& at = view.looking;
  if (at.level != Level::operation) return {at.level, {}, Facet::step};
  if (at.facet != Facet::step) return {at.level, {}, at.facet};
  return {at.level, at.stage, at.facet};
}

View with_level(View view, const LevelAddress& level) {
  view.looking.level = level.level;
  view.looking.facet = level.facet;
  if (level.stage) view.looking.stage = *level.stage;
  return view;
}

namespace {

MapAddress map_address(const View& view) {
  MapAddress map{view.map.stage, {}};
  const auto whole = [](double at) { return static_cast<Index>(std::llround(std::max(at, 0.0))); };
  if (const auto& r = view.map.region)
    map.region = {whole(r->q0), std::max(whole(r->q1), whole(r->q0) + 1), whole(r->k0),
                  std::max(whole(r->k1), whole(r->k0) + 1)};
  return map;
}

View with_map(View view, const MapAddress& map) {
  view.map = {map.stage, {}, false};
  const auto at = [](Index i) { return static_cast<double>(i); };
  if (const auto& r = map.region) view.map.region = {at(r->q0), at(r->q1), at(r->k0), at(r->k1)};
  return view;
}

}  // namespace

ViewAddress view_address(const View& view) {
  ViewAddress address{view.kind, view.mask_lab.tab, {}};
  if (view.kind == ViewKind::map) address.map = map_address(view);
  return address;
}

View with_view(View view, const ViewAddress& address) {
  view.kind = address.kind;
  if (address.kind == ViewKind::mask) view.mask_lab.tab = address.tab;
  if (address.map) view = with_map(std::move(view), *address.map);
  return view;
}

ScenarioView saved_view(const View& view) {
  ScenarioView saved;
  saved.level = level_address(view);
  saved.select = view.selected;
  // An operation saves a played stage as the stage itself.
  if (view.step && !view.looking.share) saved.step = *view.step;
  if (view.head > 0) saved.head = view.head;
  saved.query = view.looking.query;
  saved.key = view.looking.key;
  if (view.measure != HeadMeasure::weight) saved.measure = view.measure;
  if (view.kind == ViewKind::map) saved.map = map_address(view);
  return saved;
}

View with_saved_view(View view, const ScenarioView& saved) {
  view.kind = ViewKind::pipeline;
  view.looking = {};
  if (saved.level) view = with_level(std::move(view), *saved.level);
  view.selected = saved.select;
  view.step.reset();
  if (saved.step) view.step = static_cast<int>(std::min<Index>(*saved.step, 1000000));
  view.batch = saved.select ? saved.select->batch : 0;
  view.head = saved.head.value_or(saved.select ? saved.select->head : 0);
  view.looking.query = saved.query;
  view.looking.key = saved.key;
  view.measure = saved.measure.value_or(HeadMeasure::weight);
  if (saved.map) view = with_view(std::move(view), {ViewKind::map, {}, saved.map});
  return view;
}

}  // namespace headlight
