// The result of compare in words, the same in the window and on the terminal.
#pragma once

#include <string>
#include <vector>

#include "core/teaching/diagnosis/diagnosis.h"
#include "ui/base/look/words.h"

namespace headlight {

struct ReportFinding {
  std::string id;
  std::string title;  ///< a few words
  std::string text;   ///< one or two sentences
  std::string line;   ///< the corrected line of code; "" if there is none
};

/// A stage with a mistake of its own.
struct ReportPart {
  Stage stage{};
  std::string heading;
  std::vector<ReportFinding> findings;
  std::vector<std::string> notes;  ///< if no mistake was found: what else can be said
};

struct Report {
  std::string assumed;  ///< the mask that was assumed; "" for none
  std::vector<ReportPart> parts;
  std::string agrees;               ///< "Everything agrees."; "" if it does not
  std::string incomplete;           ///< the search ended early; "" if it did not
  std::vector<std::string> others;  ///< arrays that were not compared, and what they may be
};

Report make_report(const Comparison& comparison, const OwnStages& own, const Words& words);
/// The report with the window's names for the command line's options.
Report in_window(Report report, const Words& words);
/// "agrees", or where and by how much it differs.
std::string verdict_words(const StageComparison& stage, const Words& words);
/// How an array was read, or why it was not; "" if there is nothing to say.
std::string reading_words(const OwnReading& reading, const Words& words);
/// "2.5e-05", as in the table.
std::string short_number(double value);

}  // namespace headlight
