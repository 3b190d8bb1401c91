#include "ui/parts/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/matrix/swatches.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {

ImVec2 point_along(const std::array<ImVec2, 4>& curve, float t) {
  const float s = 1 - t;
  const float w[] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
  ImVec2 at{0, 0};
  for (std::size_t i = 0; i < 4; ++i) at = {at.x + w[i] * curve[i].x, at.y + w[i] * curve[i].y};
  return at;
}

namespace {

constexpr float lit_frame = 3;  // points, around what a link in a sentence refers to

/// For a circle that is nowhere more than a twentieth of a pixel inside the true one; 0, ImGui's own choice, for dots.
int segments_of(float radius) {
  if (radius < 8) return 0;
  return static_cast<int>(std::ceil(std::numbers::pi_v<float> / std::acos(1 - 0.05f / radius)));
}

struct Drawer {
  const Frame& frame;
  ImDrawList& list;
  const Look& look = frame.look;
  const Fonts& fonts = frame.fonts;
  MatrixPainter& painter = frame.painter;

  void operator()(const SceneText& text) const {
    const Rect& rect = text.rect;
    if (text.degrees == 0) return draw_text(list, fonts, text.face, text.pixels, rect.min, text.colour, text.text);
    draw_turned(list, fonts, text.face, text.pixels, {rect.max.x, (rect.min.y + rect.max.y) / 2}, text.degrees,
                text.colour, text.text, 1e6f);
  }
  void operator()(const SceneMath& math) const {
    draw_math(list, fonts, {math.pixels, math.least}, math.rect.min,
              MathInk{math.colour, math.lanes ? &look : nullptr, {}}, math.markup);
  }
  void operator()(const SceneFill& fill) const {
    constexpr float large = 10'000;  // square pixels; larger areas get a draw command of their own
    if (fill.colour >> IM_COL32_A_SHIFT == 255 && fill.rect.width() * fill.rect.height() >= large)
      return fill_area(painter, list, card_on_pixels(fill.rect), fill.colour, fill.corner);
    put(fill.rect, fill.colour, fill.corner);
  }
  void operator()(const SceneBox& box) const {
    draw_head_border(list, card_on_pixels(box.rect), box.colour, box.lap, box.corner, box.thickness,
                     std::max(frame.u, box.thickness / 1.8f));  // dashes grow with a zoomed border
  }
  void operator()(const SceneBar& bar) const { put(bar.rect(), bar.colour, bar.corner); }
  /// Rectangles are aligned to whole pixels.
  void put(Rect rect, ImU32 colour, float corner) const {
    if (corner > 0 && rect.width() >= 2 && rect.height() >= 2) rect = card_on_pixels(rect);
    compat::add_fill(list, rect.min, rect.max, colour, corner);
  }
  void operator()(const SceneHatch& hatch) const {
    const Rect& rect = hatch.rect;
    list.AddRectFilled(rect.min, rect.max, hatch.ground);
    list.PushClipRect(rect.min, rect.max, true);
    for (float x = rect.min.x - rect.height(); x < rect.max.x; x += hatch.step)
      list.AddLine({x, rect.max.y}, {x + rect.height(), rect.min.y}, hatch.colour);
    list.PopClipRect();
  }
  /// Points along a curve that are inside the clip rectangle.
  std::vector<ImVec2> seen_points(const std::array<ImVec2, 4>& curve) const {
    const Rect clip{list.GetClipRectMin(), list.GetClipRectMax()};
    std::vector<ImVec2> points;
    for (int i = 0; i <= 40; ++i) {
      const ImVec2 point = point_along(curve, static_cast<float>(i) / 40);
      if (clip.contains(point)) points.push_back(point);
    }
    return points;
  }
  void dashes(const SceneCurve& curve) const {
    constexpr int steps = 32;
    const float period = 1.8f * curve.dash;
    float carry = 0;  // position within the dash pattern where the next piece of the curve begins
    ImVec2 a = curve.points[0];
    for (int i = 1; i <= steps; ++i) {
      const ImVec2 b = point_along(curve.points, static_cast<float>(i) / steps);
      const float length = std::hypot(b.x - a.x, b.y - a.y);
      for (float from = -carry; length > 0 && from < length; from += period) {
        const float to = std::min(from + curve.dash, length);
        if (to > 0)
          list.AddLine(mixed(a, b, std::max(from, 0.0f) / length), mixed(a, b, to / length), curve.colour,
                       curve.thickness);
      }
      carry = std::fmod(carry + length, period);
      a = b;
    }
  }
  void operator()(const SceneCurve& curve) const {
    const auto& p = curve.points;
    const ImVec2 end = p[3];
    const float thick = std::max(curve.thickness, 0.5f);
    const bool straight = p[1].x == p[0].x && p[1].y == p[0].y && p[2].x == p[3].x && p[2].y == p[3].y;
    if (Record* record = curve.clear ? recording() : nullptr) record->lines.push_back(seen_points(p));
    if (curve.dash > 0) dashes(curve);
    else if (straight) list.AddLine(p[0], end, curve.colour, thick);
    else list.AddBezierCubic(p[0], p[1], p[2], end, curve.colour, thick, 0);
    if (!curve.arrow) return;
    ImVec2 along = straight ? p[0] : p[2];
    along = {end.x - along.x, end.y - along.y};
    const float length = std::max(std::hypot(along.x, along.y), 1e-3f), size = 2.2f * thick + 3;
    along = {along.x / length * size, along.y / length * size};
    list.AddTriangleFilled({end.x + along.x * 0.4f, end.y + along.y * 0.4f},
                           {end.x - along.x * 0.6f + along.y * 0.6f, end.y - along.y * 0.6f - along.x * 0.6f},
                           {end.x - along.x * 0.6f - along.y * 0.6f, end.y - along.y * 0.6f + along.x * 0.6f},
                           curve.colour);
  }
  void operator()(const SceneImage& image) const {
    painter.stretched(list, image.rect.min, image.rect.max, image.image);
  }
  void operator()(const SceneMatrix& matrix) const {
    const MatrixQuad& quad = matrix.quad;
    const Rect& seen = matrix.seen;
    const bool cut =
        seen.min.x > quad.min.x || seen.min.y > quad.min.y || seen.max.x < quad.max.x || seen.max.y < quad.max.y;
    if (cut) list.PushClipRect(seen.min, seen.max, true);
    painter.draw(list, quad);
    if (cut) list.PopClipRect();
  }
  void operator()(const SceneColours& colours) const { draw_colour_bar(list, colours.rect, *colours.map); }
  void operator()(const SceneSwatch& swatch) const {
    draw_swatch(frame, list, {swatch.kind, swatch.colour}, swatch.rect.min, swatch.rect.width());
  }
  void operator()(const SceneDot& dot) const {
    if (dot.line > 0) list.AddCircle(dot.centre, dot.radius, dot.colour, segments_of(dot.radius), dot.line);
    else list.AddCircleFilled(dot.centre, dot.radius, dot.colour, segments_of(dot.radius));
  }
  void operator()(const SceneHeat& item) const {
    const HeatPicture& heat = *item.heat;
    const Rect &rect = item.rect(), with_labels = rect.grown(12 * item.labels);
    if ((item.cells && !heat.quad.values.defined()) || !ImGui::IsRectVisible(with_labels.min, with_labels.max)) return;
    if (item.seen) list.PushClipRect(item.seen->min, item.seen->max, true);
    if (item.cells) draw_heat(frame, list, heat, rect, item.numbers, item.whole ? Shown{} : frame.shown(heat.stage));
    else if (item.numbers) write_numbers(frame, list, heat, rect, {}, true);
    if (item.labels > 0) draw_labels(frame, list, heat, rect, rect, item.labels, item.every_head);
    if (item.marks) draw_highlights(frame, list, heat, rect, item.every_head);
    if (item.seen) list.PopClipRect();
  }
};

void draw_items(const Frame& frame, ImDrawList& list, std::span<const SceneItem> items) {
  const Drawer drawer{frame, list};
  for (const SceneItem& item : items) std::visit(drawer, item);
}

}  // namespace

