// The right panel: the selected number, how it was computed, and its row. Every source is a link.

#include <algorithm>
#include <cmath>

#include "core/teaching/explain/explain.h"
#include "ui/base/document/view.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/inspector/inspector_picture.h"
#include "ui/views/operation/operation.h"
#include "ui/views/pipeline/picture.h"
#include "ui/window/panels/cell_editor.h"
#include "ui/window/panels/controls.h"
#include "ui/window/panels/inspector_sizes.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

struct InspectorDrawer {
  using Size = InspectorSizes;
  const Frame& frame;
  const InspectorPicture& picture;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Look& look = frame.look;
  const float u = frame.u, width = ImGui::GetContentRegionAvail().x;
  // The target under the pointer: a source's link, or a symbol of the formula.
  std::optional<Cell> pointed{};
  std::optional<Stage> pointed_term{};

  void draw() {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, Space::close * u});
    heading();
    crumbs();
    formulas();
    for (const NumberLine& line : picture.quantities) number_line(line.label, line.number);
    dot();
    sources();
    rule();
    row();
    rule();
    number_line(frame.words("inspector.index"), picture.index);
    number_line(frame.words("inspector.exact"), picture.exact);
    ImGui::PopStyleVar();
    draw_cell_editor(frame, picture.cell);
  }

  void text(Face face, float points, ImU32 colour, std::string_view words, float room) {
    frame.write(face, points, ImGui::GetCursorScreenPos(), colour, words);
    ImGui::Dummy({width, room * u});
  }

  /// Text that ends at the right edge.
  void right(Face face, float points, ImVec2 at, ImU32 colour, std::string_view words) {
    if (words.ends_with("∞")) face = Face::ui;  // a monospaced ∞ is too small to read
    const float extent = frame.width(face, points, words);
    frame.write(face, points, {at.x + width - extent, at.y}, colour, words);
  }

  void number_line(std::string_view label, std::string_view number) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    frame.write(Face::ui, TypeSize::body, at, look.muted, label);
    right(Face::mono, TypeSize::body, at, look.ink, number);
    ImGui::Dummy({width, Space::card * u});
  }

  void rule() {
    ImGui::Dummy({0, Space::fine * u});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    list.AddLine(at, {at.x + width, at.y}, look.line);
    ImGui::Dummy({0, Space::near * u});
  }

  void heading() {
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    text(Face::bold, TypeSize::heading, look.lane(picture.cell.stage), picture.title, 16);
    const float titled = frame.width(Face::bold, TypeSize::heading, picture.title) + Space::pad * u;
    frame.write_elided(Face::ui, TypeSize::body, {begin.x + titled, begin.y + Space::fine * u}, look.muted,
                       stage_words(frame.words, picture.cell.stage), width - titled);
    note(frame, picture.place);
    const float size = picture.cell.stage == Stage::mask ? 20 : 34;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    text(Face::bold, size, look.ink, picture.value, size + 4);
    if (picture.meaning.empty()) return;
    const float x = at.x + frame.width(Face::bold, size, picture.value) + Space::apart * u;
    const float room = at.x + width - x;
    if (frame.width(Face::ui, TypeSize::note, picture.meaning) > room) return note(frame, picture.meaning);
    frame.write(Face::ui, TypeSize::note, {x, at.y + (size - 16) * u}, look.muted, picture.meaning);
  }

  /// "output › concat › weights", in as many lines as necessary.
  void crumbs() {
    if (picture.crumbs.size() < 2) return;
    ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 start = at;
    const float line = Space::row * u;
    for (std::size_t i = 0; i < picture.crumbs.size(); ++i) {
      const bool last = i + 1 == picture.crumbs.size();
      const Face face = last ? Face::bold : Face::ui;
      const float extent = frame.width(face, 12.5f, picture.crumbs[i].label);
      const float arrow = last ? 0 : Size::arrow * u;
      if (at.x > start.x && at.x + extent + arrow > start.x + width) at = {start.x, at.y + line};
      bool hovered = false;
      if (!last && link("crumb", i, at, {extent, line}, hovered))
        frame.show([trace = frame.document.trace, i](View& v) {
          if (i < v.path.size()) v = go_back(std::move(v), *trace, i);
        });
      const ImU32 colour = last ? look.ink : hovered ? look.ink : look.accent;
      frame.write(face, 12.5f, at, colour, picture.crumbs[i].label);
      if (!last) frame.write(Face::ui, TypeSize::note, {at.x + extent + Space::close * u, at.y}, look.muted, "›");
      at.x += extent + arrow;
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, at.y + line - start.y});
  }

  bool link(const char* kind, std::size_t number, ImVec2 at, ImVec2 size, bool& hovered) {
    ImGui::SetCursorScreenPos(at);
    const bool clicked = pressable(frame, formatted("%s%zu", kind, number).c_str(), size);
    hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    return clicked;
  }

  void go_to(const Cell& cell) {
    frame.show([trace = frame.document.trace, cell, from = picture.cell, reaches = picture.reaches](View& v) {
      v = reaches ? look_at(std::move(v), *trace, cell) : follow(std::move(v), *trace, from, cell);
    });
  }

  void math(const std::vector<std::string>& lines, float points, const MathInk& ink) {
    for (const std::string& line : lines) {
      const ImVec2 size = math_size(frame.fonts, points * u, line);
      const float fit =
          std::clamp(width / std::max(size.x, 1.0f), 0.6f, 1.0f);  // a single piece may be wider than the panel
      const ImVec2 at = ImGui::GetCursorScreenPos();
      draw_math(list, frame.fonts, points * u * fit, at, ink, line);
      ImGui::Dummy({width, size.y * fit - u});
      if (!ImGui::IsItemHovered()) continue;
      pointed_term = math_stage_at(frame.fonts, points * u * fit, at, line, ImGui::GetIO().MousePos);
    }
  }

  void formulas() {
    rule();
    const View& view = frame.view();
    math(picture.formula, formula_points,
         {look.ink, &frame.look, view.pointed.term ? view.pointed.term : view.pointed.card});
    math(picture.numbers, numbers_points, {look.muted, nullptr, {}});
    ImGui::Dummy({0, u});
  }

  void dot_cell(const DotCell& cell, ImVec2 min, ImVec2 size, const char* kind, std::size_t number) {
    compat::add_fill(list, min, {min.x + size.x, min.y + size.y}, cell.ground, Corner::cell * u);
    const ImVec2 extent = text_size(frame.fonts, Face::mono, TypeSize::note * u, cell.text);
    if (extent.x <= size.x) {
      frame.write(Face::mono, TypeSize::note, {min.x + (size.x - extent.x) / 2, min.y + (size.y - extent.y) / 2},
                  cell.ink, cell.text);
    }
    if (!kind) return;
    bool hovered = false;
    if (link(kind, number, min, size, hovered)) go_to(cell.cell);
    if (hovered) pointed = cell.cell;
    if (hovered)
      compat::add_rect(list, min, {min.x + size.x, min.y + size.y}, look.ink, Corner::cell * u, Stroke::frame(u));
  }

  /// Three aligned rows; long ones are broken.
  void dot() {
    const DotPicture& dot = picture.dot;
    if (dot.columns.empty()) return;
    section(frame, frame.words(picture.cell.stage > Stage::scores && picture.cell.stage <= Stage::dropped_weights
                                   ? "inspector.dot_behind"
                                   : "inspector.dot"));
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const float label = Space::row * u, gap = Space::fine * u;
    const auto at_most = static_cast<std::size_t>(std::max(1.0f, (width - label + gap) / (Size::least_term * u)));
    const std::size_t lines = (dot.columns.size() + at_most - 1) / at_most,
                      in_line = (dot.columns.size() + lines - 1) / lines;
    const ImVec2 size{(width - label + gap) / static_cast<float>(std::max<std::size_t>(in_line, 4)) - gap,
                      Size::cell_height * u};
    float y = start.y;
    for (std::size_t first = 0; first < dot.columns.size(); first += in_line) {
      if (!dot.names.empty()) {
        for (std::size_t i = first; i < std::min(first + in_line, dot.columns.size()); ++i) {
          const float x = start.x + label + static_cast<float>(i - first) * (size.x + gap),
                      room = size.x - Space::fine * u;
          const float extent = std::min(frame.width(Face::ui, TypeSize::body, dot.names[i]), room);
          frame.write_elided(Face::ui, TypeSize::body, {x + (size.x - extent) / 2, y}, look.muted, dot.names[i], room);
        }
        y += Space::row * u;
      }
      const std::string* names[] = {&dot.left, &dot.right, &dot.both};
      const ImU32 colours[] = {dot.left_colour, dot.right_colour, look.ink};
      const char* kinds[] = {"left", "right", nullptr};
      for (std::size_t r = 0; r < 3; ++r) {
        if (r < 2 && frame.view().pointed.card == dot.columns[0][r].cell.stage) {
          list.AddRectFilled({start.x - Space::tight * u, y}, {start.x + width, y + size.y}, look.field_hover,
                             Corner::cell * u);
        }
        frame.write(Face::bold, TypeSize::body, {start.x, y + Space::fine * u}, colours[r], *names[r]);
        for (std::size_t i = first; i < std::min(first + in_line, dot.columns.size()); ++i) {
          const float x = start.x + label + static_cast<float>(i - first) * (size.x + gap);
          dot_cell(dot.columns[i][r], {x, y}, size, kinds[r], i);
        }
        y += size.y + gap;
      }
      y += Space::tight * u;
    }
    right(Face::mono, TypeSize::note, {start.x, y}, look.ink, dot.sum);
    y += Space::row * u;
    for (const NumberLine& line : dot.closing) {
      frame.write_elided(Face::ui, TypeSize::body, {start.x, y}, look.muted, line.label,
                         width - Size::closing_number * u);
      right(Face::mono, TypeSize::note, {start.x, y + u}, look.ink, line.number);
      y += Space::row * u;
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, y - start.y});
  }

  /// The sources of the number, or the cells that depend on it: one link per line.
  void sources() {
    const std::vector<SourceLine>& lines = picture.reaches ? picture.reached : picture.sources;
    const bool has_sources = !picture.sources.empty() || !picture.dot.columns.empty();
    if (lines.empty() && !has_sources) return;
    direction();
    for (std::size_t i = 0; i < lines.size(); ++i) source_line(lines[i], i);
    if (!picture.more_sources.empty()) note(frame, picture.more_sources);
    ImGui::Dummy({0, 0});
  }

  /// "COMPUTED FROM | USED BY": the selected one in the text colour.
  void direction() {
    ImVec2 at = ImGui::GetCursorScreenPos();
    const char* words[] = {"inspector.sources", "inspector.reaches"};
    const std::size_t ways = frame.trace()->gradients_of ? 1 : 2;
    for (std::size_t i = 0; i < ways; ++i) {
      const bool chosen = (i == 1) == picture.reaches;
      const char* text = frame.words(words[i]);
      const ImVec2 size{frame.width(Face::bold, TypeSize::note, text), Size::direction_height * u};
      bool hovered = false;
      if (link("direction", i, at, size, hovered)) {
        frame.show([i](View& v) { v.reaches = i == 1; });
      }
      frame.write(Face::bold, TypeSize::note, at, chosen || hovered ? look.ink : look.muted, text);
      if (chosen) list.AddLine({at.x, at.y + size.y}, {at.x + size.x, at.y + size.y}, look.ink, Stroke::arrow(u));
      at.x += size.x + Space::part * u;
    }
    ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x + ImGui::GetStyle().WindowPadding.x, at.y});
    ImGui::Dummy({width, Space::wide * u});
  }

  void source_line(const SourceLine& source, std::size_t number) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    bool hovered = false;
    if (link("source", number, at, {width, Space::row * u}, hovered)) go_to(source.cell);
    if (hovered) pointed = source.cell;
    if (hovered || frame.view().pointed.card == source.cell.stage) {
      list.AddRectFilled({at.x - Space::near * u, at.y}, {at.x + width + Space::near * u, at.y + Space::row * u},
                         look.field_hover, Corner::cell * u);
    }
    // A number is never cut; text, as for dependent cells, gets the width that the label leaves.
    const bool is_number = !picture.reaches;
    const float extent = frame.width(is_number ? Face::mono : Face::ui, TypeSize::note, source.number);
    const float room =
        is_number ? width - extent - Space::pad * u : frame.width(Face::ui, TypeSize::note, source.label);
    frame.write_elided(Face::ui, TypeSize::note, {at.x, at.y + u}, source.colour, source.label, room);
    if (is_number) {
      right(Face::mono, 12.5f, {at.x, at.y + u}, look.ink, source.number);
    } else {
      const float left = width - room - Space::apart * u, used = std::min(extent, left);
      frame.write_elided(Face::ui, TypeSize::note, {at.x + width - used, at.y + u}, look.ink, source.number, left);
    }
    ImGui::SetCursorScreenPos({at.x, at.y + Size::cell_height * u});
  }

  void row() {
    section(frame, frame.words("inspector.row"));
    const float label = Size::row_name * u, number = Size::row_number * u, line = Space::row * u;
    const ImVec2 start = ImGui::GetCursorScreenPos();
    float y = start.y;
    const Shown shown = frame.shown(picture.cell.stage);  // not all of a row may be computed yet
    for (const Bar& bar : picture.row) {
      const ImU32 ink = bar.lit ? look.ink : look.muted;
      const Face face = bar.lit ? Face::bold : Face::ui;
      const float extent = frame.width(face, TypeSize::note, bar.label);
      frame.write(face, TypeSize::note, {start.x + label - extent - Space::gap * u, y}, ink, bar.label);
      const float from = start.x + label, length = width - label - number, top = y + Space::thin * u,
                  bottom = top + Size::bar_height * u;
      compat::add_fill(list, {from, top}, {from + length, bottom}, look.field, Corner::cell * u);
      const bool computed = shown.has(picture.cell.row, bar.col);
      if (bar.has_value && computed)
        compat::add_fill(list, {from + bar.from * length, top}, {from + bar.to * length, bottom}, bar.colour,
                         Space::thin * u);
      if (computed) right(Face::mono, TypeSize::note, {start.x, y}, ink, bar.number);
      y += line;
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, y - start.y});
    if (picture.sum.empty() || !shown.has(picture.cell.row, Shown::all - 1)) return;
    number_line(frame.words("inspector.sum"), picture.sum);
    number_line(frame.words("inspector.entropy"), picture.entropy);
  }
};

