// Document: everything that is open. A plain value; actions (ui/base/document/action.h) turn one into the next.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/compute/run/difference.h"
#include "core/compute/run/trace.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/settings/scenario.h"
#include "core/teaching/diagnosis/comparer.h"
#include "ui/base/document/view.h"

namespace headlight {

struct Learned;

/// What the document was opened from: a lesson or a file; no title for neither.
struct Origin {
  Lesson lesson;
  Scenario saved;   ///< as last opened or saved; differences from it are unsaved changes
  int opening = 0;  ///< counts openings, so that a file that is opened again is read again
};

/// The open document and the lesson's progress. Undo restores it as a whole when another file was opened or a lesson
/// moved on.
struct OpenState {
  Origin origin;
  View view;  ///< looking_at() restores the part of it that concerns what is looked at and the lesson's progress
  std::optional<OwnSource> own;  ///< see Document::own
};

/// One undo step.
struct Past {
  Scenario scenario;
  std::optional<OpenState> place = {};  ///< set where the step changed it
};

struct Document {
  Scenario scenario;
  Origin origin;  ///< what it was opened from
  View view;
  std::shared_ptr<const Trace> trace;  ///< of `scenario`, or of an earlier one while the new one is computed
  Scenario computed;  ///< the scenario of `trace`; for a network, trace->scenario also has the model's settings
  std::shared_ptr<const Trace>
      pinned;  ///< the pinned result A that later ones are compared with; null if none is pinned
  std::shared_ptr<const Difference>
      difference;                ///< from `pinned` to `trace`; null without `pinned` and until it is computed
  std::optional<OwnSource> own;  ///< the user's own stages to compare with; unset: none
  std::shared_ptr<const Compared> own_compared;            ///< the result of that comparison; null until it is computed
  std::shared_ptr<const Learned> learned, learned_beside;  ///< what the scenario's run has come to, and TrainChoice's
                                                           ///< other one; null if there is none, or nothing is known
  SearchProgress searching;                                ///< progress of the search for the mistake
  std::shared_ptr<const LessonStandings> standings;  ///< saved progress of all lessons; null where nothing is saved
  std::optional<View> before_words;  ///< while a new text is computed: the view of the last one, for when it is refused
  Message error;                     ///< why the last change or file was refused; "" if it was not
  std::string page;    ///< address of the browser page, for links to this document; "" in the desktop program
  std::string notice;  ///< what was just done, such as where a file was written; "" for none
  std::vector<Past> undo, redo;
  std::string gesture;   ///< of the newest undo step; an edit with the same gesture joins it
  bool refused = false;  ///< the lesson's step did not allow the last change
};

/// Whether the shown numbers are those of the current scenario.
inline bool is_current(const Document& document) { return document.trace && document.computed == document.scenario; }

}  // namespace headlight
