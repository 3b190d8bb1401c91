#include "ui/operation/operation_view.h"

#include "ui/level/easel.h"
#include "ui/operation/operation.h"

namespace headlight {
namespace {

/// In the cache of pictures, which keeps one of a type.
struct OperationScene {
  Scene scene;
};

Reveal reveal_of(const Frame& frame, Stage stage) {
  Reveal reveal;
  const View& view = frame.view();
  if (!view.step) return reveal;
  if (view.looking.share) {
    if (frame.timeline.at(*view.step).stage == stage) reveal.share = view.looking.share;
    return reveal;
  }
  const Moment& now = frame.timeline.at(*view.step);
  if (now.stage != stage) return reveal;
  reveal.shown = frame.timeline.shown(stage, *view.step);
  if (now.kind == Moment::Kind::terms) reveal.terms = now.last;
  if (now.kind == Moment::Kind::travel) reveal.share = static_cast<float>(now.last) / static_cast<float>(travel_parts);
  if (now.kind == Moment::Kind::shifted) reveal.share = 0.1f;
  if (now.kind == Moment::Kind::exponentials) reveal.share = 0.35f;
  if (now.kind == Moment::Kind::sums) reveal.share = 0.6f;
  return reveal;
}

void click(const Frame& frame, const SceneTarget& target) {
  frame.show([deed = target.deed, index = target.index, cell = target.cell, trace = frame.document.trace](View& view) {
    LevelChoice& looking = view.looking;
    switch (deed) {
      case Deed::look_at:
        view = with_focus_on(std::move(view), *trace, cell);
        view.selected = cell;
        break;
      case Deed::query_word: looking.query = index; break;
      case Deed::key_word: looking.key = index; break;
      case Deed::head: view.head = index; break;
      case Deed::back: looking.level = Level::pipeline; break;
      default: return;
    }
  });
}

}  // namespace

Stage stage_shown(const Frame& frame) {
  const View& view = frame.view();
  const Trace& trace = *frame.trace();
  const Stage stage = view.step ? frame.timeline.at(*view.step).stage : view.looking.stage;
  if (trace.has(stage) && !is_parameter(stage)) return shown_as(trace, stage);
  return trace.has(Stage::scores) ? Stage::scores : Stage::weights;
}

const Scene& operation_scene(const Frame& frame, Rect place) {
  const View& view = frame.view();
  return frame.picture<OperationScene>([&] {
    const Stage stage = stage_shown(frame);
    return OperationScene{make_operation(easel_of(frame), stage, reveal_of(frame, stage), place)};
  }, view.looking, view.selected, view.step, view.way, place).scene;
}

void draw_operation_view(const Frame& frame, Rect place) {
  const Scene& scene = operation_scene(frame, place);
  ImGui::SetCursorScreenPos(place.min);
  ImGui::InvisibleButton("operation_surface", {place.width(), place.height()});
  const SceneTarget* target = ImGui::IsItemHovered() ? target_at(scene, ImGui::GetIO().MousePos) : nullptr;
  if (target) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsItemDeactivated() && target) click(frame, *target);
  draw_scene(*ImGui::GetWindowDrawList(), scene, frame.look, frame.fonts, frame.painter);
}

}  // namespace headlight