void draw_assumptions(const Frame& frame) {
  if (frame.trace()->inputs.assumptions.empty()) return;
  section(frame, frame.words("inspector.taken_as"));
  const std::vector<std::string>& lines = frame.kept([&] {
    std::vector<std::string> made;
    for (const Assumption& assumption : frame.trace()->inputs.assumptions) {
      made.push_back(
          frame.words.translate(joined_by_colon(std::string(taken_heading(frame, assumption)), assumption.taken_for)));
    }
    return made;
  });
  for (const std::string& line : lines) note(frame, line);
}

/// While a stage is being computed there is no cell to explain: shows the stage and its formula instead.
void draw_stage_in_progress(const Frame& frame, Stage stage) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  frame.write(Face::bold, TypeSize::heading, at, frame.look.lane(stage), name(stage));
  const std::string_view formula = stage_formula(frame.words, stage);
  const float width = ImGui::GetContentRegionAvail().x;
  const float fit =
      std::clamp(width / std::max(math_size(frame.fonts, TypeSize::numbers * u, formula).x, 1.0f), 0.6f, 1.0f);
  draw_math(list, frame.fonts, TypeSize::numbers * u * fit, {at.x, at.y + InspectorSizes::formula * u}, frame.look.ink,
            formula);
  const auto* moment = frame.pictures.find<MomentPicture>();
  if (moment)
    draw_math(list, frame.fonts, TypeSize::numbers * u, {at.x, at.y + InspectorSizes::caption * u}, frame.look.ink,
              moment->caption);
  ImGui::Dummy({width, InspectorSizes::formula_room * u});
}

