#include "ui/views/masklab/painting.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/rules/stage/extent.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

constexpr float most_zoom = 256;
constexpr std::size_t most_outlines = 4000;

PaintSizes sizes_of(const Dims& dims) { return {dims.batch, dims.heads, dims.n_q, dims.n_k}; }

/// Size of the brush in cells, along each axis: one, or more if cells are too small to aim at.
Index brush_of(const Frame& frame, const HeatPicture& heat, Rect rect) {
  const ImVec2 cell = cell_size(heat, rect);
  return std::max<Index>(1, std::lround(std::ceil(Space::tight * frame.u / std::min(cell.x, cell.y))));
}

/// The cells that a stroke between two cells paints, in the view's scope.
PaintedCells stroke_area(const View& view, const Dims& dims, const Cell& from, const Cell& to, Index brush) {
  const MaskPainting& painting = view.mask_painting;
  PaintedCells area;
  if (painting.one_head && dims.heads > 1) area.head = view.head;
  if (painting.one_entry && dims.batch > 1) area.batch = view.batch;
  const bool wide = painting.tool == PaintTool::row, tall = painting.tool == PaintTool::column;
  const Index margin = painting.tool == PaintTool::rectangle ? 0 : brush / 2;
  const Index top = std::max<Index>(0, std::min(from.row, to.row) - margin),
              left = std::max<Index>(0, std::min(from.col, to.col) - margin);
  const Index more = painting.tool == PaintTool::rectangle ? 0 : (brush - 1) / 2;
  area.query = tall ? 0 : top;
  area.key = wide ? 0 : left;
  area.queries = tall ? dims.n_q : std::min(std::max(from.row, to.row) + more + 1, dims.n_q) - top;
  area.keys = wide ? dims.n_k : std::min(std::max(from.col, to.col) + more + 1, dims.n_k) - left;
  if (painting.by_blocks) {
    const Index block = block_in_force(view.mask_lab, dims);
    const auto widen = [block](Index& first, Index& count, Index all) {
      const Index end = std::min((first + count + block - 1) / block * block, all);
      first = first / block * block;
      count = end - first;
    };
    widen(area.query, area.queries, dims.n_q);
    widen(area.key, area.keys, dims.n_k);
  }
  return area;
}

void change_painting(const Frame& frame, const MaskPainting& painting) {
  frame.show([painting](View& v) { v.mask_painting = painting; });
}

/// Gives the cells their new state, as one undo step.
void paint_area(const Frame& frame, const PaintedCells& area, Paint paint) {
  frame.edit({}, [area, paint, sizes = sizes_of(frame.trace()->dims())](Scenario& s) {
    s.painted = painted_over(s.painted, area, paint, sizes);
  });
}

/// The part of the view that stroke_area() uses.
View stroke_view(const View& view) {
  View part;
  part.batch = view.batch;
  part.head = view.head;
  part.mask_painting = view.mask_painting;
  part.mask_lab.block = view.mask_lab.block;
  return part;
}

/// Paints along the line from one cell to the next, so that fast movements leave no gaps.
void paint_line(const Frame& frame, const Cell& from, const Cell& to, Index brush, Paint paint, int stroke) {
  frame.actions.push_back(EditScenario{
      [from, to, brush, paint, dims = frame.trace()->dims(), view = stroke_view(frame.view())](Scenario& s) {
        const Index steps = std::max({std::abs(to.row - from.row), std::abs(to.col - from.col), Index{1}});
        const Index stride = std::max<Index>(1, brush / 2);
        for (Index i = 0; i <= steps; i += i < steps ? std::min(stride, steps - i) : 1) {
          Cell at = from;
          at.row += (to.row - from.row) * i / steps;
          at.col += (to.col - from.col) * i / steps;
          s.painted = painted_over(s.painted, stroke_area(view, dims, at, at, brush), paint, sizes_of(dims));
        }
      },
      "stroke " + std::to_string(stroke), true});
}

/// The cell nearest to the point, also for points outside the matrix.
Cell nearest(const HeatPicture& heat, Rect rect, ImVec2 point) {
  point.x = std::clamp(point.x, rect.min.x, rect.max.x - 0.01f);
  point.y = std::clamp(point.y, rect.min.y, rect.max.y - 0.01f);
  return cell_in(heat, rect, point).value_or(Cell{heat.stage, heat.batch, heat.head, 0, 0});
}

