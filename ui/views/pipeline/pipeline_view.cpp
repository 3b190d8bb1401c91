// The pipeline view: every stage as a card on a canvas that pans (drag) and zooms (wheel, around the pointer).

#include <algorithm>
#include <cmath>

#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/scene/focus.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/scene/travel.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/pipeline/pipeline_scene.h"

namespace headlight {
namespace {

constexpr float zoom_least = 0.5f;
constexpr float zoom_most = 12;

/// The camera for this part of the canvas; its centre stays on the canvas.
CanvasCamera camera_of(const CanvasTransform& shown, Rect place) {
  const ImVec2 middle = shown.canvas(place.centre());
  return {shown.zoom, std::clamp(middle.x / place.width(), 0.0f, 1.0f),
          std::clamp(middle.y / place.height(), 0.0f, 1.0f)};
}

void zoom_to(const Frame& frame, Rect place, const CanvasTransform& now, float zoom, ImVec2 about) {
  zoom = std::clamp(zoom, zoom_least, zoom_most);
  const ImVec2 fixed = now.canvas(about);
  const CanvasTransform nearer{{about.x - fixed.x * zoom, about.y - fixed.y * zoom}, zoom};
  frame.show([camera = camera_of(nearer, place)](View& v) { v.camera = camera; });
}

void fit(const Frame& frame) {
  frame.show([](View& v) { v.camera = {}; });
}

/// The keys + − 0, and a button for 0 unless the whole canvas is shown.
void zoom_controls(const Frame& frame, Rect place, const CanvasTransform& now) {
  const bool free = frame.takes_shortcuts();
  if (free && compat::pressed(compat::Key::plus)) zoom_to(frame, place, now, now.zoom * 1.25f, place.centre());
  if (free && compat::pressed(compat::Key::minus)) zoom_to(frame, place, now, now.zoom / 1.25f, place.centre());
  if (free && compat::pressed_once(compat::Key::zero)) fit(frame);
  if (frame.view().camera.zoom <= 0) return;
  const float width = frame.width(Face::ui, TypeSize::body, frame.words("pipeline.fit")) + ControlPad::button * frame.u;
  ImGui::SetCursorScreenPos({place.max.x - width - Space::apart * frame.u, place.min.y + Space::pad * frame.u});
  if (chip(frame, "fit", frame.words("pipeline.fit"), false, width)) fit(frame);
}

void pan_and_zoom(const Frame& frame, Rect place, const CanvasTransform& now, bool on_background) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool zooms = io.MouseWheel != 0 && ImGui::IsItemHovered();
  const bool drags = (ImGui::IsItemActive() && is_dragging(frame)) ||
                     (ImGui::IsItemHovered() && ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0));
  const bool fits = on_background && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (zooms) return zoom_to(frame, place, now, now.zoom * std::pow(1.15f, io.MouseWheel), io.MousePos);
  if (fits) return fit(frame);
  if (!drags || (io.MouseDelta.x == 0 && io.MouseDelta.y == 0)) return;
  const CanvasTransform moved{{now.origin.x + io.MouseDelta.x, now.origin.y + io.MouseDelta.y}, now.zoom};
  frame.show([camera = camera_of(moved, place)](View& v) { v.camera = camera; });
}

void click(const Frame& frame, const SceneTarget* target, const std::optional<Cell>& cell) {
  const SceneAction action = target ? target->action : SceneAction::stage;
  frame.show([action, cell, index = target ? target->index : 0, stage = target ? target->cell.stage : Stage{},
              groups = frame.trace()->dims().groups()](View& v) {
    switch (action) {
      case SceneAction::bring_forward:
        std::erase(v.brought_forward, stage);
        v.brought_forward.push_back(stage);
        v.brought_forward_beside = v.selected;
        break;
      case SceneAction::measure: v.measure = static_cast<HeadMeasure>(index); break;
      case SceneAction::head:
        v.head = index;
        if (v.selected && has_head_axis(v.selected->stage))
          v.selected->head = is_per_kv_head(v.selected->stage) ? index / groups : index;
        break;
      default: v.selected = cell && v.selected != cell ? cell : std::nullopt; break;
    }
  });
}

