#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/tensor/error.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/parts/widgets/text_input.h"
#include "ui/views/map/map_picture.h"

namespace headlight {
namespace {

constexpr double nearest_points = 92;  // maximum size of a cell
constexpr double read_points = 76;     // minimum size of a cell whose number can be read
constexpr double pointed_points = 4;   // minimum size of a cell that the pointer can hit

void go(const Frame& frame, const MapCamera& camera) {
  frame.show([region = camera.region()](View& v) { v.map.region = region; });
}

/// Centres the cell and zooms in until its number can be read.
void go_to(const Frame& frame, const MapCamera& camera, std::string text) {
  const double scale = read_points * static_cast<double>(frame.u);
  Cell cell{*stage_on_map(frame), frame.view().batch, frame.view().head, 0, 0};
  frame.show([camera, scale, cell, text = std::move(text)](View& v) mutable {
    std::tie(cell.row, cell.col) = parse_place(text, camera.rows, camera.cols);
    v.selected = cell;
    v.map.region =
        centred(camera, static_cast<double>(cell.row) + 0.5, static_cast<double>(cell.col) + 0.5, scale).region();
  });
}

void place_field(const Frame& frame, const MapCamera& camera, const Rect& place) {
  if (frame.view().map.typing) {
    type_in_next_field();
    frame.show([](View& v) { v.map.typing = false; });
  }
  ImGui::SetCursorScreenPos(place.min);
  compat::push_font(frame.fonts.pick(Face::ui, TypeSize::body * frame.u), TypeSize::body * frame.u);
  ImGui::SetNextItemWidth(place.width());
  const Typed typed = text_input(frame, "##place", "", frame.words("map.go_to"));
  if (typed.entered && !typed.text.empty()) go_to(frame, camera, typed.text);
  ImGui::PopFont();
}

/// The choice of a stage, the "go to" field, and the button that shows the whole matrix.
void draw_controls_line(const Frame& frame, const MapPicture& picture, const MapLayout& layout,
                        const MapCamera& camera) {
  place_chips(picture, layout.stages, frame.u, [&](const StageChip& each, ImVec2 at) {
    ImGui::SetCursorScreenPos(at);
    const bool chosen = each.stage == picture.heat.stage;
    if (chip(frame, name(each.stage).data(), name(each.stage), chosen, each.width))
      frame.show([stage = each.stage](View& v) { v.map.stage = stage; });
  });
  place_field(frame, camera, layout.go_to);
  if (camera.shows_all()) return;
  ImGui::SetCursorScreenPos(layout.whole.min);
  if (chip(frame, "fit", frame.words("pipeline.fit"), false, layout.whole.width()))
    frame.show([](View& v) { v.map.region.reset(); });
}

void zoom_keys(const Frame& frame, const MapCamera& camera) {
  if (!frame.takes_shortcuts()) return;
  if (compat::pressed(compat::Key::plus)) go(frame, zoomed(camera, 1.5, camera.view.centre()));
  if (compat::pressed(compat::Key::minus)) go(frame, zoomed(camera, 1 / 1.5, camera.view.centre()));
  if (compat::pressed_once(compat::Key::zero)) frame.show([](View& v) { v.map.region.reset(); });
}

/// The wheel, dragging (also with the middle button), and double clicks, which zoom in.
void move_map(const Frame& frame, const MapCamera& camera, bool finds_cells) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered() && io.MouseWheel != 0)
    return go(frame, zoomed(camera, std::pow(1.25, static_cast<double>(io.MouseWheel)), io.MousePos));
  const bool drags = (ImGui::IsItemActive() && is_dragging(frame)) ||
                     (ImGui::IsItemHovered() && ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0));
  if (drags && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) return go(frame, moved(camera, io.MouseDelta));
  if (!finds_cells && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    go(frame, zoomed(camera, 4, io.MousePos));
}

void move_in_small(const Frame& frame, const MapCamera& camera, Rect small) {
  clickable("small", small);
  if (!ImGui::IsItemActive() || camera.shows_all()) return;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const double key = static_cast<double>((at.x - small.min.x) / small.width()) * static_cast<double>(camera.cols);
  const double query = static_cast<double>((at.y - small.min.y) / small.height()) * static_cast<double>(camera.rows);
  go(frame, centred(camera, query, key));
}

