// The pipeline view: every stage as a card on a canvas that pans (drag) and zooms (wheel, around the pointer).
#include "ui/pipeline/pipeline_view.h"

#include <algorithm>
#include <cmath>

#include "ui/frame/frame.h"
#include "ui/imgui_compat.h"
#include "ui/level/focus.h"
#include "ui/level/travel.h"
#include "ui/look/measure.h"
#include "ui/matrix/heatmap.h"
#include "ui/matrix/matrix_menu.h"
#include "ui/pipeline/draw.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

constexpr float zoom_least = 0.5f;
constexpr float zoom_most = 12;

CanvasTransform transform_of(const View& view, Rect place) {
  const CanvasCamera& camera = view.camera;
  if (camera.zoom <= 0) return {place.min, 1};
  return {{place.centre().x - camera.x * place.width() * camera.zoom,
           place.centre().y - camera.y * place.height() * camera.zoom},
          camera.zoom};
}

/// The camera that shows the canvas so, its middle never off it.
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

/// + − 0, and a button for what 0 does while the canvas is not as it fits.
void zoom_controls(const Frame& frame, Rect place, const CanvasTransform& now) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool free = !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && frame.view().dialog == Dialog::none;
  if (free && compat::pressed(compat::Key::plus)) zoom_to(frame, place, now, now.zoom * 1.25f, place.centre());
  if (free && compat::pressed(compat::Key::minus)) zoom_to(frame, place, now, now.zoom / 1.25f, place.centre());
  if (free && compat::pressed_once(compat::Key::zero)) fit(frame);
  if (frame.view().camera.zoom <= 0) return;
  const float width =
      text_size(frame.fonts, Face::ui, TypeSize::body * frame.u, frame.words("pipeline.fit")).x + 28 * frame.u;
  ImGui::SetCursorScreenPos({place.max.x - width - 12 * frame.u, place.min.y + 10 * frame.u});
  if (chip(frame, "fit", frame.words("pipeline.fit"), false, width)) fit(frame);
}

void pan_and_zoom(const Frame& frame, Rect place, const CanvasTransform& now, bool on_background) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool zooms = io.MouseWheel != 0 && ImGui::IsItemHovered();
  const bool drags = (ImGui::IsItemActive() && is_dragging(frame)) ||
                     (ImGui::IsItemHovered() && ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0));
  const bool pans = drags && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0);
  const bool fits = on_background && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (!zooms && !pans && !fits) return;
  if (zooms) return zoom_to(frame, place, now, now.zoom * std::pow(1.15f, io.MouseWheel), io.MousePos);
  if (fits) return fit(frame);
  const CanvasTransform moved{{now.origin.x + io.MouseDelta.x, now.origin.y + io.MouseDelta.y}, now.zoom};
  frame.show([camera = camera_of(moved, place)](View& v) { v.camera = camera; });
}

/// Thumbnails choose a head when they are clicked; their cells count for the menu alone.
std::optional<Cell> thumbnail_cell(const PipelinePicture& picture, ImVec2 point) {
  for (const ThumbnailPicture& thumbnail : picture.thumbnails) {
    if (const auto cell = cell_in(thumbnail.heat, point)) return cell;
  }
  return std::nullopt;
}

/// Which of the stages that share a card the point is on.
std::optional<Stage> scrub_at(const Frame& frame, const PipelinePicture& picture, ImVec2 point) {
  const float more = 6 * frame.u * picture.layout.type;  // the parts are thin
  for (const CardPicture& card : picture.cards) {
    for (const ScrubPart& part : card.scrubber) {
      if (Rect{{part.rect.min.x, part.rect.min.y - more}, {part.rect.max.x, part.rect.max.y + more}}.contains(point))
        return part.stage;
    }
  }
  return std::nullopt;
}

std::optional<HeadMeasure> measure_at(const PipelinePicture& picture, ImVec2 point) {
  for (const CardPicture& card : picture.cards) {
    for (const MeasurePart& part : card.measures) {
      if (part.rect.contains(point)) return part.measure;
    }
  }
  return std::nullopt;
}

void select(const Frame& frame, const PipelinePicture& picture, ImVec2 point, const std::optional<Cell>& cell) {
  if (const std::optional<Stage> stage = scrub_at(frame, picture, point)) {
    return frame.show([stage = *stage](View& v) {
      std::erase(v.brought_forward, stage);
      v.brought_forward.push_back(stage);
      v.brought_forward_beside = v.selected;
    });
  }
  if (const std::optional<HeadMeasure> measure = measure_at(picture, point))
    return frame.show([measure = *measure](View& v) { v.measure = measure; });
  const std::optional<Index> head = thumbnail_at(picture, point);
  frame.show([head, cell, groups = frame.trace()->dims().groups()](View& v) {
    if (!head) {
      v.selected = cell && v.selected != cell ? cell : std::nullopt;
      return;
    }
    v.head = *head;
    if (v.selected && has_head_axis(v.selected->stage))
      v.selected->head = is_per_kv_head(v.selected->stage) ? *head / groups : *head;
  });
}

