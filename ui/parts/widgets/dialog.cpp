#include "ui/parts/widgets/dialog.h"

#include <algorithm>
#include <exception>

#include "ui/base/look/measure.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {
namespace {

constexpr float margin = 22;
constexpr float below_title = 54;  // from the upper edge to the content

void close(const Frame& frame) {
  frame.show([](View& v) { v.dialog = Dialog::none; });
}

/// Takes every click outside the dialog, so that nothing below it is changed by mistake.
void draw_veil(const Frame& frame, Rect place) {
  const PanelArea area(frame, "veil", place.min, place.max, 0, {0, 0}, PanelArea::Kind::floating);
  ImGui::GetWindowDrawList()->AddRectFilled(place.min, place.max, fade(frame.look.window, 0.72f));
  if (clickable("beside", place)) close(frame);
}

}  // namespace

DialogArea::DialogArea(const Frame& frame, Rect place, Dialog kind, const char* name, const char* title, ImVec2 size,
                       ImVec2 apart)
    : frame_(frame), kind_(kind), open_(frame.view().dialog == kind) {
  if (!open_) return;
  draw_veil(frame, place);
  if (kind != Dialog::welcome) frame.focus.begin_scope();
  const float u = frame.u;
  size = {std::min(size.x * u, place.width() - apart.x * u), std::min(size.y * u, place.height() - apart.y * u)};
  const ImVec2 min{place.centre().x - size.x / 2, place.centre().y - size.y / 2};
  const ImVec2 max{min.x + size.x, min.y + size.y};
  ImGui::SetNextWindowPos(min);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {margin * u, margin * u});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, Corner::card * u);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, frame.look.panel);
  ImGui::PushStyleColor(ImGuiCol_Border, frame.look.line);
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  frame.write(Face::bold, TypeSize::heading, {min.x + margin * u, min.y + Space::row * u}, frame.look.ink, title);
  ImGui::SetCursorScreenPos({max.x - (Space::row + ControlHeight::chip) * u, min.y + Space::card * u});
  if (chip(frame, "close", "×", false, ControlHeight::chip * u)) close(frame);
  content_ = {{min.x + margin * u, min.y + below_title * u}, {max.x - margin * u, max.y - margin * u}};
  ImGui::SetCursorScreenPos(content_.min);
}

DialogArea::~DialogArea() {
  if (!open_ || std::uncaught_exceptions() > 0) return;  // after an exception, the session closes the window
  if (kind_ != Dialog::welcome) frame_.focus.end_scope();
  ImGui::Dummy({0, 0});  // a dialog may only draw; ImGui 1.89 and later want an item where the cursor was put
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
}

}  // namespace headlight
