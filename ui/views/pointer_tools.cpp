#include "ui/views/pointer_tools.h"

#include <cmath>
#include <vector>

#include "ui/frame/press.h"

namespace headlight {
namespace {

/// What the lines were drawn on.
struct Step {
  Level level{};
  Facet facet{};
  Stage stage{};
  bool presenting = false;
  bool operator==(const Step&) const = default;
};

struct Board {
  Step step;
  std::vector<std::vector<ImVec2>> lines;
  bool drawing = false;
};

}  // namespace

void draw_pointer_tools(const Frame& frame, Rect place, Stage stage, bool held) {
  Board& board = frame.pictures.get<Board>([] { return Board{}; });
  const View& view = frame.view();
  const Step step{level_shown(view), view.looking.facet, stage, view.presenting};
  if (board.step != step) {
    board.lines.clear();
    board.drawing = false;
    board.step = step;
  }
  if (!view.presenting || view.blank) return;
  const ImGuiIO& io = ImGui::GetIO();
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool drags = is_dragging(frame) && place.contains(io.MouseClickedPos[0]) && !held;
  if (!drags) board.drawing = false;
  if (drags) {
    if (!board.drawing) board.lines.push_back({io.MouseClickedPos[0]});
    board.drawing = true;
    std::vector<ImVec2>& line = board.lines.back();
    if (std::hypot(io.MousePos.x - line.back().x, io.MousePos.y - line.back().y) >= 2 * u) line.push_back(io.MousePos);
  }
  for (const std::vector<ImVec2>& line : board.lines) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      list.AddLine(line[i - 1], line[i], frame.look.warning, 5 * u);
      list.AddCircleFilled(line[i], 2.5f * u, frame.look.warning, 12);  // round where it bends
    }
  }
  if (ImGui::IsMousePosValid() && place.contains(io.MousePos)) {
    list.AddCircle(io.MousePos, 17 * u, fade(frame.look.window, 0.8f), 40, 6 * u);
    list.AddCircle(io.MousePos, 17 * u, frame.look.warning, 40, 3 * u);
  }
}

}  // namespace headlight
