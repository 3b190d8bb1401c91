// The bottom line: the stages in order, each in its colour, the one looked at in bold. A click looks at one.
#include <cstdio>

#include "ui/panels/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {

void draw_stage_bar(const Frame& frame, Rect place) {
  const PanelArea area(frame, "stage_bar", place.min, place.max, frame.look.panel, {0, 0});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(place.min, {place.max.x, place.min.y}, frame.look.line);
  if (!frame.trace()) return;
  const Trace& trace = *frame.trace();
  const float u = frame.u;
  Index count = 0;
  for (const Stage stage : all_stages()) count += trace.has(stage) ? 1 : 0;
  const float margin = 18 * u;
  const float step = (place.width() - 2 * margin) / static_cast<float>(count);
  const std::optional<Cell>& cell = frame.view().hovered ? frame.view().hovered : frame.view().selected;
  float x = place.min.x + margin;
  for (const Stage stage : all_stages()) {
    if (!trace.has(stage)) continue;
    const bool lit = cell && cell->stage == stage;
    const ImU32 lane = frame.look.lane(stage);
    const float y = place.min.y + 18 * u;
    list.AddRectFilled({x + 2 * u, y}, {x + step - 2 * u, y + (lit ? 6 : 4) * u}, lit ? lane : fade(lane, 0.75f), 3 * u);
    const float size = 11 * u;
    const Face face = lit ? Face::bold : Face::ui;
    const float width = text_size(frame.fonts, face, size, name(stage)).x;
    list.PushClipRect({x, place.min.y}, {x + step - 2 * u, place.max.y}, true);
    const float text_x = width < step - 4 * u ? x + (step - width) / 2 : x + 2 * u;
    draw_text(list, frame.fonts, face, size, {text_x, y + 12 * u}, lit ? frame.look.ink : frame.look.muted, name(stage));
    list.PopClipRect();
    x += step;
  }
}

}  // namespace headlight
