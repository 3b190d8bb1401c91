#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/compute/training/task.h"
#include "core/compute/training/trainer.h"
#include "ui/base/document/action.h"
#include "ui/base/look/words.h"
#include "ui/views/train/train.h"

namespace headlight {
namespace {

/// The document's scenario becomes a step of the run; its text and layer stay, so that other views follow.
void show_step(const Frame& frame, const std::string& gesture, Index step) {
  frame.edit(gesture, [step](Scenario& s) { s.file = with_step(s.file, step); });
}

/// Another network, of which nothing is known that was set for the one before.
void show_run(const Frame& frame, const std::string& gesture, const TrainingSettings& run, Index step) {
  frame.edit(gesture, [name = whole_run_name(run, step)](Scenario& s) {
    s = Scenario();
    s.source = Source::file;
    s.file = name;
  });
}

void learn_until(const Frame& frame, Index step) {
  frame.show([step](View& v) { v.train.until = step; });
}

}  // namespace

void choose_in_run(const Frame& frame, const TrainStory& story, const std::string& gesture,
                   const std::function<void(TrainingSettings&)>& change) {
  const Learned& first = story.beside ? *story.beside : story.run;  // both differ from it in one choice
  TrainingSettings next = first.settings;
  change(next);
  if (next == story.run.settings) return;
  try {
    check_training(next);
  } catch (const InputError& wrong) {
    frame.actions.push_back(ShowError{frame.words.translate(message_of(wrong))});
    return;
  }
  const bool two = first.step > 0 && !(next == first.settings);
  show_run(frame, gesture, next, first.settings == next ? first.step : 0);
  frame.show([two, first = whole_run_name(first.settings, 0), steps = next.steps](View& v) {
    v.train.beside = two ? first : std::string();
    v.train.until = two ? steps : 0;
  });
}

void set_steps(const Frame& frame, const TrainStory& story, Index steps) {
  TrainingSettings longer = story.run.settings;
  longer.steps = std::max<Index>(steps, 1);
  const Index step = std::min(story.step, longer.steps);
  frame.edit("train_steps", [name = whole_run_name(longer, step)](Scenario& s) { s.file = name; });
  frame.show([](View& v) {
    v.train.until = 0;
    v.train.beside.clear();
  });
}

void start_or_pause(const Frame& frame, const TrainStory& story) {
  const Learned& run = story.run;
  if (story.learning) return learn_until(frame, 0);
  if (run.error.empty() && run.step < run.settings.steps) return learn_until(frame, run.settings.steps);
  begin_again(frame);
}

void one_step(const Frame& frame, const TrainStory& story) {
  if (!story.run.ended()) learn_until(frame, story.run.step + 1);
}

void begin_again(const Frame& frame) {
  show_step(frame, {}, 0);
  frame.show([](View& v) {
    v.train.until = 0;
    ++v.train.round;
  });
}

void go_to_step(const Frame& frame, const TrainStory& story, Index step) {
  show_step(frame, "train_step", story.run.nearest(step).step);
  learn_until(frame, 0);
}

void go_where_it_happened(const Frame& frame, const TrainStory& story) {
  if (const LearnedMoment* moment = story.run.steepest()) go_to_step(frame, story, moment->step);
}

void open_moment(const Frame& frame, const TrainStory& story, Index layer, Index head) {
  frame.edit({}, [step = story.run.nearest(story.step).step, layer, text = story.run.probe.text](Scenario& s) {
    s.file = with_step(s.file, step);
    s.text = text;
    s.layer = std::to_string(layer);
  });
  frame.show([head](View& v) {
    v.train.until = 0;
    v.kind = ViewKind::pipeline;
    v.levels.level = Level::sentence;
    v.trail.clear();  // Esc returns to the run, not to what was open before it
    v.batch = 0;
    v.head = head;
    v.selected.reset();
    v.step.reset();
  });
}

}  // namespace headlight