SceneContext scene_context(const Frame& frame) {
  return {*frame.trace(), frame.view(), frame.look, frame.fonts, frame.words, frame.u, ImGui::GetIO().DisplaySize};
}

const Rect& SceneHeat::rect() const { return place ? *place : heat->rect; }

Rect SceneBar::rect() const {
  const bool horizontal = std::abs(to.x - from.x) > std::abs(to.y - from.y) || to.y == from.y;
  Rect rect{{std::min(from.x, to.x), std::min(from.y, to.y)}, {std::max(from.x, to.x), std::max(from.y, to.y)}};
  if (horizontal) {
    rect.min.y -= thickness / 2;
    rect.max.y += thickness / 2;
    rect.max.x = std::max(rect.max.x, rect.min.x + 1);
  } else {
    rect.min.x -= thickness / 2;
    rect.max.x += thickness / 2;
    rect.max.y = std::max(rect.max.y, rect.min.y + 1);
  }
  return rect;
}

void draw_scene(const Frame& frame, ImDrawList& list, const Scene& scene) { draw_items(frame, list, scene.items); }

void draw_scene(const Frame& frame, ImDrawList& list, const Scene& scene, const SceneOverlay& overlay) {
  const std::span<const SceneItem> items = scene.items;
  draw_items(frame, list, items.first(scene.ground));
  draw_items(frame, list, overlay.ground.items);
  draw_items(frame, list, items.subspan(scene.ground));
  draw_items(frame, list, overlay.above.items);
}

SceneControls controls_of(const Frame& frame, const Scene& scene) {
  SceneControls controls;
  for (const SceneTarget& target : scene.targets) {
    if (target.id.empty()) continue;
    if (pressable(frame, target.id.c_str(), target.rect)) controls.pressed = &target;
    if (!target.hint.empty()) tooltip(frame, target.hint);
    if (ImGui::IsItemHovered()) controls.under = &target;
  }
  return controls;
}

