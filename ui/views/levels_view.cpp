#include "ui/views/levels_view.h"

#include <algorithm>

#include "ui/level/scene.h"
#include "ui/operation/operation_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/sentence/sentence_view.h"
#include "ui/views/board.h"
#include "ui/views/roomy.h"

namespace headlight {
namespace {

constexpr float motion_seconds = 0.36f;

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

void draw_motion(const Frame& frame, Rect place, const LevelMotion& motion) {
  const float t = std::clamp(motion.since / motion_seconds, 0.0f, 1.0f), eased = t * t * (3 - 2 * t);
  const bool inwards = motion.to > motion.from;
  if (motion.from != Level::sentence && motion.to != Level::sentence)
    return draw_between_pipeline_and_step(frame, place, inwards ? eased : 1 - eased);
  // The sentence stands before all: one goes through it.
  const Level other = motion.from == Level::sentence ? motion.to : motion.from;
  const float gone = motion.from == Level::sentence ? eased : 1 - eased;
  const ImVec2 c = place.centre();
  const auto around = [&](float zoom) {
    return Rect{{c.x + (place.min.x - c.x) * zoom, c.y + (place.min.y - c.y) * zoom},
                {c.x + (place.max.x - c.x) * zoom, c.y + (place.max.y - c.y) * zoom}};
  };
  if (other == Level::pipeline) {
    if (gone > 0.3f) draw_pipeline_on_its_way(frame, place, place, around(0.85f + 0.15f * gone));
  } else {
    draw_near(frame, place, other, around(0.85f + 0.15f * gone), gone);
  }
  draw_near(frame, place, Level::sentence, around(1 + 0.25f * gone), 1 - gone);
}

}  // namespace

void draw_levels_view(const Frame& frame, Rect place) {
  LevelMotion& motion = frame.pictures.get<LevelMotion>([] { return LevelMotion{}; });
  const Level level = level_shown(frame.view());
  if (level != Level::pipeline) press_facet_keys(frame);
  if (!motion.begun) motion = {level, level, motion_seconds, true};
  if (level != motion.to) motion = {motion.to, level, 0, true};
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
