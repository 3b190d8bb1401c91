// The right panel: the number under the pointer, where it stands, and its row.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/look/colormaps.h"
#include "ui/panels/cell_editor.h"
#include "ui/panels/registry.h"
#include "ui/pipeline/picture.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/math_text.h"

namespace headlight {
namespace {

/// "“mat” → “the”" between tokens, "row 3, column 7" elsewhere.
std::string place_words(const Frame& frame, const Cell& cell) {
  const Trace& trace = *frame.trace();
  const StageInfo& about = info(cell.stage);
  const std::string row = axis_label(trace, about.rows, cell.batch, cell.row);
  const std::string col = axis_label(trace, about.cols, cell.batch, cell.col);
  std::string words;
  if (has_head_axis(cell.stage)) words = frame.words.fill("inspector.head", {std::to_string(cell.head)}) + ", ";
  const bool tokens = !trace.inputs.query_tokens.empty();
  if (about.rows == Axis::query && about.cols == Axis::key) {
    const char* key = tokens ? "inspector.token_to_token" : "inspector.query_to_key";
    return words + frame.words.fill(key, {row, col});
  }
  return words + frame.words.fill("inspector.row_column", {std::string(symbol(about.rows)), row, std::string(symbol(about.cols)), col});
}

void line_of(const Frame& frame, const char* label, const std::string& number) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = 13 * frame.u;
  draw_text(list, frame.fonts, Face::ui, size, at, frame.look.muted, label);
  const float extent = text_size(frame.fonts, Face::mono, size, number).x;
  draw_text(list, frame.fonts, Face::mono, size, {at.x + width - extent, at.y}, frame.look.ink, number);
  ImGui::Dummy({width, 14 * frame.u});
}

void rule(const Frame& frame) {
  ImGui::Dummy({0, 2 * frame.u});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y}, frame.look.line);
  ImGui::Dummy({0, 6 * frame.u});
}

/// The row as bars, around zero where it is signed.
void draw_row(const Frame& frame, const Cell& cell) {
  const Trace& trace = *frame.trace();
  const MatrixView matrix = trace[cell.stage].matrix(cell.batch, cell.head);
  const StageInfo& about = info(cell.stage);
  const Colormap& map = window_colormap(frame.view(), cell.stage);
  const ValueRange range = stage_range(trace, cell.stage, map.kind());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const float width = ImGui::GetContentRegionAvail().x;
  const float line = 21 * u;
  const auto room = static_cast<Index>(std::max(ImGui::GetContentRegionAvail().y / line, 1.0f));
  const Index first = std::clamp<Index>(cell.col - room / 2, 0, std::max<Index>(matrix.cols - room, 0));
  const float label_width = 66 * u;
  const float number_width = 62 * u;
  for (Index c = first; c < std::min(first + room, matrix.cols); ++c) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool lit = c == cell.col;
    const ImU32 ink = lit ? frame.look.ink : frame.look.muted;
    const float value = matrix(cell.row, c);
    const std::string label = elide(frame.fonts, lit ? Face::bold : Face::ui, 12 * u, axis_label(trace, about.cols, cell.batch, c), label_width);
    const float label_extent = text_size(frame.fonts, lit ? Face::bold : Face::ui, 12 * u, label).x;
    draw_text(list, frame.fonts, lit ? Face::bold : Face::ui, 12 * u, {at.x + label_width - label_extent - 8 * u, at.y}, ink, label);
    const float from = at.x + label_width;
    const float length = width - label_width - number_width;
    const float y = at.y + 3 * u;
    list.AddRectFilled({from, y}, {from + length, y + 9 * u}, frame.look.field, 3 * u);
    if (std::isfinite(value)) {
      const auto x = [&](float v) { return from + length * std::clamp(normalise(v, range), 0.0f, 1.0f); };
      const float zero = x(std::max(range.lo, 0.0f));
      list.AddRectFilled({std::min(zero, x(value)), y}, {std::max(zero, x(value)), y + 9 * u},
                         to_imgui(map.at(0.25f + 0.75f * normalise(value, range))), 3 * u);
    }
    const std::string number = number_text(value, 4);
    const float extent = text_size(frame.fonts, Face::mono, 12 * u, number).x;
    draw_text(list, frame.fonts, Face::mono, 12 * u, {at.x + width - extent, at.y}, ink, number);
    ImGui::Dummy({width, line - ImGui::GetStyle().ItemSpacing.y});
  }
}

