// A course lesson: a scenario told in steps. Each step says something, sets what is on screen, and may ask. The format
// is assets/lesson.schema.json; teachers write such files by hand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/run/trace.h"
#include "core/scenario/lesson.h"
#include "core/scenario/scenario_view.h"
#include "core/stage/stage.h"
#include "core/tensor/message.h"
#include "core/text/texts.h"

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
  part
};

/// A number of the trace: one cell, or what is taken of the cells that `of` spans.
///   "weights:0,0,2,1"   one cell [batch, head, row, column]
///   "weights:0,0,2,:"   a row
/// `probability`, `logit`: of a word as the next one, in a network; `of` is the word. `part`: of its logit; `of` is
/// "1.2 is", what head 2 of layer 1 adds, or "1 is", what that layer's MLP does (core/network/logit_parts.h).
struct Measure {
  Taking take = Taking::value;
  std::string of;
  std::string minus;   ///< another address, whose number is taken off; "" = none
  bool wrong = false;  ///< taken from the numbers with the mistake, in a lesson that has one
};

/// A number that a text states as {name}. It is true where what is measured rounds to it.
struct Claim {
  std::string name;
  Measure measure;
  std::string is;                    ///< as it is shown, e.g. "0.50"
  std::optional<Scenario> scenario;  ///< measured there; unset: on the step's own
  std::string path;                  ///< where it stands in the file
};

/// A head's effect on the next word, which a text gives as a reason: checked by knocking it out.
struct Effect {
  std::vector<HeadAddress> knock_out;
  std::string from, to;  ///< the most probable next word as it is, and without these heads
  std::string path;
};

enum class QuestionKind : std::uint8_t { choice, number, row, mask, order, head, stage };

struct Question {
  QuestionKind kind = QuestionKind::choice;
  Texts ask, why;                  ///< `why` is shown with the answer
  std::vector<Texts> choices;      ///< choice: what can be chosen; order: in their right order
  std::size_t right = 0;           ///< choice
  std::optional<Measure> measure;  ///< number: the answer is read from the trace; row: the row that is guessed
  double number = 0;               ///< number, where nothing is measured
  double tolerance = 0.05;         ///< number, row: how far a guess may be off
  std::optional<std::pair<double, double>> range;  ///< number: the ends of what it is dragged along
  std::string mask;                                ///< mask: an expression that allows what should be allowed
  Index layer = 0, head = 0;                       ///< head
};

/// What is on screen at a step.
struct Pose {
  Scenario scenario;
  ViewAddress view;  ///< as --view
  Level level = Level::pipeline;
  Facet facet = Facet::step;  ///< of an operation
  HeadMeasure measure = HeadMeasure::weight;
  std::optional<Stage> stage;         ///< that the text is about
  std::optional<std::string> select;  ///< as --select
  std::optional<int> step;            ///< as --step
  CanvasCamera camera;                ///< of the pipeline
  std::vector<Stage> hide;            ///< not shown until the question is answered
  std::vector<std::string> controls;  ///< settings' keys that can be changed beside the text
  bool locked = false;                ///< nothing else can be changed
  bool mended = false;                ///< in a lesson with a mistake: it is not made any more
};

/// An implementation with a mistake, which is made on the step's scenario (core/diagnosis/reproduction.h).
struct Bug {
  std::string mistake;              ///< an id of core/diagnosis/mistakes.h
  std::size_t variant = 0;          ///< of the ways to make it
  std::vector<std::string> code;    ///< its lines
  std::size_t line = 0;             ///< the wrong one, from 0
  std::vector<std::string> mended;  ///< what is to stand there
};

/// A piece of a text: plain words, a term that names a stage, a number that is claimed.
struct ProseRun {
  std::string words;
  std::optional<Stage> stage{};
  bool number = false;
  bool code = false;           ///< stood between backticks
  std::optional<Cell> cell{};  ///< whose number it is
};

struct LessonStep {
  Texts title;  ///< may be empty
  Texts notes;  ///< for who teaches it; may be empty
  Texts text;   ///< with {name} where a claim's number goes
  Pose pose;
  std::vector<Claim> claims;
  std::optional<Effect> effect;
  std::optional<Question> question;
  std::string path;  ///< "$.steps[2]"

  /// The text as it reads: claims filled in, "[scores](stage:scores)" as "scores". English where a language is missing.
  std::string prose(const std::string& language) const;
  /// The same in its pieces.
  std::vector<ProseRun> runs(const std::string& language) const;
};

struct Course {
  Lesson card;             ///< id, title, description, the scenario to begin with
  std::optional<Bug> bug;  ///< to be found
  bool own = false;        ///< of this person's folder, none of those that ship
  std::vector<LessonStep> steps;

  std::size_t questions() const;
  /// In which every text is there.
  std::vector<std::string> languages() const;
  /// "zh: $.steps[0].text": what lacks a language that other texts of the lesson have.
  std::vector<std::string> untranslated() const;
};

/// JSON, or Markdown (core/scenario/lesson_markdown.h) by its ending. Throws FileError at the first thing that is wrong
/// in the file.
Course read_course(const std::string& path);
/// Whether a file's ending is one that lessons have.
bool is_lesson_file(const std::string& path);
/// The course lessons that ship, in order; by id or path, those of one's own too. Throw FileError, SettingError.
std::vector<Course> shipped_courses();
/// Those in this person's own folder, by their files' names; the sentences of those that are wrong.
std::vector<Course> own_courses(std::vector<Message>* troubles = nullptr);
Course course_named(const std::string& id_or_path);

/// Everything that is wrong in a lesson file, a sentence each with its path: what does not read, poses that do not
/// compute, selections that are not there, claims that are not so. Empty: it is right.
std::vector<std::string> mistakes_in_course(const std::string& path);

/// The number; throws SettingError where the trace has no such cell.
double measured(const Measure& measure, const Trace& trace);
/// The cells of the one row that `of` names, "weights:0,0,2,:". Throws SettingError where it names another thing.
std::vector<double> row_of(const Trace& trace, const std::string& of);
/// Of the row's address, where it is.
std::optional<Cell> row_place(const std::string& of);
/// The one cell that `of` names; none for a row, a word, a cell that is counted.
std::optional<Cell> cell_place(const std::string& of);
/// A run with other stages in their places, for measuring.
Trace with_stages(const Trace& trace, const OwnStages& own);
/// Whether a number, as it is shown, says this value.
bool says(const std::string& shown, double value);

/// "3", "0.25", "−1.5": a whole number whole, any other with three digits.
std::string number_words(double value);

/// [B, H, n_q, n_k] in the sizes of the trace: where the mask expression allows. Throws InputError where it does not
/// parse.
Tensor allowed_cells(const std::string& expression, const Trace& trace);

/// A lesson's JSON as a course, for read_course() and the check. Mistakes are gathered there, or the first is thrown
/// where that is null.
Course course_from(const nlohmann::json& json, const std::string& file, std::vector<std::string>* mistakes);

}  // namespace headlight