void frame_control(const Frame& frame, const SceneTarget* under) {
  if (!under || under->framed.width() <= 0) return;
  const Rect card = card_on_pixels(under->framed);
  compat::add_rect(*ImGui::GetWindowDrawList(), card.min, card.max, frame.look.accent,
                   std::min(Corner::card * frame.u, card.height() / 4), frame.u);
}

const SceneTarget* press_controls(const Frame& frame, const Scene& scene) {
  const SceneControls controls = controls_of(frame, scene);
  frame_control(frame, controls.under);
  return controls.pressed;
}

const SceneTarget* target_at(const Scene& scene, ImVec2 point) {
  for (auto target = scene.targets.rbegin(); target != scene.targets.rend(); ++target) {
    if (target->rect.contains(point)) return &*target;
  }
  return nullptr;
}

const SceneTarget* target_at(SceneLayers layers, ImVec2 point) {
  for (const Scene* const* layer = layers.end(); layer != layers.begin();) {
    if (const SceneTarget* target = target_at(**--layer, point)) return target;
  }
  return nullptr;
}

const SceneHeat* heat_at(const Scene& scene, ImVec2 point) {
  for (auto item = scene.items.rbegin(); item != scene.items.rend(); ++item) {
    const auto* heat = std::get_if<SceneHeat>(&*item);
    if (heat && heat->rect().contains(point)) return heat;
  }
  return nullptr;
}

std::optional<Cell> cell_at(const Scene& scene, ImVec2 point) {
  const SceneHeat* heat = heat_at(scene, point);
  return heat ? cell_in(*heat->heat, heat->rect(), point) : std::nullopt;
}

void tell_hint(const Frame& frame, const Scene& scene, const SceneTarget* target) {
  if (target && !target->hint.empty()) return tooltip(frame, target->hint);
  for (const SceneItem& item : scene.items) {
    const auto* heat = std::get_if<SceneHeat>(&item);
    if (!heat || heat->labels <= 0) continue;
    if (const std::string* label = label_at(*heat->heat, heat->rect(), ImGui::GetIO().MousePos, heat->labels))
      return tooltip(frame, *label);
  }
}

std::vector<Rect> lit_by(const Scene& scene, const SceneTarget& link) {
  if (!link.link) return {};
  std::vector<Rect> lit;
  const bool of_cell = link.action == SceneAction::look_at, of_query = link.action == SceneAction::query_word;
  const auto add = [&](SceneAction action, Index index) {
    if (!lit.empty()) return;
    for (const SceneTarget& target : scene.targets) {
      const bool by_cell = action == SceneAction::look_at || action == SceneAction::head;
      const bool same = by_cell ? target.cell == link.cell : target.index == index;
      if (!target.link && target.action == action && same) lit.push_back(target.rect);
    }
  };
  add(link.action, link.index);
  if (!of_cell && !of_query && link.action != SceneAction::key_word) return lit;
  // In a row of keys, a cell belongs to its key.
  const Index word = of_cell ? link.cell.col : link.index;
  add(SceneAction::key_word, word);
  add(SceneAction::query_word, word);
  return lit;
}

void draw_lit(ImDrawList& list, const Scene& scene, const SceneTarget* target, const Look& look, float u) {
  if (!target || !target->link) return;
  const Rect& words = target->rect;
  list.AddRectFilled({words.min.x, words.max.y - u}, {words.max.x, words.max.y + u}, look.accent);
  for (const Rect& rect : lit_by(scene, *target)) {
    const Rect around = rect.grown(Space::fine * u);
    list.AddRectFilled(around.min, around.max, fade(look.accent, 0.16f), Corner::control * u);
    compat::add_rect(list, around.min, around.max, look.accent, Corner::control * u, lit_frame * u);
  }
}

float presentation_scale(ImVec2 window, float scale) {
  return std::clamp(std::min(window.x / (1150 * scale), window.y / (680 * scale)), 1.0f, 2.0f);
}

TypeSizes type_sizes(const SceneContext& context) {
  const Fonts& fonts = context.fonts;
  const float u = context.u;
  if (!context.view.presenting) {
    const auto size = [&](Face face, float points) { return fonts.crisp(face, points * u); };
    return {size(Face::ui, 26), size(Face::ui, 18),   size(Face::ui, 15),   size(Face::mono, 14),
            size(Face::ui, 13), size(Face::math, 22), size(Face::bold, 34), Space::apart * u};
  }
  // Legible from the last row: 24 pixels at 1080, and at least 18.
  const float least = std::max(18.0f, 24 * std::min(context.window.x / 1920, context.window.y / 1080));
  const auto size = [&](Face face, float times) {
    return size_not_below(fonts, face, std::max(least, least * times * 0.93f));
  };
  return {size(Face::ui, 1.9f), size(Face::ui, 1.15f),  size(Face::ui, 1.2f),   size(Face::mono, 1),
          size(Face::ui, 1),    size(Face::math, 1.5f), size(Face::bold, 1.9f), least};
}

}  // namespace headlight