/// Zooms with the wheel around the pointer, and moves the visible part with the middle button.
void zoom_at_pointer(const Frame& frame, Rect rect, Rect seen) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool pans = frame.view().mask_painting.zoom > 1 && ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0);
  if ((io.MouseWheel == 0 && !pans) || !seen.contains(io.MousePos)) return;
  MaskPainting painting = frame.view().mask_painting;
  const ImVec2 part{(io.MousePos.x - rect.min.x) / rect.width(), (io.MousePos.y - rect.min.y) / rect.height()};
  if (io.MouseWheel != 0) painting.zoom = std::clamp(painting.zoom * std::pow(1.25f, io.MouseWheel), 1.0f, most_zoom);
  const ImVec2 size{seen.width() * painting.zoom, seen.height() * painting.zoom};
  const float room = 1 - 1 / painting.zoom;
  const ImVec2 moved = pans ? io.MouseDelta : ImVec2{0, 0};
  painting.left = std::clamp(part.x - (io.MousePos.x - seen.min.x + moved.x) / size.x, 0.0f, room);
  painting.top = std::clamp(part.y - (io.MousePos.y - seen.min.y + moved.y) / size.y, 0.0f, room);
  if (!(painting == frame.view().mask_painting)) change_painting(frame, painting);
}

/// The rectangle of painted cells on screen.
Rect screen_of(const PaintedCells& cells, const HeatPicture& heat, Rect rect) {
  return cells_rect(heat, rect, cells.query, cells.queries, cells.key, cells.keys);
}

/// A frame around the cells, filled with their new state.
void draw_preview(const Frame& frame, const HeatPicture& mask, Rect rect, const PaintedCells& area, Paint paint) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect at = screen_of(area, mask, rect);
  const ImU32 fill = paint == Paint::allow    ? frame.look.allowed
                     : paint == Paint::forbid ? frame.look.card
                                              : frame.look.accent;
  list.AddRectFilled(at.min, at.max, fade(fill, paint == Paint::give_back ? 0.3f : 0.75f));
  compat::add_rect(list, at.min, at.max, frame.look.accent, Corner::mark * frame.u, Stroke::chosen(frame.u));
}

/// The cell that the keyboard paints: row and column of the selected cell.
Cell cursor_of(const Frame& frame) {
  const View& view = frame.view();
  Cell cell{Stage::mask, view.batch, view.head, 0, 0};
  if (!frame.trace()->has(Stage::mask)) cell.stage = Stage::weights;
  if (view.selected && info(view.selected->stage).rows == Axis::query && info(view.selected->stage).cols == Axis::key) {
    cell.row = view.selected->row;
    cell.col = view.selected->col;
  }
  return cell;
}

/// Selects another cell for the keyboard, within the matrix.
void move_cursor(const Frame& frame, Index down, Index right) {
  const Dims& dims = frame.trace()->dims();
  Cell cell = cursor_of(frame);
  cell.row = std::clamp<Index>(cell.row + down, 0, dims.n_q - 1);
  cell.col = std::clamp<Index>(cell.col + right, 0, dims.n_k - 1);
  frame.show([cell](View& v) { v.selected = cell; });
}

/// Moves the cursor behind the last chip, or to a new line if the next one does not fit.
void flow(const Frame& frame, Rect room, std::string_view label, float gap) {
  const float u = frame.u, width = frame.width(Face::bold, TypeSize::note, label) + ControlPad::chip * u;
  const ImVec2 last = ImGui::GetItemRectMax();
  if (last.x + gap * u + width <= room.max.x) return ImGui::SameLine(0, gap * u);
  ImGui::SetCursorScreenPos({room.min.x, last.y + Space::near * u});
}

/// Chips of different widths, one of them selected.
template <typename Choice, std::size_t count>
void chips(const Frame& frame, Rect room, const char* const (&words)[count], Choice MaskPainting::*chosen,
           bool shown = true) {
  const MaskPainting& now = frame.view().mask_painting;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) flow(frame, room, frame.words(words[i]), 3);
    if (!chip(frame, words[i], frame.words(words[i]), shown && static_cast<std::size_t>(now.*chosen) == i)) continue;
    MaskPainting painting = now;
    painting.*chosen = static_cast<Choice>(i);
    if (!shown) painting.tool = PaintTool::brush;
    change_painting(frame, painting);
  }
}

/// A chip that switches one of the settings.
void switch_chip(const Frame& frame, Rect room, const char* id, std::string_view label, bool MaskPainting::*setting) {
  flow(frame, room, label, 10);
  if (!chip(frame, id, label, frame.view().mask_painting.*setting)) return;
  MaskPainting painting = frame.view().mask_painting;
  painting.*setting = !(painting.*setting);
  change_painting(frame, painting);
}

