// The view Train: a small network learns a task before one's eyes (core/compute/training). What it has come to is a
// value (core/compute/engine/learning.h), its picture a scene; choices are at the left.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/engine/learning.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/dialogs/export/export_open.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

/// What a target of the scene does: SceneTarget::index of SceneAction::own.
enum class TrainTarget : Index {
  curve,  ///< drag: the kept step under the pointer
  guess,  ///< before the first step, drag: how far it will come
  where,  ///< the step where it happened
  open,   ///< opens the head (cell.batch is the layer, cell.head) at the kept step in `cell.row`
  alone   ///< ends the comparison of two runs
};

/// What is drawn: one run, or two that differ in one choice.
struct TrainStory {
  const Learned& run;
  const Learned* beside = nullptr;  ///< the one that was first
  Index step = 0;                   ///< of `run`, that is shown
  bool learning = false;
};

/// Whether a lesson asks how far the run will come, so that nothing says it.
inline bool is_guessing(const View& view) { return view.lesson.guesses_run && !view.lesson.revealed; }
/// The step that is shown: the newest while it learns, else the scenario's.
TrainStory train_story(const Frame& frame);
/// A setting in which two runs differ: "mask: causal()" and "mask: full()"; "" and "" if they do not.
std::pair<std::string, std::string> run_names(const TrainingSettings& a, const TrainingSettings& b, const Words& words);
/// "f a c e → e c a f"
std::string probe_text(const Learned& run);
/// The task, in the words' language.
std::string task_title(const TrainingSettings& run, const Words& words);
std::string task_title(const TrainingTask& task, const Words& words);

struct TrainScene {
  Scene scene;
  Rect plot;        ///< of the curve: steps from left to right, shares from 1 at the top to 0
  Index steps = 1;  ///< at the right end of the plot
};
TrainScene make_train(const SceneContext& context, const TrainStory& story, Rect place);

/// The choices and buttons.
void draw_train_choices(const Frame& frame, const TrainStory& story, Rect place);
/// Tasks to begin with, where the document is no run.
void draw_train_invitation(const Frame& frame, Rect place);

// What buttons and keys do.
/// Changes a choice of the run. If it has learned something, it stays beside the new one, which begins at once.
void choose_in_run(const Frame& frame, const TrainStory& story, const std::string& gesture,
                   const std::function<void(TrainingSettings&)>& change);
/// How long the run is; it stays the same run.
void set_steps(const Frame& frame, const TrainStory& story, Index steps);
void start_or_pause(const Frame& frame, const TrainStory& story);
void one_step(const Frame& frame, const TrainStory& story);
void begin_again(const Frame& frame);
void go_to_step(const Frame& frame, const TrainStory& story, Index step);
void go_where_it_happened(const Frame& frame, const TrainStory& story);
/// Shows the step's network, at a head, in the sentence; Esc comes back.
void open_moment(const Frame& frame, const TrainStory& story, Index layer, Index head);

// The row of ui/views/registry.cpp.
void draw_train_view(const Frame& frame, Rect place);
bool press_train_keys(const Frame& frame);
bool leave_train(View& view);

}  // namespace headlight
