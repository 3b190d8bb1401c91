#include "ui/views/levels_view.h"

#include <algorithm>

#include "ui/level/travel.h"
#include "ui/operation/operation_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/sentence/sentence_view.h"
#include "ui/views/board.h"
#include "ui/views/roomy.h"

namespace headlight {
namespace {

constexpr float motion_seconds = 0.36f;  // between the pipeline and a scene
constexpr float scene_seconds = 0.7f;    // from one scene to the next

/// Between two levels: from which, to which, how far. One camera: what is gone into grows out of where it stands.
struct LevelMotion {
  Level from = Level::pipeline, to = Level::pipeline;
  float since = motion_seconds;  ///< seconds
  bool begun = false;
  bool moves() const { return since < motion_seconds; }
};

/// So that a scene made for `place` is seen in `at`.
SceneCamera camera_for(const Rect& place, const Rect& at, float presence) {
  const float zoom = at.width() / place.width();
  return {{at.min.x - place.min.x * zoom, at.min.y - place.min.y * zoom}, zoom, presence};
}

void draw_near(const Frame& frame, Rect place, Level level, const Rect& at, float presence) {
  const Frame near = roomy(frame);
  const Scene& scene = level == Level::operation ? operation_scene(near, place) : sentence_scene(near, place);
  draw_scene(*ImGui::GetWindowDrawList(), scene, frame.look, frame.fonts, frame.painter,
             camera_for(place, at, presence));
}

/// `nearness` 0: the pipeline as it is; 1: the step alone. The step's card grows into the window.
void draw_between_pipeline_and_step(const Frame& frame, Rect place, float nearness) {
  const Rect card = card_on_screen(frame, place, stage_shown(frame));
  const float height =
      card.width() * place.height() / place.width();  // of the window's shape, around the card's middle
  const Rect small{{card.min.x, card.centre().y - height / 2}, {card.max.x, card.centre().y + height / 2}};
  const Rect at = mixed(small, place, nearness);
  if (nearness < 0.75f) draw_pipeline_on_its_way(frame, place, small, at);
  frame.painter.fill(*ImGui::GetWindowDrawList(), at.min, at.max, frame.look.window);
  draw_near(frame, place, Level::operation, at, nearness);
}

/// Between the pipeline and a scene: a step's card grows into it, the sentence stands before all.
void draw_motion(const Frame& frame, Rect place, const LevelMotion& motion) {
  const float t = std::clamp(motion.since / motion_seconds, 0.0f, 1.0f), way = eased(t);
  if (motion.from != Level::sentence && motion.to != Level::sentence)
    return draw_between_pipeline_and_step(frame, place, motion.to > motion.from ? way : 1 - way);
  const float gone = motion.from == Level::sentence ? way : 1 - way;
  const ImVec2 c = place.centre();
  const auto around = [&](float zoom) {
    return Rect{{c.x + (place.min.x - c.x) * zoom, c.y + (place.min.y - c.y) * zoom},
                {c.x + (place.max.x - c.x) * zoom, c.y + (place.max.y - c.y) * zoom}};
  };
  if (gone > 0.3f) draw_pipeline_on_its_way(frame, place, place, around(0.85f + 0.15f * gone));
  draw_near(frame, place, Level::sentence, around(1 + 0.25f * gone), 1 - gone);
}

/// Which scene is shown.
struct Shot {
  Level level = Level::pipeline;
  Facet facet{};
  Stage stage{};
  bool operator==(const Shot&) const = default;
};
Shot shot_of(const Frame& frame) {
  const Level level = level_shown(frame.view());
  if (level != Level::operation) return {level, Facet{}, Stage{}};
  return {level, frame.view().looking.facet, stage_shown(frame)};
}

/// The scene that is shown goes over into the next one, by the clock or as far as the view says.
void move_scene(const Frame& frame) {
  struct LastShot {
    Shot shot;
    const Trace* trace = nullptr;
  };
  LastShot& last = frame.pictures.get<LastShot>([] { return LastShot{}; });
  SceneMotion& motion = frame.pictures.get<SceneMotion>([] { return SceneMotion{}; });
  const LastShot now{shot_of(frame), frame.trace()};
  if (now.trace != last.trace) motion = {};  // its numbers are others
  if (now.trace == last.trace && now.shot != last.shot) {
    const Scene* from = last.shot.level == Level::operation  ? last_operation_scene(frame)
                        : last.shot.level == Level::sentence ? last_sentence_scene(frame)
                                                             : nullptr;
    const bool moves = from && now.shot.level != Level::pipeline && !frame.view().calm;
    motion = moves ? SceneMotion{*from, 0} : SceneMotion{};
  }
  last = now;
  if (!motion.moves()) return;
  if (const std::optional<float> arrival = frame.view().looking.arrival) {
    motion.share = *arrival;
  } else {
    motion.share += std::min(ImGui::GetIO().DeltaTime, 0.05f) / scene_seconds;
    frame.pictures.go_on();
  }
  if (!motion.moves()) motion = {};
}

}  // namespace

void draw_levels_view(const Frame& frame, Rect place) {
  LevelMotion& motion = frame.pictures.get<LevelMotion>([] { return LevelMotion{}; });
  const Level level = level_shown(frame.view());
  if (level != Level::pipeline) press_facet_keys(frame);
  if (!motion.begun) motion = {level, level, motion_seconds, true};
  const bool cards = level == Level::pipeline || motion.to == Level::pipeline;  // else one scene becomes the other
  if (level != motion.to) motion = {motion.to, level, cards && !frame.view().calm ? 0 : motion_seconds, true};
  move_scene(frame);
  if (motion.moves()) {
    motion.since += std::min(ImGui::GetIO().DeltaTime, 0.05f);
    frame.pictures.go_on();
    return draw_motion(frame, place, motion);
  }
  if (level == Level::pipeline) return draw_pipeline_view(frame, place);
  const Frame near = roomy(frame);
  level == Level::operation ? draw_operation_view(near, place) : draw_sentence_view(near, place);
  const bool held = level == Level::operation && drags_in_operation(near, place);
  draw_board(near, place, level == Level::operation ? stage_shown(frame) : Stage::weights, held);
}

}  // namespace headlight
