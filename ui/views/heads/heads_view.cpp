// The heads view: all heads of one stage side by side with one colour range, their mean, and arcs between the tokens.

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/imgui_compat.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/heads/heads_picture.h"

namespace headlight {
namespace {

/// The arcs at the right, with the slider above them, in points.
struct ArcsPlace {
  static constexpr RoomShare width{0.38f, 260, 460};
  static constexpr float left = 92, above = 68, right = 124, slider_bottom = 60;
};
constexpr float tokens_reach = 90;   // points left of the arcs that are over a query's token
constexpr float averaging_left = 7;  // points

/// Chips for the stages that have heads, and for the measures of weights; returns the y coordinate below them.
float choose_stage(const Frame& frame, Rect place) {
  const float u = frame.u;
  float x = place.min.x, y = place.min.y;
  const auto put_chip = [&](const char* id, std::string_view words, bool chosen) {
    const float width = frame.width(Face::bold, TypeSize::note, words) + Space::row * u;
    if (x + width > place.max.x && x > place.min.x) x = place.min.x, y += ControlPitch::close_chips * u;
    ImGui::SetCursorScreenPos({x, y});
    x += width + Space::tight * u;
    return chip(frame, id, words, chosen, width);
  };
  for (const Stage stage : all_stages()) {
    if (!has_head_axis(stage) || !frame.trace()->has(stage)) continue;
    if (put_chip(name(stage).data(), name(stage), frame.view().heads.stage == stage))
      frame.show([stage](View& v) { v.heads.stage = stage; });
  }
  const bool weighs = frame.view().heads.stage == Stage::weights || frame.view().heads.stage == Stage::dropped_weights;
  if (!weighs || !can_be_measured(*frame.trace())) return y + (ControlHeight::chip + Space::pad) * u;
  x = place.min.x;
  y += ControlPitch::close_chips * u;
  for (int i = 0; i < 3; ++i) {
    const bool here = static_cast<int>(measure_shown(*frame.trace(), frame.view())) == i;
    if (put_chip(measure_keys[i], frame.words(measure_keys[i]), here))
      frame.show([i](View& v) { v.measure = static_cast<HeadMeasure>(i); });
  }
  return y + (ControlHeight::chip + Space::pad) * u;
}

/// The target of the card under the pointer: a head, or their mean with index 0.
const SceneTarget* card_at(const HeadsPicture& picture, ImVec2 point) {
  const SceneTarget* target = target_at(picture.cards, point);
  return target && target->action == SceneAction::head ? target : nullptr;
}

/// The mean belongs to no head: it has no cells to select.
std::optional<Cell> cell_in(const HeadsPicture& picture, ImVec2 point) {
  const SceneHeat* heat = heat_at(picture.cards, point);
  return heat && heat->heat != picture.average ? cell_at(picture.cards, point) : std::nullopt;
}

/// The weight whose arc is under the pointer; over a query's token at the left of the arcs, its largest weight.
std::optional<Cell> arc_or_token_at(const Frame& frame, const HeadsPicture& picture, ImVec2 point) {
  const Rect& arcs = picture.arcs;
  if (const auto cell = picture.arc_at(heads_arcs(frame, picture), point, Space::close * frame.u)) return cell;
  if (point.y < arcs.min.y || point.y >= arcs.max.y || point.x >= arcs.min.x ||
      point.x < arcs.min.x - tokens_reach * frame.u)
    return std::nullopt;
  const auto q = static_cast<Index>((point.y - arcs.min.y) / arcs.height() * static_cast<float>(picture.n_q));
  Cell cell{picture.arcs_of, frame.view().batch, frame.view().head, std::min(q, picture.n_q - 1), 0};
  cell.col = largest_column(picture.arc_shares.matrix(cell.batch, cell.head), cell.row);
  return cell;
}

/// Toggles all query heads of a card together: adds them if one was missing, otherwise removes them.
void toggle(std::vector<Index>& heads, Index first, Index users) {
  const auto removed = std::erase_if(heads, [&](Index head) { return head >= first && head < first + users; });
  for (Index head = first; static_cast<Index>(removed) < users && head < first + users; ++head) heads.push_back(head);
  std::ranges::sort(heads);
}

Rect dragged_area() {
  const ImVec2 a = ImGui::GetIO().MouseClickedPos[0], b = ImGui::GetIO().MousePos;
  return {{std::min(a.x, b.x), std::min(a.y, b.y)}, {std::max(a.x, b.x), std::max(a.y, b.y)}};
}

std::vector<Index> heads_touched(const HeadsPicture& picture, const Rect& area) {
  std::vector<Index> heads;
  for (const SceneTarget& card : picture.cards.targets) {
    const bool apart = card.rect.max.x < area.min.x || card.rect.min.x > area.max.x || card.rect.max.y < area.min.y ||
                       card.rect.min.y > area.max.y;
    for (Index i = 0; !apart && i < card.index; ++i) heads.push_back(card.cell.head + i);
  }
  return heads;
}

/// Click: select. Ctrl-click or drag: choose several. Double-click: choose only this one, or all again.
void act(const Frame& frame, const HeadsPicture& picture, const std::optional<Cell>& cell) {
  const ImGuiIO& io = ImGui::GetIO();
  const SceneTarget* card = card_at(picture, io.MousePos);
  const Index users = card ? card->index : 0;
  const std::optional<Index> head = users > 0 ? std::optional(card->cell.head) : std::nullopt;
  if (ImGui::IsItemHovered() && !io.KeyCtrl && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    frame.show([head](View& v) {
      const bool restores = v.heads.isolated || !head;
      v.heads.isolated = restores ? std::nullopt : head;
      if (restores) v.heads.heads.clear();
      if (!restores) v.head = *head;
    });
    return;
  }
  const bool ends_double_click = !io.KeyCtrl && io.MouseClickedLastCount[ImGuiMouseButton_Left] == 2;
  if (!ImGui::IsItemDeactivated() || ends_double_click) return;
  if (was_dragged(frame)) {
    frame.show([heads = heads_touched(picture, dragged_area())](View& v) { v.heads.heads = heads; });
  } else if (io.KeyCtrl && head) {
    frame.show([first = *head, users](View& v) { toggle(v.heads.heads, first, users); });
  } else {
    frame.show([head, cell](View& v) {
      if (head) v.head = *head;
      v.selected = cell;
    });
  }
}

/// Draws the number of an arc or of the mean at the pointer, since the inspector does not show it.
void draw_pointed(const Frame& frame, const HeadsPicture& picture, ImVec2 point) {
  const bool on_card = card_at(picture, point) != nullptr;
  const SceneHeat* heat = on_card ? heat_at(picture.cards, point) : nullptr;
  if (on_card && (!heat || heat->heat != picture.average)) return;
  const std::optional<Cell> cell =
      heat ? cell_at(picture.cards, point) : picture.arc_at(heads_arcs(frame, picture), point, Space::close * frame.u);
  const Tensor& values = heat ? heat->heat->quad.values : picture.arc_shares;
  if (!cell || !frame.shows(*cell) || !values.defined()) return;
  const auto text = [&] {
    const std::string number = number_text(values.matrix(cell->batch, cell->head)(cell->row, cell->col), 4);
    return heat ? picture.average_title + "  " + number : number;
  };
  tooltip(frame, frame.kept_at(std::pair(*cell, heat != nullptr), text, frame.view().heads, frame.view().measure));
}

/// Progress of the mean, in its card.
void say_averaging(const Frame& frame, const HeadsPicture& picture) {
  const HeadsAverage* average = picture.average ? frame.pictures.find<HeadsAverage>() : nullptr;
  if (!average || !average->busy()) return;
  const Rect& card = picture.cards.targets.back().rect;
  const std::string words =
      frame.words("heads.averaging") + formatted(" %.0f %%", static_cast<double>(average->share() * 100));
  frame.write_elided(Face::ui, TypeSize::body, {card.min.x + averaging_left * frame.u, card.centre().y},
                     frame.look.muted, words, card.width() - Space::apart * frame.u);
}

void mass_slider(const Frame& frame, Rect place) {
  const ControlArea area("mass", place);
  const float now = frame.view().heads.mass;
  if (const auto mass = float_slider(frame, "slider", frame.words("heads.mass"), now * 100, 0, 100,
                                     formatted("%.0f", static_cast<double>(now * 100)).c_str())) {
    const float part = std::clamp(std::round(*mass) / 100, 0.0f, 1.0f);
    if (part != now) frame.show([part](View& v) { v.heads.mass = part; });
  }
}

}  // namespace

void draw_heads_view(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inner = place.grown(-Space::card * u);
  const float side = ArcsPlace::width.of(inner.width(), u);
  const float left = inner.max.x - side;
  const float top = say_random(frame, {{inner.min.x, choose_stage(frame, inner)}, inner.max});
  const Rect grid{{inner.min.x, top}, {left - Space::part * u, inner.max.y}};
  const Rect arcs{{left + ArcsPlace::left * u, top + ArcsPlace::above * u},
                  {inner.max.x - ArcsPlace::right * u, inner.max.y - Space::near * u}};
  const HeadsPicture& picture = heads_picture(frame, grid, arcs);
  ImDrawList& list = *ImGui::GetWindowDrawList();

  mass_slider(frame, {{left, top + Space::wide * u}, {inner.max.x, top + ArcsPlace::slider_bottom * u}});
  // The column of arcs is part of the surface; the slider's window is above it.
  clickable("surface", Rect{{inner.min.x, top}, inner.max});
  const ImVec2 point = ImGui::GetIO().MousePos;
  std::optional<Cell> cell;
  if (ImGui::IsItemHovered()) {
    cell = card_at(picture, point) ? cell_in(picture, point) : arc_or_token_at(frame, picture, point);
    if (cell && !frame.shows(*cell)) cell.reset();  // not computed yet
    draw_pointed(frame, picture, point);
    const Scene& arcs_now = arcs_scene(frame, picture);
    tell_hint(frame, arcs_now, target_at(arcs_now, point));
  }
  hover(frame, cell);
  act(frame, picture, cell);

  const Stage stage = heads_stage(*frame.trace(), frame.view());
  draw_scene(frame, list, picture.cards);
  say_averaging(frame, picture);
  if (frame.shown(stage).nothing()) say_on_plate(frame, list, grid, frame.words("heads.not_yet"));
  frame.write(Face::bold, TypeSize::body, {left, top}, frame.look.ink,
              frame.words(picture.arcs_of == Stage::weights ? "heads.arcs" : "heads.arcs_share"));
  draw_scene(frame, list, arcs_scene(frame, picture));
  if (ImGui::IsItemActive() && is_dragging(frame)) {
    const Rect area = dragged_area();
    compat::add_rect(list, area.min, area.max, frame.look.accent, Corner::mark * u, u);
  }
}

}  // namespace headlight
