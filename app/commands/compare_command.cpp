// headlight compare: finds where another implementation differs from this one.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/diagnosis/diagnosis.h"
#include "core/network/network_trace.h"
#include "core/run/pipeline.h"
#include "core/text/utf8_path.h"
#include "ui/mine/report.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: the largest number replaces it, so that a script always compares numbers.
double finite(double value) { return std::min(value, std::numeric_limits<double>::max()); }

Json stage_json(const StageComparison& stage) {
  Json json{{"stage", std::string(name(stage.stage))},
            {"present", stage.own != nullptr},
            {"max_abs_error", nullptr},
            {"at", nullptr}};
  if (stage.agreement) {
    json["max_abs_error"] = finite(stage.agreement->largest);
    json["at"] = stage.agreement->at;
  }
  if (stage.own && !stage.own->reading.plain()) json["note"] = translated_error(stage.own->reading);
  return json;
}

Json comparison_json(const Comparison& comparison) {
  const StageComparison* first = comparison.first_difference();
  Json json{{"match", comparison.matches()},
            {"stages", Json::array()},
            {"first_difference", nullptr},
            {"diagnosis", Json::array()}};
  for (const StageComparison& stage : comparison.stages) json["stages"].push_back(stage_json(stage));
  if (comparison.assumed)
    json["assumed_mask"] = comparison.assumed->settings.empty() ? Json(true) : Json(comparison.assumed->settings);
  if (!comparison.complete) json["complete"] = false;
  if (first) json["first_difference"] = std::string(name(first->stage));
  for (const Finding& finding : comparison.diagnosis()) {
    json["diagnosis"].push_back({{"id", finding.id}, {"explanation", finding.explanation}});
  }
  return json;
}

void print_table(const Comparison& comparison, const Words& words) {
  std::size_t width = 0;
  for (const StageComparison& stage : comparison.stages) width = std::max(width, name(stage.stage).size());
  const auto print = [width](std::string_view stage, const std::string& difference, const std::string& verdict) {
    std::string line(stage);
    line.resize(std::max(width, line.size()), ' ');
    std::printf("  %s  %11s%s\n", line.c_str(), difference.c_str(), verdict.empty() ? "" : ("  " + verdict).c_str());
  };
  print(words("mine.stage"), words("mine.difference"), "");
  for (const StageComparison& stage : comparison.stages) {
    const std::string largest = !stage.own        ? words("mine.not_saved")
                                : stage.agreement ? short_number(stage.agreement->largest)
                                                  : words("mine.shape");
    print(name(stage.stage), largest, verdict_words(stage, words));
  }
}

void print_comparison(const Comparison& comparison, const OwnStages& own, const Words& words) {
  const Report report = make_report(comparison, own, words);
  if (!report.assumed.empty()) std::printf("%s\n\n", report.assumed.c_str());
  print_table(comparison, words);
  if (!report.agrees.empty()) std::printf("\n%s\n", report.agrees.c_str());
  for (const ReportPart& part : report.parts) {
    std::printf("\n%s\n", part.heading.c_str());
    for (const ReportFinding& finding : part.findings)
      std::printf("  %s\n    %s\n", finding.id.c_str(), finding.text.c_str());
    for (const std::string& note : part.notes) std::printf("  %s\n", note.c_str());
  }
  if (!report.incomplete.empty()) std::printf("\n%s\n", report.incomplete.c_str());
  for (const std::string& other : report.others) std::printf("\n%s\n", printable(other).c_str());
}

}  // namespace

int compare_command(const CommandLine& line) {
  if (line.file.empty() || line.second_file.empty()) throw UsageError("compare needs a FILE and MINE, your own stages");
  Run run;
  run.threads = line.threads();
  const auto trace = compute_any(scenario_of(line), nullptr, run);
  if (std::filesystem::is_directory(path_from(line.second_file))) return compare_folder(line, trace, run);
  if (line.has("--table")) throw UsageError("--table is for a folder of files");
  const OwnStages own = read_own_stages(line.second_file, *trace);
  const Comparison comparison = compare(trace, own, run);
  if (line.has("--json")) {
    std::cout << comparison_json(comparison).dump(2) << '\n';
  } else {
    print_comparison(comparison, own, Words(line.has("--language") ? line["--language"] : "en"));
  }
  return comparison.matches() ? 0 : 1;
}

}  // namespace headlight
