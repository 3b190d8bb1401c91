// Document: what is open. A plain value; actions (ui/document/action.h) turn one into the next.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/comparer.h"
#include "core/run/difference.h"
#include "core/run/trace.h"
#include "core/scenario/lesson.h"
#include "core/scenario/scenario.h"
#include "ui/document/view.h"

namespace headlight {

/// What a document began as: a lesson, a file; without a title for what is neither.
struct Origin {
  Lesson lesson;
  Scenario saved;   ///< as it was last opened or saved: what would not be lost
  int opening = 0;  ///< counts what was opened: a file that is opened again is read again
};

/// What is open and how far one is in it. Undone as a whole where another file is opened or a lesson goes on.
struct OpenState {
  Origin origin;
  View view;                     ///< of which looking_at() brings back what is looked at, and the lesson's progress
  std::optional<OwnSource> own;  ///< as Document::own
};

/// A step of undo.
struct Past {
  Scenario scenario;
  std::optional<OpenState> place = {};  ///< set where the step changed it
};

struct Document {
  Scenario scenario;
  Origin origin;  ///< what it began as
  View view;
  std::shared_ptr<const Trace> trace;  ///< of `scenario`, or of an earlier one while the new one is computed
  Scenario computed;  ///< the one that `trace` is of; a network's trace has the model's settings in its own
  std::shared_ptr<const Trace> pinned;  ///< the result A that others are compared with; null without one
  std::shared_ptr<const Difference>
      difference;                        ///< from `pinned` to `trace`; null without `pinned` or until it is computed
  std::optional<OwnSource> own;          ///< somebody's own stages, laid over what is open
  std::shared_ptr<const Beside> beside;  ///< how they compare; null until that is known
  SearchProgress searching;              ///< for the mistake behind them
  std::shared_ptr<const LessonStandings> standings;  ///< what is remembered of all lessons; null where nothing is
  std::string error;                                 ///< why the last change or file was not taken; "" if all is well
  std::string page;    ///< the address that a link to what is open begins with; "" where the program is no page
  std::string notice;  ///< what was done, such as where a file went; "" for nothing to say
  std::vector<Past> undo, redo;
  std::string gesture;   ///< of the newest undo step; a change with the same one joins it
  bool refused = false;  ///< the last change was none that the lesson's step allows
};

/// Whether the numbers that are shown are of what is wanted, not of an earlier scenario.
inline bool is_current(const Document& document) { return document.trace && document.computed == document.scenario; }

}  // namespace headlight
