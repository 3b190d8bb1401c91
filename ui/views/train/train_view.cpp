#include <algorithm>
#include <cmath>
#include <utility>

#include "core/compute/training/task.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/imgui_compat.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/train/train.h"
#include "ui/views/train/train_groups.h"

namespace headlight {
namespace {

// In points: the column of choices, and the margin of the picture in a narrow and in a wide view.
constexpr RoomShare choices_width{0.19F, 220, 320};
constexpr float narrow = 1100, wide_margin = 30;

/// The step after the "@" of a run's name; the last one if it has none.
Index named_step(const std::string& file, const Learned& run) {
  const std::size_t at = file.rfind('@');
  return at == std::string::npos ? run.settings.steps : std::atoll(file.c_str() + at + 1);
}

const TrainScene& train_scene(const Frame& frame, const TrainStory& story, Rect place) {
  return frame.kept([&] { return make_train(scene_context(frame), story, place); }, frame.document.learned,
                    frame.document.learned_beside, story.step, story.learning, frame.view().train.guess,
                    is_guessing(frame.view()), place);
}

Index step_under(const TrainScene& made) {
  const float share = (ImGui::GetIO().MousePos.x - made.plot.min.x) / made.plot.width();
  return std::lround(std::clamp(share, 0.0F, 1.0F) * static_cast<float>(made.steps));
}

void drag(const Frame& frame, const TrainStory& story, const TrainScene& made) {
  const SceneTarget* pressed = pressed_target(frame);
  if (!pressed || pressed->action != SceneAction::own) return;
  const auto does = static_cast<TrainTarget>(pressed->index);
  if (does == TrainTarget::curve) {
    const Index step = story.run.nearest(step_under(made)).step;
    if (step != story.step || story.learning) go_to_step(frame, story, step);
  }
  if (does == TrainTarget::guess) {
    const float share = (made.plot.max.y - ImGui::GetIO().MousePos.y) / made.plot.height(),
                guess = std::clamp(std::round(50 * share) / 50, 0.0F, 1.0F);
    if (frame.view().train.guess != guess) frame.show([guess](View& v) { v.train.guess = guess; });
  }
}

void press(const Frame& frame, const TrainStory& story, const SceneTarget& target) {
  if (static_cast<TrainTarget>(target.index) != TrainTarget::open) return;
  go_to_step(frame, story, target.cell.row);
  TrainStory there = story;
  there.step = target.cell.row;
  open_moment(frame, there, target.cell.batch, target.cell.head);
}

/// A clicker: starts, pauses, goes where it happened, opens that moment. A lesson goes on in place of the last two.
bool go_forward(const Frame& frame, const TrainStory& story) {
  if (story.learning || !story.run.ended()) return start_or_pause(frame, story), true;
  if (!frame.document.origin.lesson.course.empty()) return false;
  const LearnedMoment* where = story.run.steepest();
  if (where && where->step != story.step && story.step == story.run.step) go_to_step(frame, story, where->step);
  else open_moment(frame, story, 0, 0);
  return true;
}

}  // namespace

TrainStory train_story(const Frame& frame) {
  const Document& document = frame.document;
  const Learned& run = *document.learned;
  const bool learning = document.view.train.until > 0;
  const Index step = learning ? run.step : std::min(named_step(document.scenario.file, run), run.step);
  return {run, document.learned_beside.get(), step, learning};
}

std::pair<std::string, std::string> run_names(const TrainingSettings& a, const TrainingSettings& b,
                                              const Words& words) {
  const TrainGroup* group = differing_group(a, b);
  if (!group) return {};
  return {choice_words(*group, a, words), choice_words(*group, b, words)};
}

std::string probe_text(const Learned& run) {
  std::string text, answers;
  for (const std::int32_t token : run.probe.tokens) text += run.words[static_cast<std::size_t>(token)] + " ";
  for (const std::int32_t token : run.probe.targets)
    answers += token == not_asked ? (answers.empty() ? "" : " ·") : " " + run.words[static_cast<std::size_t>(token)];
  return text + "→" + answers;
}

std::string task_title(const TrainingSettings& run, const Words& words) {
  const TrainingTask* task = training_task(run.task);
  return task ? task_title(*task, words) : words.fill("train.own_text", {run.task});
}

std::string task_title(const TrainingTask& task, const Words& words) {
  const std::string key = "train.tasks." + std::string(task.id);
  return words.has(key) ? words(key) : task.title;
}

void draw_train_view(const Frame& frame, Rect place) {
  if (!frame.document.learned) {
    if (!frame.document.scenario.file.starts_with(run_prefix)) return draw_train_invitation(frame, place);
    frame.write(Face::ui, TypeSize::heading,
                {place.min.x + Space::section * frame.u, place.min.y + Space::section * frame.u}, frame.look.muted,
                frame.words("messages.computing"));
    return;
  }
  const float u = frame.u;
  const TrainStory story = train_story(frame);
  Rect room = place;
  if (!frame.view().presenting) {
    room.min.x += std::round(choices_width.of(place.width(), u));
    draw_train_choices(frame, story, {place.min, {room.min.x, place.max.y}});
  }
  const float pad = (place.width() < narrow * u ? Space::row : wide_margin) * u;
  const TrainScene& made =
      train_scene(frame, story, {{room.min.x + pad, room.min.y + pad}, {room.max.x - pad, room.max.y - pad}});
  const ScenePointer pointer = point_at(frame, "train_surface", room, {&made.scene});
  if (pointer.held) drag(frame, story, made);
  draw_scene(frame, *ImGui::GetWindowDrawList(), made.scene);
  frame_control(frame, pointer.controls.under);
  if (pointer.controls.pressed) press(frame, story, *pointer.controls.pressed);
}

bool press_train_keys(const Frame& frame) {
  if (!frame.document.learned || frame.document.learned->moments.empty()) return false;
  const TrainStory story = train_story(frame);
  using compat::Key;
  const bool free = !frame.focus.shown();  // otherwise they go to the focused control
  const auto near = std::ranges::lower_bound(story.run.moments, story.step, {}, &LearnedMoment::step);
  const auto at = std::min<Index>(near - story.run.moments.begin(), std::ssize(story.run.moments) - 1);
  const auto step_to = [&](Index which) {
    go_to_step(
        frame, story,
        story.run.moments[static_cast<std::size_t>(std::clamp<Index>(which, 0, std::ssize(story.run.moments) - 1))]
            .step);
    return true;
  };
  if (free && compat::pressed_once(Key::space)) return start_or_pause(frame, story), true;
  if (free && compat::pressed(Key::right)) return step_to(at + 1);
  if (free && compat::pressed(Key::left)) return step_to(at - 1);
  if (free && compat::pressed_once(Key::home)) return step_to(0);
  if (free && compat::pressed_once(Key::end)) return step_to(std::ssize(story.run.moments) - 1);
  if (free && compat::pressed_once(Key::enter)) return open_moment(frame, story, 0, 0), true;
  if (compat::pressed_once(Key::page_down)) return go_forward(frame, story);
  if (compat::pressed_once('s')) return one_step(frame, story), true;
  if (compat::pressed_once('w')) return go_where_it_happened(frame, story), true;
  return false;
}

bool leave_train(View& view) {
  if (view.train.until > 0) {
    view.train.until = 0;
    return true;
  }
  if (view.train.beside.empty()) return false;
  view.train.beside.clear();
  return true;
}

}  // namespace headlight
