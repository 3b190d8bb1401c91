// A course lesson: a scenario told in steps. Each step has a text, sets what is on screen, and may ask a question. The
// format is assets/lesson.schema.json; teachers write such files by hand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/tensor/message.h"
#include "core/base/text/texts.h"
#include "core/compute/run/trace.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/settings/scenario_view.h"

namespace headlight {

class Trace;
struct OwnStages;

enum class Taking : std::uint8_t {
  value,
  sum,
  mean,
  deviation,
  largest,
  smallest,
  entropy,
  count,
  where_largest,
  probability,
  logit,
  part,
  accuracy,
  ceiling
};

/// A number of the trace: one cell, or an aggregate of the cells in the range `of`.
///   "weights:0,0,2,1"   one cell [batch, head, row, column]
///   "weights:0,0,2,:"   a row
/// `probability`, `logit`: of the next word in a network; `of` is the word. `part`: a part of its logit; `of` is "1.2
/// is" for the part that head 2 of layer 1 adds, or "1 is" for that layer's MLP (core/compute/network/logit_parts.h).
/// `accuracy`: of a training run after some steps, on fresh data; `of` is its name, "train:reverse@300". `ceiling`: the
/// best that it can reach (core/compute/training/ceiling.h). A stage's gradient, "d_weights:0,0,2,1", is of the loss of
/// the task that the network has learned.
struct Measure {
  Taking take = Taking::value;
  std::string of;
  std::string minus;   ///< another address, whose number is subtracted; "" = none
  bool wrong = false;  ///< read from the run with the mistake, in a lesson that has one
};

/// Whether this is measured on a training run, not on the trace.
constexpr bool is_of_run(Taking take) { return take == Taking::accuracy || take == Taking::ceiling; }
/// How far the accuracy of one run may differ from machine to machine: its numbers are the same only within the sums of
/// float32, and learning adds up such differences.
inline constexpr double between_machines = 0.03;

/// A number that a text states as {name}. The claim is true if the measured number rounds to it.
struct Claim {
  std::string name;
  Measure measure;
  std::string is;                    ///< the number as shown, e.g. "0.50"
  std::optional<Scenario> scenario;  ///< the scenario to measure in; unset: the step's own
  std::string path;                  ///< its JSON path in the file
};

/// A head's effect on the next word that a text gives as a reason; checked by knocking the head out.
struct Effect {
  std::vector<HeadAddress> knock_out;
  std::string from, to;  ///< the most probable next word with and without these heads
  std::string path;
};

enum class QuestionKind : std::uint8_t { choice, number, row, mask, order, head, stage };

struct Question {
  QuestionKind kind = QuestionKind::choice;
  Texts ask, why;                                  ///< `why` is shown with the answer
  std::vector<Texts> choices;                      ///< choice: the options; order: the items in the right order
  std::size_t right = 0;                           ///< choice
  std::optional<Measure> measure;                  ///< number: the answer in the trace; row: the row to guess
  double number = 0;                               ///< number: the answer if nothing is measured here; of a run's
                                                   ///< accuracy, as the file states it
  double tolerance = 0.05;                         ///< number, row: maximum error of a guess
  std::optional<std::pair<double, double>> range;  ///< number: the ends of the slider
  std::string mask;                                ///< mask: an expression for the right mask
  Index layer = 0, head = 0;                       ///< head
};

/// A change that a button beside the text makes, and takes back.
struct Try {
  Texts words;
  Scenario scenario;
};

/// What is on screen at a step.
struct Pose {
  Scenario scenario;
  ViewFields view = "kind=pipeline";  ///< as --view
  Level level = Level::pipeline;
  Facet facet = Facet::step;  ///< of an operation
  HeadMeasure measure = HeadMeasure::weight;
  std::optional<Stage> stage;         ///< the stage that the text is about
  std::optional<std::string> select;  ///< as --select
  std::optional<int> step;            ///< as --step
  CanvasCamera camera;                ///< of the pipeline
  std::vector<Stage> hide;            ///< hidden until the question is answered
  std::vector<std::string> controls;  ///< keys of the settings that can be changed next to the text
  std::vector<Try> tries;             ///< buttons next to the text
  bool locked = false;                ///< no other setting can be changed
  bool gradients = false;             ///< the pipeline and its operations show gradients
  std::string beside;                 ///< in the view Train: the name of the run that is shown beside it; "": none
  bool mended = false;                ///< in a lesson with a mistake: the mistake is corrected
};

/// An implementation with a mistake, which is applied to the step's scenario (core/teaching/diagnosis/reproduction.h).
struct Bug {
  std::string mistake;              ///< an id of core/teaching/diagnosis/mistakes.h
  std::size_t variant = 0;          ///< index of the mistake's variant
  std::vector<std::string> code;    ///< the lines of its code
  std::size_t line = 0;             ///< index of the wrong line, from 0
  std::vector<std::string> mended;  ///< the correct lines
};

/// A piece of a text: plain words, a term that links to a stage, or the number of a claim.
struct ProseRun {
  std::string words;
  std::optional<Stage> stage{};
  bool number = false;
  bool code = false;           ///< was between backticks
  std::optional<Cell> cell{};  ///< the cell of the number
};

struct LessonStep {
  Texts title;  ///< may be empty
  Texts notes;  ///< for teachers; may be empty
  Texts text;   ///< with {name} in place of a claim's number
  Pose pose;
  std::vector<Claim> claims;
  std::optional<Effect> effect;
  std::optional<Question> question;
  std::string path;  ///< "$.steps[2]"

