#include "ui/parts/matrix/matrix_menu.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {
namespace {

struct Line {
  MatrixTake what;
  const char* word;
  std::string_view keys;
};

constexpr Line lines[] = {
    {MatrixTake::value, "matrix_menu.value", "Ctrl+C"},
    {MatrixTake::row, "matrix_menu.row", "Ctrl+Shift+C"},
    {MatrixTake::matrix, "matrix_menu.matrix", "Ctrl+Alt+C"},
    {MatrixTake::figure, "matrix_menu.figure", "Ctrl+E"},
    {MatrixTake::png, "matrix_menu.png", "Alt+P"},
    {MatrixTake::svg, "matrix_menu.svg", "Alt+S"},
    {MatrixTake::csv, "matrix_menu.csv", "Alt+C"},
    {MatrixTake::npy, "matrix_menu.npy", "Alt+N"},
};
constexpr MatrixTake first_file = MatrixTake::figure;

void close(const Frame& frame) {
  frame.show([](View& v) { v.menu.reset(); });
}

/// Takes every click outside the menu, so that it does not change the selection. After everything that is above it.
void catch_clicks(const Frame& frame, Rect window, Rect menu) {
  clickable("beside", window);
  const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (ImGui::IsItemHovered() && clicked && !menu.contains(ImGui::GetIO().MousePos)) close(frame);
}

/// "weights  batch 0, head 1"
void draw_heading(const Frame& frame, const Cell& cell, ImVec2 at) {
  const float u = frame.u;
  frame.write(Face::bold, TypeSize::body, at, frame.look.lane(cell.stage), name(cell.stage));
  if (is_parameter(cell.stage)) return;
  const auto where = [&] {
    std::string text = frame.words("controls.batch") + (" " + std::to_string(cell.batch));
    if (has_head_axis(cell.stage))
      text += std::string(", ") + frame.words("controls.head") + " " + std::to_string(cell.head);
    return text;
  };
  const float x = at.x + frame.width(Face::bold, TypeSize::body, name(cell.stage)) + Space::pad * u;
  frame.write(Face::ui, TypeSize::note, {x, at.y + 1.5f * u}, frame.look.muted, frame.kept(where, cell));
}

constexpr float menu_width = 270, head_height = 30, line_room = 9, edge = 7;  // points; room for the line between parts

/// Returns whether it was clicked.
bool draw_line(const Frame& frame, const Line& line, Rect place) {
  const float u = frame.u;
  const bool clicked = pressable(frame, line.word, place);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) list.AddRectFilled(place.min, place.max, frame.look.field_hover, Corner::control * u);
  const float y = place.centre().y;
  frame.write(Face::ui, TypeSize::body, {place.min.x + Space::pad * u, y - Space::gap * u}, frame.look.ink,
              frame.words(line.word));
  const float keys = frame.width(Face::ui, TypeSize::note, line.keys);
  frame.write(Face::ui, TypeSize::note, {place.max.x - Space::pad * u - keys, y - TypeSize::body * u / 2},
              frame.look.muted, line.keys);
  return clicked;
}

}  // namespace

void offer_matrix_menu(const Frame& frame, const std::optional<Cell>& cell) {
  if (!cell || !ImGui::IsItemHovered() || !ImGui::IsMouseClicked(ImGuiMouseButton_Right)) return;
  if (!frame.shows(*cell)) return;  // not computed yet
  const ImVec2 at = ImGui::GetIO().MousePos;
  frame.show([cell, at](View& v) {
    v.selected = cell;
    v.menu = MatrixMenu{*cell, at.x, at.y};
  });
}

void draw_matrix_menu(const Frame& frame, Rect window) {
  const std::optional<MatrixMenu>& menu = frame.view().menu;
  if (!menu) return;
  if (!frame.shows(menu->cell)) return close(frame);  // its matrix no longer exists
  const float u = frame.u;
  const float line = ControlHeight::chip * u, head = head_height * u, apart = line_room * u, pad = edge * u;
  const ImVec2 size{menu_width * u, head + line * static_cast<float>(std::size(lines)) + apart + 2 * pad};
  const ImVec2 min{std::max(std::min(menu->x, window.max.x - size.x - pad), window.min.x),
                   std::max(std::min(menu->y, window.max.y - size.y - pad), window.min.y)};
  const ImVec2 max{min.x + size.x, min.y + size.y};
  const PanelArea area(frame, "matrix_menu", window.min, window.max, 0, {0, 0}, PanelArea::Kind::floating);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, frame.look.panel, Corner::card * u);
  compat::add_rect(list, min, max, frame.look.line, Corner::card * u, 1);
  frame.focus.begin_scope();
  draw_heading(frame, menu->cell, {min.x + pad + Space::pad * u, min.y + pad + Space::near * u});
  float y = min.y + pad + head;
  for (const Line& each : lines) {
    if (each.what == first_file) {
      list.AddLine({min.x, y + apart / 2}, {max.x, y + apart / 2}, frame.look.line);
      y += apart;
    }
    if (draw_line(frame, each, {{min.x + pad, y}, {max.x - pad, y + line}})) {
      close(frame);
      frame.actions.push_back(TakeMatrix{menu->cell, each.what});
    }
    y += line;
  }
  frame.focus.end_scope();
  catch_clicks(frame, window, {min, max});
}

void press_matrix_keys(const Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  const std::optional<Cell> cell = frame.view().menu ? frame.view().menu->cell : frame.looked_at();
  if (!cell || !frame.shows(*cell)) return;
  for (const Line& line : lines) {
    const auto has = [&](std::string_view key) { return line.keys.find(key) != std::string_view::npos; };
    const bool modifiers = io.KeyCtrl == has("Ctrl") && io.KeyShift == has("Shift") && io.KeyAlt == has("Alt");
    if (line.what == MatrixTake::figure || !modifiers) continue;  // the session handles Ctrl+E
    if (!compat::pressed(static_cast<char>(std::tolower(line.keys.back())))) continue;
    if (frame.view().menu) close(frame);
    frame.actions.push_back(TakeMatrix{*cell, line.what});
  }
}

}  // namespace headlight
