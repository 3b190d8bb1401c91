// What compare says in words, the same in the window and on the terminal.
#pragma once

#include <string>
#include <vector>

#include "core/diagnosis/diagnosis.h"
#include "ui/look/words.h"

namespace headlight {

struct ReportFinding {
  std::string id;
  std::string title;  ///< in a few words
  std::string text;   ///< a sentence or two
  std::string line;   ///< the line to write, as code; "" where there is none
};

/// A stage that goes wrong by itself.
struct ReportPart {
  Stage stage{};
  std::string heading;
  std::vector<ReportFinding> findings;
  std::vector<std::string> notes;  ///< where nothing is found: what there is to say
};

struct Report {
  std::string assumed;  ///< the mask that was taken for meant; "" for none
  std::vector<ReportPart> parts;
  std::string agrees;               ///< "Everything agrees."; "" where it does not
  std::string incomplete;           ///< the search ended early; "" where it did not
  std::vector<std::string> others;  ///< arrays that were not compared, and what they may be
};

Report make_report(const Comparison& comparison, const OwnStages& own, const Words& words);
/// How a stage compares: "agrees", or where it does not and by what.
std::string verdict_words(const StageComparison& stage, const Words& words);
/// How an array was taken, or why it was not; "" where there is nothing to say.
std::string reading_words(const OwnReading& reading, const Words& words);
/// "2.5e-05", as the table has it.
std::string short_number(double value);

}  // namespace headlight
