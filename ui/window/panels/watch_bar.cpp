// The bar above the timeline for a running model: its name, its recorded calls, the layer, the gradient of a weight.
#include <algorithm>

#include "core/base/arrays/file_watch.h"
#include "core/base/tensor/error.h"
#include "core/rules/stage/extent.h"
#include "core/scenario/inputs/tensor_file.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

/// The bar, its line of steps, and the matrix of gradients above it, in points.
struct WatchSizes {
  static constexpr float height = 34, gradients = 208, line = 20;
  static constexpr float step_now = 6, step = 2;  ///< radii
  static constexpr float steps_from = 3, least_steps = 60;
};

struct RunPicture {
  std::vector<RecordedStep> steps;
  std::size_t at = 0;               ///< the one shown
  std::vector<std::string> layers;  ///< the modules' names
  std::string missing;              ///< attentions of the call that were not recorded, and the reason
  std::size_t missing_count = 0;
  Index layer = 0;
};

RunPicture run_picture(const Document& document) {
  const std::string& file = document.scenario.file;
  RunPicture picture;
  picture.steps = recorded_steps(file);
  const auto shown = std::ranges::find(picture.steps, file, &RecordedStep::path);
  if (shown == picture.steps.end()) picture.steps.clear();
  else picture.at = static_cast<std::size_t>(shown - picture.steps.begin());
  if (document.trace && document.trace->inputs.file) {
    if (const auto names = document.trace->inputs.file->arrays().words("layer_names")) picture.layers = names->words;
    if (const auto missing = document.trace->inputs.file->arrays().words("not_recorded")) {
      picture.missing_count = missing->words.size();
      for (const std::string& each : missing->words) picture.missing += (picture.missing.empty() ? "" : "\n") + each;
    }
  }
  if (!document.scenario.layer.empty())
    picture.layer = std::clamp<Index>(static_cast<Index>(std::atoi(document.scenario.layer.c_str())), 0,
                                      std::max<Index>(static_cast<Index>(picture.layers.size()) - 1, 0));
  return picture;
}

/// The gradient of the loss with respect to a layer's weights, [B, H, n_q, n_k]; undefined if no backward pass has run.
struct LayerGradient {
  Tensor values;
  bool has(const Cell& cell) const {
    if (!values.defined() || values.rank() != 4 || cell.batch >= values.size(0) || cell.head >= values.size(1))
      return false;
    return cell.row < values.size(2) && cell.col < values.size(3);
  }
};
LayerGradient gradient_of(const std::string& file, Index layer) {
  try {
    return {recorded_gradients(file, layer)};
  } catch (const InputError&) {
    return {};  // it has been removed in favour of newer ones
  }
}

/// The gradients of a head above the bar, queries down and keys across, with a frame around the cell.
void draw_gradients(const Frame& frame, const LayerGradient& gradient, const Cell& cell, float right, float bottom) {
  const float u = frame.u, side = WatchSizes::gradients * u, line = WatchSizes::line * u;
  const Rect place{{right - side - Space::section * u, bottom - side - 2 * line - Space::section * u}, {right, bottom}};
  const PanelArea area(frame, "gradients", place.min, place.max, frame.look.panel, {0, 0}, PanelArea::Kind::floating);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  compat::add_rect(list, place.min, place.max, frame.look.line, 0, u);
  const MatrixView matrix = gradient.values.matrix(cell.batch, cell.head);
  const float size = side / static_cast<float>(std::max(matrix.rows, matrix.cols));
  const Colormap& map = window_colormap(frame.view(), Stage::scores);
  Extent extent;
  extent.add(matrix);
  MatrixQuad quad;
  quad.min = {place.min.x + Space::apart * u, place.min.y + Space::apart * u + line};
  quad.max = {quad.min.x + size * static_cast<float>(matrix.cols), quad.min.y + size * static_cast<float>(matrix.rows)};
  quad.values = gradient.values;
  quad.batch = cell.batch;
  quad.head = cell.head;
  quad.colormap = &map;
  quad.range = extent.range(map.kind());
  quad.theme = frame.look.theme;
  frame.painter.draw(list, quad);
  const ImVec2 at{quad.min.x + size * static_cast<float>(cell.col), quad.min.y + size * static_cast<float>(cell.row)};
  compat::add_rect(list, at, {at.x + size, at.y + size}, frame.look.ink, 0, Stroke::chosen(u));
  const auto say = [&](float y, const std::string& text) {
    frame.write(Face::ui, TypeSize::note, {quad.min.x, y}, frame.look.ink, text);
  };
  say(place.min.y + Space::gap * u, frame.words.fill("watch.gradients", {cell.head}));
  say(place.max.y - Space::gap * u - line, bound_text(quad.range.lo) + " … " + bound_text(quad.range.hi));
}

float draw_note(const Frame& frame, float x, float y, ImU32 colour, std::string_view text) {
  frame.write(Face::ui, TypeSize::body, {x, y}, colour, text);
  return x + frame.width(Face::ui, TypeSize::body, text);
}

/// The layer's name between two buttons. Returns where it ends.
float draw_layer(const Frame& frame, const RunPicture& run, float x, Rect place) {
  const float u = frame.u, y = place.min.y + Space::tight * u;
  const auto last = static_cast<Index>(run.layers.size()) - 1;
  const auto go = [&](const char* id, const char* sign, Index to) {
    ImGui::SetCursorScreenPos({x, y});
    if (chip(frame, id, sign, false, Space::section * u) && to >= 0 && to <= last)
      frame.edit({}, [to](Scenario& s) { s.layer = std::to_string(to); });
    x += Space::section * u;
  };
  go("layer_before", "‹", run.layer - 1);
  const std::string text =
      frame.words.fill("watch.layer", {run.layer, last}) + "  " + run.layers[static_cast<std::size_t>(run.layer)];
  x = draw_note(frame, x + Space::gap * u, y + Space::near * u, frame.look.ink, text) + Space::gap * u;
  go("layer_after", "›", run.layer + 1);
  return x;
}