  /// The text as shown: claims filled in, "[scores](stage:scores)" as "scores". English if the language is missing.
  std::string prose(const std::string& language) const;
  /// The same, in pieces. `numbers`: those of the claims, in their order, if they are not the ones that the file
  /// states.
  std::vector<ProseRun> runs(const std::string& language, const std::vector<std::string>& numbers = {}) const;
  /// The numbers of the claims as they are in this run: a claim with a scenario of its own keeps its number, because
  /// the text says of which setting it is. `beside`: the run with the lesson's mistake; null: its numbers stay.
  std::vector<std::string> numbers_in(const Trace& trace, const Trace* beside = nullptr) const;
};

struct Course {
  Lesson card;             ///< id, title, description, the scenario to start with
  std::optional<Bug> bug;  ///< the mistake to find
  bool own = false;        ///< from the user's own folder, not shipped
  std::vector<LessonStep> steps;

  std::size_t questions() const;
  /// The languages that every text has.
  std::vector<std::string> languages() const;
  /// "zh: $.steps[0].text": texts that lack a language that other texts of the lesson have.
  std::vector<std::string> untranslated() const;
};

/// Reads JSON or Markdown (core/scenario/settings/lesson_markdown.h), by the file's ending. Throws FileError for the
/// first error in the file.
Course read_course(const std::string& path);
/// Whether the file's ending is that of a lesson.
bool is_lesson_file(const std::string& path);
/// shipped_courses(): the shipped course lessons, in order. course_named(): a lesson by id or path, including the
/// user's own. Both throw FileError, SettingError.
std::vector<Course> shipped_courses();
/// The lessons in the user's folder, in order of file name; `troubles` receives an error for each that is wrong.
std::vector<Course> own_courses(std::vector<Message>* troubles = nullptr);
Course course_named(const std::string& id_or_path);

/// All errors in a lesson file, one sentence each with its path: syntax errors, poses that cannot be computed,
/// selections that do not exist, claims that are false. Empty if there are none.
std::vector<std::string> mistakes_in_course(const std::string& path);

/// The measured number. Throws SettingError if the trace has no such cell.
double measured(const Measure& measure, const Trace& trace);
/// The cells of the row that `of` names, e.g. "weights:0,0,2,:". Throws SettingError if it does not name a row.
std::vector<double> row_of(const Trace& trace, const std::string& of);
/// Whether the text has the form of an address, "STAGE:batch,head,row,column".
bool is_address(const std::string& of);
/// The first cell of the row that `of` names; unset if it names none.
std::optional<Cell> row_place(const std::string& of);
/// The cell that `of` names; unset for a row, a word, or a count.
std::optional<Cell> cell_place(const std::string& of);
/// A copy of the run with some stages replaced, for measuring.
Trace with_stages(const Trace& trace, const OwnStages& own);
/// Whether a number as shown equals this value after rounding, or is not further from it than `within`.
bool says(const std::string& shown, double value, double within = 0);

/// The value written as `shown` is: as a percentage or not, with as many decimals, or more for two digits.
std::string as_shown(const std::string& shown, double value);

/// "3", "0.25", "−1.5": integers in full, other numbers with three digits.
std::string number_words(double value);

/// [B, H, n_q, n_k] in the sizes of the trace: the cells that the mask expression allows. Throws InputError if it does
/// not parse.
Tensor allowed_cells(const std::string& expression, const Trace& trace);

/// A lesson's JSON as a course, for read_course() and the check. Errors are added to `mistakes`; if that is null, the
/// first one is thrown.
Course course_from(const nlohmann::json& json, const std::string& file, std::vector<std::string>* mistakes);

}  // namespace headlight