bool is_in_sight(const MapCamera& camera, Index row, Index col) {
  const auto [row0, row1] = camera.rows_seen();
  const auto [col0, col1] = camera.cols_seen();
  return row >= row0 && row < row1 && col >= col0 && col < col1;
}

/// Keeps the cell that Alt and an arrow select in view.
void follow_selected(const Frame& frame, const MapCamera& camera) {
  struct Followed {
    std::optional<Cell> cell;
    bool begun = false;
  };
  Followed& last = frame.pictures.get<Followed>([] { return Followed{}; });
  const std::optional<Cell>& now = frame.view().selected;
  const bool moved_on = last.begun && now && last.cell != now && is_mapped(now->stage);
  last = {now, true};
  if (!moved_on || camera.shows_all()) return;
  if (is_in_sight(camera, now->row, now->col)) return;
  go(frame, centred(camera, static_cast<double>(now->row) + 0.5, static_cast<double>(now->col) + 0.5));
}

}  // namespace

std::pair<Index, Index> parse_place(std::string_view text, Index rows, Index cols) {
  std::vector<Index> numbers;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    Index number = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
    numbers.push_back(read.ec == std::errc() ? number : INT64_MAX);
    at = static_cast<std::size_t>(read.ptr - text.data());
  }
  const bool words = std::ranges::any_of(
      text, [&](char c) { return !is_digit(c) && std::string_view(" ,;()\t").find(c) == std::string_view::npos; });
  const std::string expected =
      "expected a query below " + std::to_string(rows) + " and a key below " + std::to_string(cols);
  if (numbers.size() == 1) numbers.push_back(numbers[0]);
  if (words || numbers.size() != 2 || numbers[0] >= rows || numbers[1] >= cols)
    throw InputError("", Message("\"{0}\" is no place on the map", std::string(text)), expected);
  return {numbers[0], numbers[1]};
}

bool press_map_keys(const Frame& frame) {
  if (!compat::pressed_once('g')) return false;
  frame.show([](View& v) { v.map.typing = true; });
  return true;
}

void draw_map_view(const Frame& frame, Rect place) {
  const std::optional<Stage> stage = stage_on_map(frame);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (!stage) return say_on_plate(frame, list, place, frame.words("map.nothing"));
  const float u = frame.u;
  const MapPicture& picture = map_picture(frame, *stage);
  const MapLayout layout = map_layout(frame, place, picture);
  const HeatPicture& heat = picture.heat;
  const MapCamera camera =
      map_camera(frame.view().map.region, layout.map, heat.rows, heat.cols, nearest_points * static_cast<double>(u));
  frame.tiles.want(picture.matrix, camera.tiles());

  draw_controls_line(frame, picture, layout, camera);
  zoom_keys(frame, camera);
  follow_selected(frame, camera);
  move_in_small(frame, camera, layout.small);
  clickable("surface", layout.map);

  const bool finds_cells = camera.scale >= pointed_points * static_cast<double>(u);
  const std::optional<std::pair<Index, Index>> under =
      ImGui::IsItemHovered() ? camera.at(ImGui::GetIO().MousePos) : std::nullopt;
  std::optional<Cell> cell;
  if (under && finds_cells) cell = Cell{*stage, heat.batch, heat.head, under->first, under->second};
  if (cell && !frame.shows(*cell)) cell.reset();  // not computed yet
  if (ImGui::IsItemDeactivated() && cell && !was_dragged(frame)) {
    frame.show([cell](View& v) { v.selected = v.selected != cell ? cell : std::nullopt; });
  }
  move_map(frame, camera, finds_cells);
  hover(frame, cell);

  // The cell under the pointer, otherwise the selected one if it is visible.
  std::optional<MapPlace> looked = under;
  const std::optional<Cell>& kept = frame.view().selected;
  if (!looked && kept && is_mapped(kept->stage)) looked = MapPlace(kept->row, kept->col);
  if (looked && (looked->first >= frame.rows_shown(*stage) || !is_in_sight(camera, looked->first, looked->second)))
    looked.reset();
  const auto& [map, overlay] = map_scenes(frame, picture, layout, camera, looked);
  draw_scene(frame, list, map);
  draw_scene(frame, list, overlay);
  if (frame.shown(*stage).nothing()) say_on_plate(frame, list, layout.map, frame.words("heads.not_yet"));
}

}  // namespace headlight