/// The single letters that are keys here; where they are not, nothing is said.
void draw_letters(const Frame& frame) {
  if (!frame.takes_letters()) return;
  ImGui::Dummy({0, Space::gap * frame.u});
  note(frame, frame.words(frame.view().kind == ViewKind::pipeline ? "inspector.letters" : "inspector.letters_here"));
}

}  // namespace

void draw_inspector(const Frame& frame, Rect place) {
  const PanelArea area(frame, "inspector", place.min, place.max, frame.look.panel, {20, 16},
                       PanelArea::Kind::scrolling);
  ImGui::GetWindowDrawList()->AddLine(place.min, {place.min.x, place.max.y}, frame.look.line);
  if (!frame.trace()) return;
  std::optional<Cell> cell = frame.looked_at();
  if (frame.trace()->gradients_of && level_shown(frame.view()) == Level::operation)
    cell = cell_of_gradient(*frame.trace(), frame.view(), stage_shown(frame));
  if (cell && contains(*frame.trace(), *cell)) {
    InspectorDrawer drawer{frame, inspector_picture(frame, *cell, ImGui::GetContentRegionAvail().x)};
    drawer.draw();
    frame.point(&Pointed::source, drawer.pointed);
    frame.point(&Pointed::term, drawer.pointed_term);
  } else {
    if (const std::optional<Stage> stage = stage_on_its_way(frame)) draw_stage_in_progress(frame, *stage);
    note(frame, frame.words("inspector.hint"));
    draw_assumptions(frame);
  }
  draw_letters(frame);
}

}  // namespace headlight
