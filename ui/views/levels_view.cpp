#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/base/frame/frame.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/travel.h"
#include "ui/views/operation/operation.h"
#include "ui/views/pipeline/pipeline_scene.h"
#include "ui/views/registry.h"
#include "ui/views/sentence/sentence.h"

namespace headlight {
namespace {

/// The presenter's marker: the line that it draws, and the ring around the pointer, in points.
struct Marker {
  static constexpr float width = 5, least_step = 2, ring = 17, ring_line = 3, halo = 6;
};

/// What is shown: a stage and its facet, if the level has them.
struct Shot {
  Level level = Level::pipeline;
  Facet facet{};
  Stage stage{};
  bool operator==(const Shot&) const = default;
};

/// Lines drawn with the pointer in a presentation. They are erased when something else is shown.
struct Board {
  std::pair<Shot, bool> shot;  ///< what the lines are on, and whether it is presented
  std::vector<std::vector<ImVec2>> lines;
  bool drawing = false;
};

constexpr float motion_seconds = 0.6f;  // between the pipeline and a scene
constexpr float scene_seconds = 0.7f;   // from one scene to the next

/// The transition between the pipeline and a scene: from which level, to which, and its progress.
struct LevelMotion {
  Level from = Level::pipeline, to = Level::pipeline;
  float since = motion_seconds;  ///< seconds
  bool begun = false;
  bool moves() const { return since < motion_seconds; }
};

/// The pipeline fades while its numbers move to their places in the scene, or back.
void draw_motion(const Frame& frame, Rect place, const LevelMotion& motion) {
  constexpr float pale_at = 0.5f;  // fraction of the transition
  const bool goes_in = motion.from == Level::pipeline;
  const float t = std::clamp(motion.since / motion_seconds, 0.0f, 1.0f), share = goes_in ? t : 1 - t;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_pipeline_still(frame, room_of_cards(frame.view(), place));
  list.AddRectFilled(place.min, place.max, fade(frame.look.window, std::min(share / pale_at, 1.0f)));
  const Frame near = scaled_to_window(frame);
  const bool step = (goes_in ? motion.to : motion.from) == Level::operation;
  const Scene& scene = step ? operation_scene(near, place) : sentence_scene(near, place);
  draw_scene(near, list,
             between(*frame.trace(), numbers_on_cards(frame, room_of_cards(frame.view(), place)), scene, share));
}

Shot shot_of(const Frame& frame) {
  const Level level = level_shown(frame.view());
  if (level != Level::operation) return {level, Facet{}, Stage{}};
  return {level, frame.view().levels.facet, stage_shown(frame)};
}

/// Moves from one scene to the next, by time or as far as the view's setting says.
void move_scene(const Frame& frame) {
  struct LastShot {
    Shot shot;
    const Trace* trace = nullptr;
  };
  LastShot& last = frame.pictures.get<LastShot>([] { return LastShot{}; });
  SceneMotion& motion = frame.pictures.get<SceneMotion>([] { return SceneMotion{}; });
  const LastShot now{shot_of(frame), frame.trace()};
  if (now.trace != last.trace) motion = {};  // the numbers have changed
  if (now.trace == last.trace && now.shot != last.shot) {
    const Scene* from = last.shot.level == Level::operation  ? last_operation_scene(frame)
                        : last.shot.level == Level::sentence ? last_sentence_scene(frame)
                                                             : nullptr;
    const bool moves = from && now.shot.level != Level::pipeline && !frame.view().calm;
    motion = moves ? SceneMotion{*from, 0} : SceneMotion{};
  }
  last = now;
  if (!motion.moves()) return;
  if (const std::optional<float> arrival = frame.view().levels.arrival) {
    motion.share = *arrival;
  } else {
    motion.share += std::min(ImGui::GetIO().DeltaTime, 0.05f) / scene_seconds;
    frame.pictures.go_on();
  }
  if (!motion.moves()) motion = {};
}

/// Does nothing outside a presentation. `held`: the pressed object is being dragged, so no line is drawn.
void draw_pointer_tools(const Frame& frame, Rect place, Stage stage, bool held) {
  Board& board = frame.pictures.get<Board>([] { return Board{}; });
  const View& view = frame.view();
  const std::pair shot(Shot{level_shown(view), view.levels.facet, stage}, view.presenting);
  if (board.shot != shot) board = {shot, {}};
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
    if (std::hypot(io.MousePos.x - line.back().x, io.MousePos.y - line.back().y) >= Marker::least_step * u)
      line.push_back(io.MousePos);
  }
  for (const std::vector<ImVec2>& line : board.lines) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      list.AddLine(line[i - 1], line[i], frame.look.warning, Marker::width * u);
      list.AddCircleFilled(line[i], Marker::width * u / 2, frame.look.warning, 12);  // rounds the corners
    }
  }
  if (ImGui::IsMousePosValid() && place.contains(io.MousePos)) {
    list.AddCircle(io.MousePos, Marker::ring * u, fade(frame.look.window, 0.8f), 40, Marker::halo * u);
    list.AddCircle(io.MousePos, Marker::ring * u, frame.look.warning, 40, Marker::ring_line * u);
  }
}

}  // namespace

void draw_levels_view(const Frame& frame, Rect place) {
  LevelMotion& motion = frame.pictures.get<LevelMotion>([] { return LevelMotion{}; });
  const Level level = level_shown(frame.view());
  if (!motion.begun) motion = {level, level, motion_seconds, true};
  const bool cards =
      level == Level::pipeline || motion.to == Level::pipeline;  // otherwise one scene changes into another
  if (level != motion.to) motion = {motion.to, level, cards && !frame.view().calm ? 0 : motion_seconds, true};
  move_scene(frame);
  if (motion.moves()) {
    motion.since += std::min(ImGui::GetIO().DeltaTime, 0.05f);
    frame.pictures.go_on();
    return draw_motion(frame, place, motion);
  }
  const Frame near = scaled_to_window(frame);
  if (level == Level::pipeline) {
    const Rect upper = room_of_cards(frame.view(), place);
    draw_pipeline_view(frame, upper);
    // What is spoken of takes half the screen, with numbers for the last row.
    if (upper.max.y < place.max.y) draw_operation_view(near, {{place.min.x, upper.max.y}, place.max});
    return;
  }
  level == Level::operation ? draw_operation_view(near, place) : draw_sentence_view(near, place);
  const bool held = level == Level::operation && drags_in_operation(near);
  draw_pointer_tools(near, place, level == Level::operation ? stage_shown(frame) : Stage::weights, held);
}

float room_scale(ImVec2 window, float scale) {
  const float fit = std::min(window.x / (1600 * scale), window.y / (900 * scale));
  return std::clamp(std::floor(fit * 8) / 8, 1.0f, 2.0f);
}

Frame scaled_to_window(const Frame& frame) {
  Frame grown = frame;
  if (!frame.view().presenting) grown.u *= room_scale(ImGui::GetIO().DisplaySize, frame.u);
  return grown;
}

}  // namespace headlight
