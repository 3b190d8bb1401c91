// headlight compare: finds where another implementation differs from this one.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <span>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/arrays/array_file.h"
#include "core/base/files/whole_file.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"
#include "core/teaching/diagnosis/diagnosis.h"
#include "ui/views/mine/report.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view no_number_is_finite = "no number of it is finite, so that agreement tells nothing";

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
  std::string note = stage.own ? translated_error(stage.own->reading) : std::string();
  const bool tells_nothing = stage.tells_nothing();
  if (tells_nothing) note += (note.empty() ? "" : "; ") + std::string(no_number_is_finite);
  if (!note.empty()) json["note"] = note;
  if (tells_nothing) json["tells_nothing"] = true;
  return json;
}

Json comparison_json(const Comparison& comparison, const std::vector<Assumption>& assumptions) {
  const StageComparison* first = comparison.first_difference();
  // What agrees only under an assumed mask neither agrees nor differs.
  const bool open = comparison.assumed && comparison.agrees();
  Json json{{"match", open ? Json(nullptr) : Json(comparison.matches())},
            {"stages", Json::array()},
            {"first_difference", nullptr},
            {"diagnosis", Json::array()}};
  for (const StageComparison& stage : comparison.stages) json["stages"].push_back(stage_json(stage));
  if (comparison.assumed)
    json["assumed_mask"] = comparison.assumed->settings.empty() ? Json(true) : Json(comparison.assumed->settings);
  if (!comparison.complete) json["complete"] = false;
  if (!comparison.rounding.empty()) json["rounding"] = comparison.rounding;
  if (first) json["first_difference"] = std::string(name(first->stage));
  for (const Finding& finding : comparison.diagnosis()) {
    json["diagnosis"].push_back({{"id", finding.id}, {"explanation", finding.explanation}});
    if (finding.harmless) json["diagnosis"].back()["harmless"] = true;
  }
  json["assumptions"] = Json::array();
  for (const Assumption& each : assumptions) json["assumptions"].push_back(each.what + ": " + each.taken_for.english());
  return json;
}

void print_table(const Comparison& comparison, const Words& words) {
  std::size_t width = 0;
  const auto saved = [](const StageComparison& stage) { return stage.own != nullptr; };
  for (const StageComparison& stage : comparison.stages) {
    if (saved(stage)) width = std::max(width, name(stage.stage).size());
  }
  const auto print = [width](std::string_view stage, const std::string& difference, const std::string& verdict) {
    std::string line(stage);
    line.resize(std::max(width, line.size()), ' ');
    std::printf("  %s  %11s%s\n", line.c_str(), difference.c_str(), verdict.empty() ? "" : ("  " + verdict).c_str());
  };
  print(words("mine.stage"), words("mine.difference"), "");
  std::vector<Stage> missing;
  for (const StageComparison& stage : comparison.stages) {
    if (!saved(stage)) {
      missing.push_back(stage.stage);
      continue;
    }
    print(name(stage.stage), stage.agreement ? short_number(stage.agreement->largest) : words("mine.shape"),
          verdict_words(stage, words));
  }
  if (missing.empty()) return;
  std::printf("  %s: %s\n", words("mine.not_saved"),
              comma_list(missing, [](Stage each) { return name(each); }).c_str());
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
  const Run run = run_of(line);
  const auto trace = trace_of(line);
  if (std::filesystem::is_directory(path_from(line.second_file))) return compare_folder(line, trace, run);
  if (line.has("--table")) throw UsageError("--table is for a folder of files");
  const OwnStages own = read_own_stages(line.second_file, *trace);
  const Comparison comparison = compare(trace, own, run);
  if (line.has("--json")) print_json(comparison_json(comparison, trace->inputs.assumptions));
  else print_comparison(comparison, own, Words(line.language()));
  print_assumptions(line, trace->inputs.assumptions);
  return comparison.matches() ? 0 : 1;
}

