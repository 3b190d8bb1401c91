// Actions: everything a person can do, as values that a panel returns and a test can issue.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/export/mask_export.h"
#include "ui/document/document.h"

namespace headlight {

/// The numbers are to be other ones: what is to be done to the scenario as it is when its turn comes, so that two that
/// are made in one frame both hold. `gesture` names what is being dragged or typed ("seed", "heads"): while the mouse
/// or the field is held, changes with the same gesture are one step of undo, and each is made to the scenario that the
/// gesture began with, so that what it passes on the way leaves nothing behind; "" never merges.
struct EditScenario {
  std::function<void(Scenario&)> edit;
  std::string gesture;
  bool adds = false;  ///< to what the gesture has changed so far: a stroke of the brush
};
/// Tokens from a text, from random numbers or from the file: settings that the new source does not have are dropped.
struct ChangeSource {
  Source source{};
};
/// What differs from the scenario as it is, as a JSON merge patch of scenario files: how a log says an EditScenario.
struct PatchScenario {
  std::string patch, gesture;
};
/// Fields of the view as text (ui/document/view_fields.h): how a log says an EditView.
struct SetView {
  std::string fields;
};
/// Looking elsewhere or otherwise. Not a step of undo.
struct EditView {
  std::function<void(View&)> edit;
};
/// The pointer is over this cell, or over none.
struct Hover {
  std::optional<Cell> cell;
};
/// Asks first where changes would be lost, unless it is said surely.
struct OpenFile {
  std::string path;
  bool surely = false;
};
/// The mask of this file, whatever else is in it, over what is open.
struct OpenMask {
  std::string path;
};
/// The result that is shown becomes A, which later ones are compared with; Unpin forgets it.
struct Pin {};
struct Unpin {};
/// The layer and heads that are marked in the layer dialog.
struct TakeLayer {};
/// What is on the clipboard joins the document; UsePasted answers the paste dialog.
struct Paste {};
struct UsePasted {
  PasteUse use;
};
struct Undo {};
struct Redo {};
/// Text onto the clipboard.
struct CopyText {
  std::string text;
};
/// A matrix, or a part of it, onto the clipboard or into a file.
struct TakeMatrix {
  Cell cell;
  MatrixTake what{};
};
/// What was typed cannot be taken, and why.
struct ShowError {
  std::string sentence;
};
/// The mask that is shown, into a file or onto the clipboard as code.
struct TakeMask {
  MaskFormat format{};
};
/// Writes what the export dialog says to `path`; over what is there only with `replace`.
struct Export {
  std::string path;
  bool replace = false;
};
/// The command line that makes the same file, onto the clipboard.
struct CopyCommand {};
/// A link to the page that shows what is open, onto the clipboard.
struct CopyLink {};
/// Saves the scenario in its own file; asks where to if it has none, or is to go `elsewhere`.
struct AskToSave {
  Next next = Next::stay;
  bool elsewhere = false;
};
struct Save {
  std::string path;
};
/// Takes the message that is shown away: the error, else the notice.
struct DismissMessage {};
/// Somebody's own stages in this file, beside what is open; TakeOff ends that, StopSearch the search for what is wrong.
struct LayOver {
  std::string path;
};
struct TakeOff {};
struct StopSearch {};
/// Another step of the lesson that is open.
struct GoToStep {
  std::size_t step = 0;
};
/// The answers of the lesson that is open are forgotten, or of every lesson.
struct ResetLessons {
  bool all = false;
};
/// What is on screen becomes the last step of a lesson file, which is made where there is none.
struct SaveStep {
  std::string path;
};
/// All answers that were given in lessons go into a file, which opened goes on where they were left.
struct SaveAnswers {
  std::string path;
};
/// Asks first where changes would be lost, unless it is said surely.
struct Quit {
  bool surely = false;
};

using Action = std::variant<EditScenario, ChangeSource, PatchScenario, EditView, SetView, Hover, OpenFile, OpenMask,
                            TakeLayer, Paste, UsePasted, CopyText, TakeMatrix, TakeMask, Export, CopyCommand, CopyLink,
                            AskToSave, Save, Pin, Unpin, LayOver, TakeOff, StopSearch, GoToStep, ResetLessons, SaveStep,
                            SaveAnswers, Undo, Redo, ShowError, DismissMessage, Quit>;
using Actions = std::vector<Action>;

/// Applies what concerns the document; what opens, writes, copies or closes is the session's business. A change that
/// the lesson's step does not allow is refused (Document::refused).
void apply(Document& document, const Action& action);

/// Nothing is held any more: what follows is another step of undo.
void end_gesture(Document& document);

/// A step of undo that brings back all of what is open now, its lesson and what is looked at.
void keep_place(Document& document);
/// `lesson` is opened, as `scenario`; undo brings back what was open before.
void begin_anew(Document& document, Lesson lesson, Scenario scenario);
/// Another document takes the place of what is open, which undo brings back.
void take_over(Document& document, Document other);

/// Whether the trace has what is looked at: the view may be of numbers that are still to come, as a lesson's.
bool looks_within(const View& view, const Trace& trace);
/// The nearest that it has.
void look_within(View& view, const Trace& trace);

/// Of attention with more weights than this, what heads bring is not computed while one looks.
inline constexpr Index most_measured = 1 << 22;
/// Whether a view can show what the trace's heads bring (View::measure).
bool can_be_measured(const Trace& trace);

/// Takes the newest trace over: the document shows it, and the view is kept within its sizes, unless the trace is of an
/// earlier scenario than the one that the view is of.
void show_trace(Document& document, std::shared_ptr<const Trace> trace, Scenario of);
/// A scenario that could not be computed: says so and goes back to the one that is shown.
void show_error(Document& document, const std::string& sentence);
/// The same where it was just opened: goes back to what was asked for before, which may still be computing.
void take_back_opening(Document& document, const std::string& sentence);

}  // namespace headlight
