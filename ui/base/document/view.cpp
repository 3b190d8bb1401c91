#include "ui/base/document/view.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/models/tokenizer/asked_word.h"
#include "core/teaching/explain/explain.h"

namespace headlight {

View look_at(View view, const Trace& trace, const Cell& cell) {
  view.selected = cell;
  view.pointed.cell.reset();
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

bool shows_gradients(const View& view) {
  const bool step = level_shown(view) == Level::pipeline || view.levels.facet == Facet::step;
  return view.loss && view.kind == ViewKind::pipeline && level_shown(view) != Level::sentence && step;
}

View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment) {
  view.step = std::clamp(moment, 0, std::max(timeline.count() - 1, 0));
  const Moment& now = timeline.at(*view.step);
  view.levels.progress.reset();
  view.pointed.cell.reset();
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
  view.levels.progress.reset();
  view.playing = false;
  return view;
}

Index asked_query(const Trace& trace, Index batch) {
  const Index last = trace.dims().n_q - 1;
  const auto entry = static_cast<std::size_t>(batch);
  const auto& words = trace.inputs.query_tokens;
  if (entry >= words.size() || words[entry].empty()) return last;
  return std::min(asked_word(words[entry]), last);
}

Index query_asked(const Trace& trace, const View& view) {
  if (view.levels.query) return std::clamp<Index>(*view.levels.query, 0, trace.dims().n_q - 1);
  const bool selected = view.selected && info(view.selected->stage).rows == Axis::query;
  return selected ? std::min(view.selected->row, trace.dims().n_q - 1) : asked_query(trace, view.batch);
}

Visited place_shown(const View& view) {
  const LevelChoice& levels = view.levels;
  return {view.kind,    levels.level, levels.facet,    view.network.together,
          levels.stage, view.step,    levels.progress, view.selected};
}

namespace {

/// Whether both are the same picture, whatever is selected in it.
bool is_same_place(const Visited& a, const Visited& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == ViewKind::network) return a.together == b.together;
  if (a.kind != ViewKind::pipeline) return true;
  return a.level == b.level && (a.level != Level::operation || a.facet == b.facet);
}

View at_place(View view, const Visited& place) {
  view.kind = place.kind;
  view.levels.level = place.level;
  view.levels.facet = place.facet;
  view.network.together = place.together;
  view.levels.stage = place.stage;
  view.levels.progress = place.share;
  view.step = place.step;
  view.playing = false;
  view.pointed.cell.reset();
  return view;
}

/// Where one goes from a place that was opened directly.
std::optional<Visited> place_above(const View& view) {
  Visited above = place_shown(view);
  above.step.reset();
  above.share.reset();
  if (view.kind == ViewKind::network) {
    if (view.network.together == LayersTogether::none) above.kind = ViewKind::pipeline;
    above.together = LayersTogether::none;
  } else if (view.kind != ViewKind::pipeline || view.levels.level == Level::sentence) {
    return {};
  } else {
    above.level = view.levels.level == Level::operation ? Level::pipeline : Level::sentence;
    above.facet = Facet::step;
  }
  return above;
}

}  // namespace

View with_trail(View view, const Visited& before) {
  const Visited now = place_shown(view);
  if (is_same_place(now, before)) return view;
  const auto known = std::ranges::find_if(view.trail, [&](const Visited& each) { return is_same_place(each, now); });
  const bool back = known != view.trail.end(),
             top = now.kind == ViewKind::pipeline && now.level == Level::sentence && before.kind != ViewKind::train;
  if (back) view.trail.erase(known, view.trail.end());
  else if (top) view.trail.clear();
  else view.trail.push_back(before);
  return view;
}

View gone_back(View view) {
  const bool pipeline = view.kind == ViewKind::pipeline;
  const bool plays = view.step && !(pipeline && view.levels.level != Level::pipeline);
  if (plays && (view.trail.empty() || view.step != view.trail.back().step)) return without_moment(std::move(view));
  const std::optional<Visited> above = view.trail.empty() ? place_above(view) : view.trail.back();
  const bool top = pipeline && view.levels.level == Level::sentence;
  const bool zoomed = pipeline && view.levels.level == Level::operation;
  const std::optional<Cell> entered = view.trail.empty() ? std::nullopt : view.trail.back().selected;
  if (!top && !zoomed && view.selected != entered) {
    view.selected = entered;
    return view;
  }
  if (!above) return view;
  if (view.trail.empty()) view.trail.push_back(*above);  // with_trail() takes it away again
  return at_place(std::move(view), *above);
}

View with_words_of(View view, const View& other) {
  view.levels.query = other.levels.query;
  view.levels.key = other.levels.key;
  view.levels.at = other.levels.at;
  view.selected = other.selected;
  view.path = other.path;
  view.looked = other.looked;
  return view;
}

View without_words(View view) {
  view.levels.query.reset();
  view.levels.key.reset();
  view.levels.at.reset();
  view.pointed.word.reset();
  if (view.selected) view.looked = false;  // the same cell of another text is another question
  view.selected.reset();
  view.path.clear();
  return view;
}

std::string level_address(const View& view) { return level_text(fields_named(view, {"level", "facet", "stage"})); }

std::optional<MapRegion> whole_region(const View& view) {
  if (!view.map.region) return {};
  const MapRegion& r = *view.map.region;
  const auto whole = [](double at) { return std::round(std::max(at, 0.0)); };
  return MapRegion{whole(r.q0), std::max(whole(r.q1), whole(r.q0) + 1), whole(r.k0),
                   std::max(whole(r.k1), whole(r.k0) + 1)};
}

std::string view_address(const View& view) {
  View whole = view;
  whole.map.region = whole_region(view);
  return view_text(fields_named(whole, {"kind", "tab", "map", "region"}));
}

ViewFields saved_view(const View& view) {
  ViewFields saved = parse_level("--level", level_address(view));
  const auto add = [&](bool there, const char* name) {
    if (there) saved += ";" + fields_named(view, {name});
  };
  add(view.selected.has_value(), "select");
  add(view.step && !view.levels.progress, "step");  // an operation saves a played stage as the stage itself
  add(view.head > 0, "head");
  add(view.levels.query.has_value(), "query");
  add(view.levels.key.has_value(), "key");
  add(view.measure != HeadMeasure::weight, "measure");
  if (view.kind == ViewKind::map) saved += ";" + parse_view("--view", view_address(view));
  return saved;
}

View with_saved_view(View view, const ViewFields& saved) {
  view.kind = ViewKind::pipeline;
  view.levels = {};
  view.selected.reset();
  view.step.reset();
  view.batch = view.head = 0;
  view.measure = HeadMeasure::weight;
  if (field_of(saved, "kind") == name(ViewKind::map)) view.map = {};
  view = with_view_fields(std::move(view), saved);
  if (!view.selected) return view;
  view.batch = view.selected->batch;
  if (!field_of(saved, "head")) view.head = view.selected->head;
  return view;
}

}  // namespace headlight
