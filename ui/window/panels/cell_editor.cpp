#include "ui/window/panels/cell_editor.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "ui/base/document/view.h"
#include "ui/base/look/words.h"
#include "ui/parts/widgets/controls.h"

namespace headlight {
namespace {

bool same_place(const CellEdit& edit, const Cell& cell) {
  return edit.stage == cell.stage && edit.batch == cell.batch && edit.row == cell.row && edit.col == cell.col;
}

/// Removes the edit of a cell.
void restore_cell(Scenario& scenario, const Cell& cell) {
  std::erase_if(scenario.edits, [&](const CellEdit& edit) { return same_place(edit, cell); });
}

/// Sets one number, replacing an earlier edit of the same cell. Not checked here: resolve() omits cells that do not
/// exist, and reports them.
void set_cell(Scenario& scenario, const Cell& cell, float value) {
  restore_cell(scenario, cell);
  scenario.edits.push_back({cell.stage, cell.batch, cell.row, cell.col, value});
}

}  // namespace

void draw_cell_editor(const Frame& frame, const Cell& cell) {
  if ((!is_parameter(cell.stage) && cell.stage > Stage::value) || frame.trace()->gradients_of) return;
  const Tensor& values = (*frame.trace())[cell.stage];
  const float value = values.matrix(cell.batch, 0)(cell.row, cell.col);
  section(frame, frame.words("inspector.set"));
  // While the slider moves, it keeps its range: a range that followed the value would grow without end.
  const std::optional<float>& held = frame.view().cell_reach;
  const float reach = held.value_or(std::max(3.0f, 2 * std::abs(value)));
  const std::string shown = number_text(value, 4);
  const std::optional<float> chosen =
      float_slider(frame, "set", frame.words("inspector.value"), value, -reach, reach, shown.c_str());
  if (ImGui::IsItemActive() != held.has_value())
    frame.show([now = held ? std::nullopt : std::optional(reach)](View& v) { v.cell_reach = now; });
  if (chosen) {
    std::string gesture = "set " + std::string(name(cell.stage));
    for (const Index index : {cell.batch, cell.row, cell.col}) gesture += " " + std::to_string(index);
    frame.edit(std::move(gesture), [cell, chosen = *chosen](Scenario& s) { set_cell(s, cell, chosen); });
  }
  const bool edited =
      std::ranges::any_of(frame.document.scenario.edits, [&](const CellEdit& edit) { return same_place(edit, cell); });
  if (edited && chip(frame, "restore", frame.words("inspector.restore"), false))
    frame.edit({}, [cell](Scenario& s) { restore_cell(s, cell); });
}

}  // namespace headlight