/// The card under the pointer, if the pointer is not on one of its cells.
void point_at_card(const Frame& frame, const Scene& scene, bool over) {
  std::optional<Stage> stage;
  for (const SceneTarget& target : scene.targets) {
    if (over && target.action == SceneAction::stage && target.rect.contains(ImGui::GetIO().MousePos))
      stage = target.cell.stage;
  }
  frame.point(&Pointed::card, stage);
}

/// Opens the operation of the cell or card under the pointer.
void go_in(const Frame& frame, const std::optional<Cell>& cell) {
  const std::optional<Stage> stage = cell ? std::optional(cell->stage) : frame.view().pointed.card;
  if (!stage || is_parameter(*stage)) return;
  frame.show([cell, stage = shown_as(*frame.trace(), *stage), trace = frame.document.trace,
              &timeline = frame.timeline](View& view) {
    if (cell) view = with_focus_on(std::move(view), *trace, *cell);
    view.levels.level = Level::operation;
    view.levels.stage = stage;
    view.pointed.cell.reset();
    if (view.step && timeline.at(*view.step).stage != stage) view.step.reset();
  });
}

}  // namespace

Rect card_on_screen(const Frame& frame, Rect place, Stage stage) {
  for (const SceneTarget& target : pipeline_scene(frame, place).targets) {
    if (target.action == SceneAction::stage && target.cell.stage == stage) return target.rect;
  }
  return place;
}

void draw_pipeline_still(const Frame& frame, Rect place) {
  draw_scene(frame, *ImGui::GetWindowDrawList(), pipeline_scene(frame, place), pipeline_overlay(frame, place));
}

Scene numbers_on_cards(const Frame& frame, Rect place) {
  Scene scene;
  for (const SceneItem& item : pipeline_scene(frame, place).items) {
    const auto* of = std::get_if<SceneHeat>(&item);
    if (!of || !of->marks) continue;  // thumbnails stay
    const HeatPicture& heat = *of->heat;
    const Cell first{heat.stage, heat.batch, heat.head, 0, 0};
    if (is_parameter(heat.stage) || heat.elsewhere || !frame.shows(first)) continue;
    MatrixQuad quad = heat.quad;
    quad.min = of->rect().min;
    quad.max = of->rect().max;
    put_cells(*frame.trace(), quad, first, scene);
  }
  return scene;
}

void draw_pipeline_view(const Frame& frame, Rect place) {
  const Scene& scene = pipeline_scene(frame, place);
  const SceneOverlay& overlay = pipeline_overlay(frame, place);
  const CanvasTransform transform = transform_of(frame.view(), place);
  zoom_controls(frame, place, transform);  // before the surface, which would otherwise take the pointer
  const ScenePointer pointer = point_at(frame, "surface", place, {&scene, &overlay.above}, {SceneAction::stage});
  const SceneTarget* target = pointer.target;
  const std::optional<Cell>& under = pointer.cell;
  // A click on a thumbnail selects its head; its cells matter only for the menu.
  const bool is_cell = under && frame.shows(*under) && target && target->action == SceneAction::stage;
  const std::optional<Cell> cell = is_cell ? under : std::nullopt;
  point_at_card(frame, scene, pointer.over && !cell);
  frame.point(&Pointed::cell, cell);
  if (!cell) tell_hint(frame, scene, target);
  if (pointer.clicked) click(frame, target, cell);
  if (pointer.over && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) go_in(frame, cell);
  offer_matrix_menu(frame, target && target->action == SceneAction::head ? under : cell);
  pan_and_zoom(frame, place, transform, !cell && !frame.view().pointed.card);
  draw_scene(frame, *ImGui::GetWindowDrawList(), scene, overlay);
}

}  // namespace headlight
