// headlight compare: where does my implementation go wrong?
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

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity; the largest number stands for it, so that a script compares numbers with numbers.
double finite(double value) { return std::min(value, std::numeric_limits<double>::max()); }

Json stage_json(const StageComparison& stage) {
  Json json{{"stage", std::string(name(stage.stage))}, {"present", stage.own != nullptr}, {"max_abs_error", nullptr}, {"at", nullptr}};
  if (stage.agreement) {
    json["max_abs_error"] = finite(stage.agreement->largest);
    json["at"] = stage.agreement->at;
  }
  if (stage.own && !stage.own->reading.empty()) json["note"] = stage.own->reading;
  return json;
}

Json comparison_json(const Comparison& comparison) {
  const StageComparison* first = comparison.first_difference();
  Json json{{"match", comparison.matches()}, {"stages", Json::array()}, {"first_difference", nullptr}, {"diagnosis", Json::array()}};
  for (const StageComparison& stage : comparison.stages) json["stages"].push_back(stage_json(stage));
  if (comparison.assumed) json["assumed_mask"] = comparison.assumed->settings.empty() ? Json(true) : Json(comparison.assumed->settings);
  if (!comparison.complete) json["complete"] = false;
  if (first) json["first_difference"] = std::string(name(first->stage));
  for (const Finding& finding : comparison.diagnosis()) {
    json["diagnosis"].push_back({{"id", finding.id}, {"explanation", finding.explanation}});
  }
  return json;
}

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string place(const std::vector<Index>& index) {
  std::string text = "[";
  for (const Index i : index) text += (text.size() > 1 ? ", " : "") + std::to_string(i);
  return text + "]";
}

/// "agrees", or where it does not and by what.
std::string verdict(const StageComparison& stage) {
  if (!stage.own) return "";
  const std::string& reading = stage.own->reading;
  if (!stage.agreement) return "DIFFERS  " + reading;
  const Agreement& a = *stage.agreement;
  std::string text = "agrees";
  if (!a.agrees) {
    text = "DIFFERS  at " + place(a.at) + ": " + short_number(static_cast<double>(a.mine)) + ", expected " +
           short_number(static_cast<double>(a.right));
  }
  return reading.empty() ? text : text + "  (" + reading + ")";
}

void print_table(const Comparison& comparison) {
  std::size_t width = 0;
  for (const StageComparison& stage : comparison.stages) width = std::max(width, name(stage.stage).size());
  const auto print = [width](std::string_view stage, const std::string& difference, const std::string& verdict) {
    std::string line(stage);
    line.resize(width, ' ');
    std::printf("  %s  %11s%s\n", line.c_str(), difference.c_str(), verdict.empty() ? "" : ("  " + verdict).c_str());
  };
  print("stage", "difference", "");
  for (const StageComparison& stage : comparison.stages) {
    const std::string largest = !stage.own ? "not saved" : stage.agreement ? short_number(stage.agreement->largest) : "shape";
    print(name(stage.stage), largest, verdict(stage));
  }
}

/// What there is to say of a stage that no known mistake gives.
std::string unexplained(const Comparison& comparison, const Wrong& wrong) {
  const auto stage = std::ranges::find(comparison.stages, wrong.stage, &StageComparison::stage);
  if (!stage->agreement) return "It " + stage->own->reading + ".";
  if (wrong.aside) return "No known mistake gives these numbers, and what follows was computed without them: is this what you meant to save?";
  const bool last = &wrong == &comparison.wrongs.back() &&
                    std::any_of(stage + 1, comparison.stages.end(), [](const StageComparison& s) { return s.own != nullptr; });
  return last ? "No known mistake gives these numbers. What follows is computed from them as it should be."
              : "No known mistake gives these numbers.";
}

std::string stages_in_words(const std::vector<Stage>& stages) {
  std::string list;
  for (const Stage stage : stages) list += (list.empty() ? "" : ", ") + std::string(name(stage));
  return list;
}

void print_wrong(const Comparison& comparison, const Wrong& wrong) {
  const bool first = &wrong == &comparison.wrongs.front();
  std::printf("\n%s %s\n", first ? "First difference:" : "Next, by itself:", std::string(name(wrong.stage)).c_str());
  for (const Finding& finding : wrong.findings) std::printf("  %s\n    %s\n", finding.id.c_str(), finding.explanation.c_str());
  if (!wrong.findings.empty()) return;
  std::printf("  %s\n", unexplained(comparison, wrong).c_str());
  if (const std::string missing = stages_in_words(worth_saving(comparison, wrong)); !missing.empty()) {
    std::printf("  To find where it begins, save too: %s.\n", missing.c_str());
  }
}

void print_assumed(const AssumedMask& assumed) {
  const std::string with = assumed.settings.empty() ? "the same mask here; name it by --mask or --mask-file"
                                                    : assumed.settings + "; add that if it is meant";
  std::printf("A mask that this run was not given shows in your %s. Compared is with %s.\n\n",
              std::string(name(assumed.seen_in)).c_str(), with.c_str());
}

void print_others(const OwnStages& own) {
  for (const OwnStages::Other& other : own.others) {
    if (!other.meant || own.find(*other.meant)) continue;
    std::printf("\n\"%s\" is not the name of a stage and was not compared; did you mean %s?\n", other.name.c_str(),
                std::string(name(*other.meant)).c_str());
  }
}

void print_comparison(const Comparison& comparison, const OwnStages& own) {
  if (comparison.assumed) print_assumed(*comparison.assumed);
  print_table(comparison);
  if (comparison.matches()) std::puts("\nEverything agrees.");
  for (const Wrong& wrong : comparison.wrongs) print_wrong(comparison, wrong);
  if (!comparison.complete) std::puts("\nThe search ended after ten seconds, before every known mistake had been tried: smaller inputs are searched whole.");
  print_others(own);
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
    print_comparison(comparison, own);
  }
  return comparison.matches() ? 0 : 1;
}

}  // namespace headlight