// headlight compare FILE FOLDER/: compares all files of a folder, such as the submissions of a class, with a line for
// each.
namespace {

struct Row {
  std::string file, verdict, first_difference, diagnosis, note;
};

/// The heads, then a line for each row.
std::vector<std::vector<std::string>> table_of(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> table{{"file", "verdict", "first_difference", "diagnosis", "note"}};
  for (const Row& row : rows) table.push_back({row.file, row.verdict, row.first_difference, row.diagnosis, row.note});
  return table;
}

/// A name that a spreadsheet would read as a formula gets a path in front.
std::string no_formula(const std::string& name) {
  return !name.empty() && std::string_view("=+-@").find(name.front()) != std::string_view::npos ? "./" + name : name;
}

bool holds_arrays(const std::filesystem::path& path) {
  const std::string name = utf8_from(path.filename());
  if (name.starts_with('.')) return false;  // such as the files that macOS puts beside each file
  const std::optional<ArrayKind> kind = array_kind(name);
  return kind && kind != ArrayKind::one_array;
}

std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path_from(folder))) {
    std::error_code error;  // a link to itself gets a row with an error message
    if ((entry.is_regular_file(error) || error) && holds_arrays(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (files.empty())
    throw FileError(folder, "holds no arrays to compare", "expected .npz, .safetensors or .pt files in it");
  return files;
}

Row row_of(const std::filesystem::path& path, const std::shared_ptr<const Trace>& trace, const Run& run) {
  Row row;
  row.file = printable(utf8_from(path.filename()));
  try {
    const OwnStages own = read_own_stages(utf8_from(path), *trace);
    const Comparison comparison = compare(trace, own, run);
    row.verdict = comparison.matches() ? "match" : comparison.agrees() ? "match if meant" : "differs";
    if (const StageComparison* first = comparison.first_difference()) row.first_difference = name(first->stage);
    for (const Finding& finding : comparison.diagnosis())
      row.diagnosis += (row.diagnosis.empty() ? "" : " ") + finding.id;
    if (comparison.assumed)
      row.note = "with " + (comparison.assumed->settings.empty() ? "its own mask" : comparison.assumed->settings);
    if (!comparison.complete)
      row.note += std::string(row.note.empty() ? "" : "; ") + "not every known mistake was tried";
  } catch (const InputError& error) {
    row.verdict = "unreadable";
    row.note = printable(error.sentence().english());
  } catch (const std::filesystem::filesystem_error& error) {
    row.verdict = "unreadable";
    row.note = printable(error.code().message());
  }
  return row;
}

std::string quoted(const std::string& text) {
  return text.find_first_of(",\"\n") == std::string::npos ? text : "\"" + replaced(text, "\"", "\"\"") + "\"";
}

std::string as_csv(const std::vector<Row>& rows) {
  std::string text;
  for (const std::vector<std::string>& line : table_of(rows)) {
    for (std::size_t i = 0; i < line.size(); ++i) text += (i > 0 ? "," : "") + quoted(no_formula(line[i]));
    text += '\n';
  }
  return text;
}

std::string as_json(const std::vector<Row>& rows) {
  const std::vector<std::vector<std::string>> table = table_of(rows);
  Json json = Json::array();
  for (std::size_t line = 1; line < table.size(); ++line) {
    Json& object = json.emplace_back();
    for (std::size_t i = 0; i < table[line].size(); ++i) object[table[0][i]] = table[line][i];
  }
  return json.dump(2) + '\n';
}

}  // namespace

int compare_folder(const CommandLine& line, const std::shared_ptr<const Trace>& trace, const Run& run) {
  const std::string out = line["--table"], extension = extension_of(out);
  if (!out.empty() && extension != ".csv" && extension != ".json") {
    throw FileError(out, "a table cannot be written as this kind of file",
                    "expected a name that ends in .csv or .json");
  }
  std::vector<Row> rows;
  for (const std::filesystem::path& path : files_of(line.second_file)) rows.push_back(row_of(path, trace, run));
  if (!out.empty()) {
    write_whole_file(path_from(out), extension == ".csv" ? as_csv(rows) : as_json(rows));
  } else if (line.has("--json")) {
    std::cout << as_json(rows);
  } else {
    print_columns(table_of(rows));
  }
  print_assumptions(line, trace->inputs.assumptions);
  return std::ranges::all_of(rows, [](const Row& row) { return row.verdict == "match"; }) ? 0 : 1;
}

}  // namespace headlight