/// A pair of chips for where a stroke acts, everywhere or here; the state is the lit one.
void scope_pair(const Frame& frame, Rect room, const char* all, const char* one, bool MaskPainting::*narrow) {
  for (const bool here : {false, true}) {
    const char* const word = here ? one : all;
    flow(frame, room, frame.words(word), here ? 3 : 14);
    if (!chip(frame, word, frame.words(word), frame.view().mask_painting.*narrow == here)) continue;
    MaskPainting painting = frame.view().mask_painting;
    painting.*narrow = here;
    change_painting(frame, painting);
  }
}

}  // namespace

Rect zoomed(const MaskPainting& painting, Rect seen) {
  const ImVec2 size{seen.width() * painting.zoom, seen.height() * painting.zoom};
  const ImVec2 min{seen.min.x - painting.left * size.x, seen.min.y - painting.top * size.y};
  return {min, {min.x + size.x, min.y + size.y}};
}

bool paint_with_pointer(const Frame& frame, const HeatPicture& mask, Rect rect, Rect seen) {
  if (ImGui::IsItemHovered()) zoom_at_pointer(frame, rect, seen);
  const MaskPainting& now = frame.view().mask_painting;
  if (now.tool == PaintTool::look) return false;
  const ImVec2 point = ImGui::GetIO().MousePos;
  const Index brush = brush_of(frame, mask, rect);
  const bool brushes = now.tool == PaintTool::brush;
  if (ImGui::IsItemActivated() && seen.contains(point)) {
    MaskPainting painting = now;
    painting.from = painting.to = nearest(mask, rect, point);
    ++painting.strokes;
    change_painting(frame, painting);
    if (brushes) paint_line(frame, *painting.from, *painting.to, brush, painting.paint, painting.strokes);
    return true;
  }
  if (!now.from || !now.to) return seen.contains(point);
  MaskPainting painting = now;
  painting.to = nearest(mask, rect, point);
  if (ImGui::IsItemDeactivated() || !ImGui::IsItemActive()) {
    if (!brushes) {
      const Dims& dims = frame.trace()->dims();
      paint_area(frame, stroke_area(frame.view(), dims, *now.from, *painting.to, brush), now.paint);
    }
    painting.from.reset();
    painting.to.reset();
  } else if (brushes && painting.to != now.to) {
    paint_line(frame, *now.to, *painting.to, brush, now.paint, now.strokes);
  }
  if (!(painting == now)) change_painting(frame, painting);
  return true;
}

void draw_painting(const Frame& frame, const HeatPicture& mask, Rect rect) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::size_t marks = 0;
  for (const PaintedCells& cells : frame.document.scenario.painted) {
    if (!lies_in(cells, mask.batch, mask.head) || cells.query >= mask.rows || cells.key >= mask.cols) continue;
    PaintedCells inside = cells;
    inside.queries = std::min(cells.queries, mask.rows - cells.query);
    inside.keys = std::min(cells.keys, mask.cols - cells.key);
    const Rect whole = screen_of(inside, mask, rect), at = whole.grown(-Outset::cell * frame.u);
    if (!ImGui::IsRectVisible(whole.min, whole.max)) continue;
    if (++marks <= most_outlines && at.width() > 0 && at.height() > 0) {
      compat::add_rect(list, at.min, at.max, frame.look.accent, Corner::mark * frame.u, Stroke::arrow(frame.u));
    } else {  // too many or too small for outlines
      list.AddRectFilled(whole.min, {std::max(whole.max.x, whole.min.x + 1), std::max(whole.max.y, whole.min.y + 1)},
                         fade(frame.look.accent, 0.45f));
    }
  }
  const MaskPainting& painting = frame.view().mask_painting;
  if (painting.tool == PaintTool::look) return;
  const bool dragged = painting.from && painting.to && painting.tool != PaintTool::brush;
  const std::optional<Cell>& hovered = frame.view().pointed.cell;
  if (!dragged && (!hovered || hovered->stage != mask.stage)) return;
  const Cell from = dragged ? *painting.from : *hovered, to = dragged ? *painting.to : *hovered;
  const PaintedCells area = stroke_area(frame.view(), frame.trace()->dims(), from, to, brush_of(frame, mask, rect));
  draw_preview(frame, mask, rect, area, painting.paint);
}

