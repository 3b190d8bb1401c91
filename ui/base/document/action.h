// Actions: everything a person can do, as values that a panel returns and a test can issue.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/figures/export/matrix_export.h"
#include "ui/base/document/document.h"

namespace headlight {

/// Changes the scenario. `edit` runs on the scenario as it is when the action is applied, so two edits of one frame
/// both take effect. `gesture` names what is being dragged or typed ("seed", "heads"): while the mouse or field is
/// held, edits with the same gesture form one undo step, and each is applied to the scenario at the start of the
/// gesture, so intermediate values leave no trace. "" never merges.
struct EditScenario {
  std::function<void(Scenario&)> edit;
  std::string gesture;
  bool adds = false;  ///< applied on top of the gesture's earlier edits, as a brush stroke is
};
/// Takes the tokens from text, random numbers or the file. Settings that the new source does not have are dropped.
struct ChangeSource {
  Source source{};
};
/// A change of the scenario as a JSON merge patch; the log writes an EditScenario in this form.
struct PatchScenario {
  std::string patch, gesture;
};
/// View fields as text (ui/base/document/view.h); the log writes an EditView in this form.
struct SetView {
  std::string fields;
};
/// Changes the view. Not an undo step, unless `undone`.
struct EditView {
  std::function<void(View&)> edit;
  bool undone = false;
};
/// A part of what is under the pointer (View::pointed). It changes all the time: nothing is copied for it.
template <typename T>
struct PointedPart {
  std::optional<T> Pointed::*part{};
  std::optional<T> now;
};
/// The head that the network view shows in detail: the last one that the pointer was on.
struct PointedHead {
  Index layer = 0, head = 0;
};
struct Hover {
  std::variant<PointedPart<Cell>, PointedPart<Stage>, PointedPart<Index>, PointedHead> what;
};
/// Asks for confirmation where changes would be lost, unless `surely`.
struct OpenFile {
  std::string path;
  bool surely = false;
};
/// Uses the mask of this file for the open document.
struct OpenMask {
  std::string path;
};
/// Pin keeps the shown result as A, for comparison with later ones; Unpin forgets it.
struct Pin {};
struct Unpin {};
/// Opens the layer and heads chosen in the layer dialog.
struct TakeLayer {};
/// Takes over the clipboard's content; UsePasted answers the paste dialog.
struct Paste {};
struct UsePasted {
  PasteUse use;
};
struct Undo {};
struct Redo {};
/// Copies text to the clipboard.
struct CopyText {
  std::string text;
};
/// Copies a matrix, or a part of it, to the clipboard or writes it to a file.
struct TakeMatrix {
  Cell cell;
  MatrixTake what{};
};
/// Says why the typed text cannot be used.
struct ShowError {
  std::string sentence;
};
/// Writes the shown mask to a file, or copies it as code.
struct TakeMask {
  MaskFormat format{};
};
/// Writes the export dialog's choice to `path`; overwrites an existing file only with `replace`.
struct Export {
  std::string path;
  bool replace = false;
};
/// Copies the command line that writes the same file.
struct CopyCommand {};
/// Copies a link to the browser page that shows this document.
struct CopyLink {};
/// Saves the scenario to its own file; asks for a path if it has none, or with `elsewhere`.
struct AskToSave {
  Next next = Next::stay;
  bool elsewhere = false;
};
struct Save {
  std::string path;
};
/// Removes the shown message: the error if there is one, else the notice.
struct DismissMessage {};
/// Compares the user's own stages in this file with the document's. StopComparing ends the comparison, StopSearch the
/// search for the mistake.
struct CompareOwn {
  std::string path;
};
struct StopComparing {};
struct StopSearch {};
/// Goes to another step of the open lesson.
struct GoToStep {
  std::size_t step = 0;
};
/// Forgets the answers of the open lesson, or of all lessons.
struct ResetLessons {
  bool all = false;
};
/// Adds what is on screen as the last step of a lesson file, which is created if missing.
struct SaveStep {
  std::string path;
};
/// Writes all lesson answers to a file; opening that file continues where they were left.
struct SaveAnswers {
  std::string path;
};
/// Asks for confirmation where changes would be lost, unless `surely`.
struct Quit {
  bool surely = false;
};

using Action = std::variant<EditScenario, ChangeSource, PatchScenario, EditView, SetView, Hover, OpenFile, OpenMask,
                            TakeLayer, Paste, UsePasted, CopyText, TakeMatrix, TakeMask, Export, CopyCommand, CopyLink,
                            AskToSave, Save, Pin, Unpin, CompareOwn, StopComparing, StopSearch, GoToStep, ResetLessons,
                            SaveStep, SaveAnswers, Undo, Redo, ShowError, DismissMessage, Quit>;
using Actions = std::vector<Action>;

/// Applies the actions that concern the document alone; Session handles those that open, write, copy or close. A change
/// that the lesson's step does not allow is refused (Document::refused).
void apply(Document& document, const Action& action);

/// Ends the current gesture: the next edit is a new undo step.
void end_gesture(Document& document);

/// Adds an undo step that restores everything that is open now, with its lesson and view.
void keep_place(Document& document);
/// Opens `lesson` with `scenario`; undo restores what was open before.
void begin_anew(Document& document, Lesson lesson, Scenario scenario);
/// Replaces the open document; undo restores it.
void take_over(Document& document, Document other);

/// Whether the selection lies within the trace. The view may refer to numbers that are still being computed, as after a
/// lesson's step.
bool selects_within(const View& view, const Trace& trace);
/// Moves the selection to the nearest cell that the trace has.
void select_within(View& view, const Trace& trace);

/// Above this number of weights, contribution norms are not computed for the window.
inline constexpr Index most_measured = 1 << 23;
/// Whether the trace has contribution norms to show (View::measure).
bool can_be_measured(const Trace& trace);

/// Shows the newest trace and clamps the view to its sizes, unless the trace is older than the scenario of the view.
void show_trace(Document& document, std::shared_ptr<const Trace> trace, Scenario of);
/// The scenario could not be computed: shows the error and restores the last computed one.
void show_error(Document& document, const Message& message);
/// The same for a document that was just opened: restores the one requested before, which may still be computing.
void take_back_opening(Document& document, const Message& message);

/// The line for an action that changed a document with this scenario and view into `after`; a function is written as
/// its result. "" if nothing changed, and for pointer movements.
std::string action_text(const Action& action, const Scenario& scenario, const View& view, const Document& after);

/// Shows the comparison of the user's own stages with the document's, beginning with the first stage that differs, at
/// its largest difference.
void show_compared(Document& document, std::shared_ptr<const Compared> compared);
/// The compared stage that is shown.
Stage compared_stage(const Compared& compared, const View& view);
/// The view on `stage`, at its largest difference.
View with_compared_stage(View view, const Compared& compared, Stage stage);

}  // namespace headlight