void draw_sums(const Frame& frame, const MatrixView& matrix, Index row) {
  double sum = 0;
  double entropy = 0;
  for (Index c = 0; c < matrix.cols; ++c) {
    const double p = matrix(row, c);
    sum += p;
    if (p > 0) entropy -= p * std::log2(p);
  }
  line_of(frame, frame.words("inspector.sum"), number_text(static_cast<float>(sum), 4));
  line_of(frame, frame.words("inspector.entropy"), number_text(static_cast<float>(entropy), 2) + " bit");
}

void draw_cell(const Frame& frame, const Cell& cell) {
  const Trace& trace = *frame.trace();
  const float u = frame.u;
  const MatrixView matrix = trace[cell.stage].matrix(cell.batch, cell.head);
  const float value = matrix(cell.row, cell.col);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  draw_text(list, frame.fonts, Face::bold, 16 * u, at, frame.look.lane(cell.stage), name(cell.stage));
  ImGui::Dummy({width, 16 * u});
  note(frame, place_words(frame, cell));
  at = ImGui::GetCursorScreenPos();
  const std::string shown = cell.stage == Stage::mask ? frame.words(value != 0 ? "inspector.may" : "inspector.may_not") : number_text(value, 4);
  const float size = cell.stage == Stage::mask ? 20 * u : 34 * u;
  draw_text(list, frame.fonts, Face::bold, size, at, frame.look.ink, shown);
  ImGui::Dummy({width, size + 4 * u});
  at = ImGui::GetCursorScreenPos();
  draw_math(list, frame.fonts, 17 * u, at, frame.look.ink, info(cell.stage).formula);
  ImGui::Dummy({width, 20 * u});
  char index[96];
  std::snprintf(index, sizeof index, "[%lld, %lld, %lld, %lld]", static_cast<long long>(cell.batch), static_cast<long long>(cell.head),
                static_cast<long long>(cell.row), static_cast<long long>(cell.col));
  line_of(frame, frame.words("inspector.index"), index);
  char exact[48];
  std::snprintf(exact, sizeof exact, "%.9g", static_cast<double>(value));
  line_of(frame, frame.words("inspector.exact"), exact);
  if (cell.stage == Stage::weights || cell.stage == Stage::dropped_weights) draw_sums(frame, matrix, cell.row);
  draw_cell_editor(frame, cell);
  rule(frame);
  section(frame, frame.words("inspector.row"));
  draw_row(frame, cell);
}

void draw_assumptions(const Frame& frame) {
  if (frame.trace()->inputs.assumptions.empty()) return;
  section(frame, frame.words("inspector.taken_as"));
  for (const Assumption& assumption : frame.trace()->inputs.assumptions) {
    note(frame, assumption.what + ": " + assumption.taken_for);
  }
}

}  // namespace

void draw_inspector(const Frame& frame, Rect place) {
  const PanelArea area(frame, "inspector", place.min, place.max, frame.look.panel, {20, 16});
  ImGui::GetWindowDrawList()->AddLine(place.min, {place.min.x, place.max.y}, frame.look.line);
  if (!frame.trace()) return;
  const std::optional<Cell>& cell = frame.view().hovered ? frame.view().hovered : frame.view().selected;
  if (cell) {
    draw_cell(frame, *cell);
  } else {
    note(frame, frame.words("inspector.hint"));
    draw_assumptions(frame);
  }
}

}  // namespace headlight