bool press_painting_keys(const Frame& frame) {
  using compat::Key;
  using compat::pressed;
  const View& view = frame.view();
  if (view.mask_lab.tab != MaskTab::patterns) return false;
  const bool painting = view.mask_painting.tool != PaintTool::look;
  if (compat::pressed_once('d')) {
    MaskPainting changed = view.mask_painting;
    changed.tool = painting ? PaintTool::look : PaintTool::brush;
    change_painting(frame, changed);
    return true;
  }
  if (!painting) return false;
  if (pressed('h')) {  // the next head, as everywhere
    const Index heads = frame.trace()->dims().heads, step = ImGui::GetIO().KeyShift ? -1 : 1;
    frame.show([heads, step](View& v) { v.head = (v.head + step + heads) % heads; });
    return true;
  }
  const bool free = !frame.focus.shown();  // otherwise the arrow keys go to a control
  const Index down = free ? (pressed(Key::down) ? 1 : 0) - (pressed(Key::up) ? 1 : 0) : 0;
  const Index right = free ? (pressed(Key::right) ? 1 : 0) - (pressed(Key::left) ? 1 : 0) : 0;
  if (down != 0 || right != 0) move_cursor(frame, down, right);
  const bool gives_back = pressed('g') || pressed(Key::del);
  const bool allows = pressed('a'), forbids = pressed('f');
  if (allows || forbids || gives_back) {
    const Paint paint = allows ? Paint::allow : forbids ? Paint::forbid : Paint::give_back;
    const Cell cell = cursor_of(frame);
    paint_area(frame, stroke_area(view, frame.trace()->dims(), cell, cell, 1), paint);
    return true;
  }
  return down != 0 || right != 0;
}

float draw_paint_toolbar(const Frame& frame, Rect room) {
  constexpr const char* tools[] = {"mask_paint.look", "mask_paint.brush", "mask_paint.row", "mask_paint.column",
                                   "mask_paint.rectangle"};
  constexpr const char* paints[] = {"mask_paint.allow", "mask_paint.forbid", "mask_paint.give_back"};
  const float top = ImGui::GetCursorScreenPos().y;
  const auto height = [&] { return ImGui::GetItemRectMax().y - top + Space::gap * frame.u; };
  const bool painting = frame.view().mask_painting.tool != PaintTool::look;
  chips(frame, room, tools, &MaskPainting::tool);
  flow(frame, room, frame.words(paints[0]), 14);
  chips(frame, room, paints, &MaskPainting::paint, painting);
  if (!painting) return height();
  const Dims& dims = frame.trace()->dims();
  if (dims.heads > 1) scope_pair(frame, room, "mask_paint.all_heads", "mask_paint.this_head", &MaskPainting::one_head);
  const Index block = block_in_force(frame.view().mask_lab, dims);
  const std::string& blocks = frame.pictures.kept(
      [&] { return frame.words.fill("mask_paint.by_blocks", {grouped(block)}); }, block, frame.words.language());
  switch_chip(frame, room, "by blocks", blocks, &MaskPainting::by_blocks);
  if (dims.batch > 1)
    scope_pair(frame, room, "mask_paint.all_entries", "mask_paint.this_entry", &MaskPainting::one_entry);
  return height();
}

float draw_painted_chip(const Frame& frame, ImVec2 right) {
  if (frame.document.scenario.painted.empty()) return 0;
  const float u = frame.u, size = TypeSize::note * u;
  const std::string& words = painted_words(frame);
  const ImVec2 text = text_size(frame.fonts, Face::mono, size, words);
  const float width = text.x + (Space::pad + ControlHeight::chip + Space::tight) * u, height = ControlHeight::bar * u;
  const ImVec2 min{right.x - width, right.y};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  compat::add_rect(list, min, {right.x, right.y + height}, frame.look.accent, Corner::control * u, 1);
  draw_text(list, frame.fonts, Face::mono, size, {min.x + Space::pad * u, min.y + (height - text.y) / 2},
            frame.look.ink, words);
  const float box = ControlHeight::chip * u;
  ImGui::SetCursorScreenPos({right.x - box, min.y});
  const bool clicked = pressable(frame, "give all back", {box, height});
  const ImU32 colour = ImGui::IsItemHovered() ? frame.look.ink : frame.look.muted;
  tooltip(frame, frame.words("mask_paint.clear"));
  const ImVec2 middle{right.x - box / 2, min.y + height / 2};
  const float arm = Space::tight * u;
  list.AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, colour, Stroke::arrow(u));
  list.AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, colour, Stroke::arrow(u));
  if (clicked) frame.edit({}, [](Scenario& s) { s.painted.clear(); });
  return width;
}

}  // namespace headlight
