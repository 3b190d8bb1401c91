// Setting one number of an input or a parameter: drag the slider, or type.
#include "ui/panels/cell_editor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/look/number_text.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

bool same_place(const CellEdit& edit, const Cell& cell) {
  return edit.stage == cell.stage && edit.batch == cell.batch && edit.row == cell.row && edit.col == cell.col;
}

/// Sets one number, replacing an earlier edit of the same cell. Not checked: resolve() leaves out cells that do not
/// exist, and says so.
void set_cell(Scenario& scenario, const Cell& cell, float value) {
  std::erase_if(scenario.edits, [&](const CellEdit& edit) { return same_place(edit, cell); });
  scenario.edits.push_back({cell.stage, cell.batch, cell.row, cell.col, value});
}

}  // namespace

void draw_cell_editor(const Frame& frame, const Cell& cell) {
  if (!is_parameter(cell.stage) && cell.stage > Stage::value) return;
  const Tensor& values = (*frame.trace())[cell.stage];
  const float value = values.matrix(cell.batch, 0)(cell.row, cell.col);
  section(frame, frame.words("inspector.set"));
  const std::optional<float>& held = frame.view().cell_reach;  // a range that follows its own slider runs away
  const float reach = held.value_or(std::max(3.0f, 2 * std::abs(value)));
  const std::string shown = number_text(value, 4);
  const std::optional<float> chosen =
      float_slider(frame, "set", frame.words("inspector.value"), value, -reach, reach, shown.c_str());
  if (ImGui::IsItemActive() != held.has_value())
    frame.show([now = held ? std::nullopt : std::optional(reach)](View& v) { v.cell_reach = now; });
  if (chosen) {
    char gesture[96];
    std::snprintf(gesture, sizeof gesture, "set %s %lld %lld %lld", name(cell.stage).data(),
                  static_cast<long long>(cell.batch), static_cast<long long>(cell.row),
                  static_cast<long long>(cell.col));
    frame.edit(gesture, [cell, chosen = *chosen](Scenario& s) { set_cell(s, cell, chosen); });
  }
  const auto& edits = frame.document.scenario.edits;
  const auto found =
      std::find_if(edits.begin(), edits.end(), [&](const CellEdit& edit) { return same_place(edit, cell); });
  if (found == edits.end()) return;
  if (chip(frame, "restore", frame.words("inspector.restore"), false)) {
    frame.edit({}, [cell](Scenario& s) {
      std::erase_if(s.edits, [&](const CellEdit& edit) { return same_place(edit, cell); });
    });
  }
}

}  // namespace headlight