/// The card under the pointer, where it is on none of its cells.
void point_at_card(const Frame& frame, const PipelinePicture& picture, ImVec2 point, bool over) {
  std::optional<Stage> stage;
  for (const CardPicture& card : picture.cards) {
    if (over && card.card.contains(point)) stage = card.stage;
  }
  if (stage == frame.view().pointed_stage) return;
  frame.show([stage](View& v) { v.pointed_stage = stage; });
}

/// Near to the step whose cell or card is under the pointer.
void go_in(const Frame& frame, const std::optional<Cell>& cell) {
  const std::optional<Stage> stage = cell ? std::optional(cell->stage) : frame.view().pointed_stage;
  if (!stage || is_parameter(*stage)) return;
  frame.show([cell, stage = shown_as(*frame.trace(), *stage), trace = frame.document.trace,
              &timeline = frame.timeline](View& view) {
    if (cell) view = with_focus_on(std::move(view), *trace, *cell);
    view.looking.level = Level::operation;
    view.looking.stage = stage;
    view.hovered.reset();
    if (view.step && timeline.at(*view.step).stage != stage) view.step.reset();
  });
}

/// A label's whole token; on the card it may be cut.
void tell_label(const Frame& frame, const PipelinePicture& picture, ImVec2 point) {
  for (const CardPicture& card : picture.cards) {
    if (card.notes.contains(point)) return tooltip(frame, card.shape_hint);
    if (!card.labelled || !card.card.contains(point)) continue;
    const float pixels = label_points * frame.u * picture.layout.type;
    if (const std::string* label = label_at(card.heats[0], point, pixels)) tooltip(frame, *label);
  }
}

}  // namespace

Rect card_on_screen(const Frame& frame, Rect place, Stage stage) {
  const PipelinePicture& picture = pipeline_picture(frame, {place.width(), place.height()});
  for (const CardPicture& card : picture.cards) {
    if (card.stage == stage) return transform_of(frame.view(), place).screen(card.card);
  }
  return place;
}

void draw_pipeline_still(const Frame& frame, Rect place) {
  const PipelinePicture& picture = pipeline_picture(frame, {place.width(), place.height()});
  draw_pipeline(frame, picture, provenance_picture(frame, picture), moment_picture(frame, picture),
                transform_of(frame.view(), place));
}

Scene numbers_on_cards(const Frame& frame, Rect place) {
  const CanvasTransform transform = transform_of(frame.view(), place);
  Scene scene;
  for (const CardPicture& card : pipeline_picture(frame, {place.width(), place.height()}).cards) {
    for (const HeatPicture& heat : card.heats) {
      const Cell first{heat.stage, heat.batch, heat.head, 0, 0};
      if (is_parameter(heat.stage) || heat.elsewhere || !frame.shows(first)) continue;
      MatrixQuad quad = heat.quad;
      const Rect rect = transform.screen(heat.rect);
      quad.min = rect.min;
      quad.max = rect.max;
      put_cells(*frame.trace(), quad, first, scene);
    }
  }
  return scene;
}

void draw_pipeline_view(const Frame& frame, Rect place) {
  const PipelinePicture& picture = pipeline_picture(frame, {place.width(), place.height()});
  const CanvasTransform transform = transform_of(frame.view(), place);
  zoom_controls(frame, place, transform);  // before the surface, which would have the pointer else
  ImGui::SetCursorScreenPos(place.min);
  ImGui::InvisibleButton("surface", {place.width(), place.height()});
  const ImVec2 point = transform.canvas(ImGui::GetIO().MousePos);
  std::optional<Cell> cell = ImGui::IsItemHovered() ? cell_at(picture, point) : std::nullopt;
  if (cell && !frame.shows(*cell)) cell.reset();  // not computed yet
  point_at_card(frame, picture, point, !cell && ImGui::IsItemHovered());
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  if (!cell) tell_label(frame, picture, point);
  if (const std::optional<Stage> stage = ImGui::IsItemHovered() ? scrub_at(frame, picture, point) : std::nullopt) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(frame, name(*stage));
  }
  if (ImGui::IsItemHovered() && measure_at(picture, point)) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsItemDeactivated() && !was_dragged(frame)) select(frame, picture, point, cell);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) go_in(frame, cell);
  offer_matrix_menu(frame, cell ? cell : thumbnail_cell(picture, point));
  pan_and_zoom(frame, place, transform, !cell && !frame.view().pointed_stage);
  draw_pipeline(frame, picture, provenance_picture(frame, picture), moment_picture(frame, picture), transform);
}

}  // namespace headlight