/// A mark for each recorded call; a click selects it.
void draw_steps(const Frame& frame, const RunPicture& run, float left, float right, Rect place) {
  const float u = frame.u, y = place.centre().y;
  const auto count = static_cast<float>(run.steps.size());
  clickable("steps", Rect{{left, place.min.y}, {right, place.max.y}});
  if (ImGui::IsItemHovered()) tooltip(frame, frame.words("watch.steps"));
  if (ImGui::IsItemActive()) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - left) / (right - left), 0.0f, 0.9999f);
    const auto to = static_cast<std::size_t>(share * count);
    if (to != run.at) frame.actions.push_back(OpenFile{run.steps[to].path});
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float step = (right - left) / count;
  list.AddLine({left, y}, {right, y}, frame.look.line, u);
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const float x = left + (static_cast<float>(i) + 0.5f) * step;
    if (i == run.at) list.AddCircleFilled({x, y}, WatchSizes::step_now * u, frame.look.accent, 24);
    else if (step >= WatchSizes::steps_from * u)
      list.AddCircleFilled({x, y}, WatchSizes::step * u, frame.look.muted, 12);
  }
}

/// The chip that opens the newest call, right-aligned at `right`; returns the new right end of the free room.
float draw_newest(const Frame& frame, const RunPicture& run, float right, Rect place) {
  const float u = frame.u;
  const bool live = run.at + 1 == run.steps.size();
  const char* words = frame.words("watch.newest");
  right -= chip_width(frame, words);
  ImGui::SetCursorScreenPos({right, place.min.y + Space::tight * u});
  if (chip(frame, "newest", words, live) && !live) frame.actions.push_back(OpenFile{run.steps.back().path});
  tooltip(frame, frame.words("watch.newest_hint"));
  return right - Space::card * u;
}

/// The gradient of the selected weight, if it fits right of `left`; returns the new right end of the free room.
float draw_gradient(const Frame& frame, const RunPicture& run, float left, float right, Rect place) {
  const auto cell = frame.looked_at();
  if (!cell || cell->stage != Stage::weights || frame.view().kind != ViewKind::pipeline) return right;
  const float u = frame.u;
  const std::string& file = frame.document.scenario.file;
  const FileStamp backward = stamp_of(path_from(file.substr(0, file.rfind('.')) + ".gradients.npz"));
  const LayerGradient& gradient = frame.pictures.get<LayerGradient>([&] { return gradient_of(file, run.layer); }, file,
                                                                    run.layer, backward.changed);
  const bool has = gradient.has(*cell);
  const std::string text =
      has ? frame.words.fill("watch.gradient",
                             {bound_text(gradient.values.at({cell->batch, cell->head, cell->row, cell->col}))})
          : frame.words("watch.no_gradient");
  const float width = frame.width(Face::ui, TypeSize::body, text);
  if (right - width <= left + WatchSizes::least_steps * u) return right;
  draw_note(frame, right - width, place.min.y + Space::pad * u, frame.look.ink, text);
  ImGui::SetCursorScreenPos({right - width, place.min.y});
  clickable("gradient", {width, place.height()});
  takes_keyboard(frame);
  if (has && (ImGui::IsItemHovered() || cell == frame.view().selected))
    draw_gradients(frame, gradient, *cell, place.max.x - Space::apart * u, place.min.y - Space::gap * u);
  return right - width - Space::row * u;
}

}  // namespace

float watch_height(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  const bool watched = now.source == Source::file && !watched_name(now.file).empty();
  return watched && !frame.view().alone && !frame.view().presenting ? WatchSizes::height * frame.u : 0;
}

void draw_watch_bar(const Frame& frame, Rect place) {
  const PanelArea area(frame, "watch_bar", place.min, place.max, frame.look.panel, {0, 0});
  ImGui::GetWindowDrawList()->AddLine(place.min, {place.max.x, place.min.y}, frame.look.line);
  const float u = frame.u, y = place.min.y + Space::pad * u;
  const std::string& file = frame.document.scenario.file;
  const FileStamp newest = stamp_of(path_from(file_to_follow(file)));
  const RunPicture& run =
      frame.pictures.get<RunPicture>([&] { return run_picture(frame.document); }, frame.document.trace, file,
                                     frame.document.scenario.layer, newest.changed);
  if (run.steps.empty()) return;
  const std::string call = frame.words.fill("watch.call", {watched_name(file), grouped(run.steps[run.at].step)});
  float x = draw_note(frame, place.min.x + Space::row * u, y, frame.look.ink, call) + Space::row * u;
  if (!run.layers.empty()) x = draw_layer(frame, run, x, place) + Space::row * u;
  if (run.missing_count > 0) {
    const std::string text = frame.words.fill("watch.missing", {run.missing_count});
    ImGui::SetCursorScreenPos({x, place.min.y});
    x = draw_note(frame, x, y, frame.look.warning, text);
    clickable("missing", {x - ImGui::GetCursorScreenPos().x, place.height()});
    tooltip(frame, run.missing);
    x += Space::row * u;
  }
  float right = draw_newest(frame, run, place.max.x - Space::row * u, place);
  right = draw_gradient(frame, run, x, right, place);
  if (right - x > WatchSizes::least_steps * u) draw_steps(frame, run, x, right, place);
}

}  // namespace headlight
