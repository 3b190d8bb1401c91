// headlight compare FILE FOLDER/: compares all files of a folder, such as the submissions of a class, with a line for
// each.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <span>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/diagnosis/diagnosis.h"
#include "core/export/export_options.h"
#include "core/files/whole_file.h"
#include "core/text/unicode.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

struct Row {
  std::string file, verdict, first_difference, diagnosis, note;
};

constexpr const char* heads[] = {"file", "verdict", "first_difference", "diagnosis", "note"};

const std::string& cell(const Row& row, std::size_t column) {
  const std::string* const cells[] = {&row.file, &row.verdict, &row.first_difference, &row.diagnosis, &row.note};
  return *cells[column];
}

/// A name that a spreadsheet would read as a formula gets a path in front.
std::string no_formula(const std::string& name) {
  return !name.empty() && std::string_view("=+-@").find(name.front()) != std::string_view::npos ? "./" + name : name;
}

bool holds_arrays(const std::filesystem::path& path) {
  if (utf8_from(path.filename()).starts_with('.')) return false;  // such as the files that macOS puts beside each file
  const std::string extension = extension_of(utf8_from(path));
  return extension == ".npz" || extension == ".safetensors" || extension == ".pt" || extension == ".pth" ||
         extension == ".bin";
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
    row.verdict = comparison.matches() ? "match" : "differs";
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
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string as_csv(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t i = 0; i < std::size(heads); ++i) text.append(i == 0 ? "" : ",").append(heads[i]);
  text += '\n';
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < std::size(heads); ++i)
      text.append(i == 0 ? "" : ",").append(quoted(no_formula(cell(row, i))));
    text += '\n';
  }
  return text;
}

std::string as_json(const std::vector<Row>& rows) {
  auto json = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    auto& object = json.emplace_back();
    for (std::size_t i = 0; i < std::size(heads); ++i) object[heads[i]] = cell(row, i);
  }
  return json.dump(2) + '\n';
}

void print(const std::vector<Row>& rows) {
  std::size_t width[std::size(heads)];
  for (std::size_t i = 0; i < std::size(heads); ++i) {
    width[i] = std::string_view(heads[i]).size();
    for (const Row& row : rows) width[i] = std::max(width[i], terminal_width(cell(row, i)));
  }
  const auto line = [&](const auto& text) {
    std::string out;
    for (std::size_t i = 0; i < std::size(heads); ++i) {
      std::string part = text(i);
      part.append(width[i] - std::min(width[i], terminal_width(part)), ' ');
      out += part + "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    std::puts(out.c_str());
  };
  line([](std::size_t i) { return std::string(heads[i]); });
  for (const Row& row : rows) line([&](std::size_t i) { return cell(row, i); });
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
    print(rows);
  }
  return std::ranges::all_of(rows, [](const Row& row) { return row.verdict == "match"; }) ? 0 : 1;
}

}  // namespace headlight
