#include <algorithm>
#include <cctype>

#include "app/commands/commands.h"
#include "app/commands/settings_table.h"
#include "core/scenario/scenario_json.h"

namespace headlight {
namespace {

Scenario start(const CommandLine& line) {
  constexpr std::string_view lesson = "lesson:";
  Scenario scenario;
  if (line.has("--random")) {
    scenario.source = Source::random;
  } else if (line.file.empty()) {
    scenario = shipped_lesson(default_lesson).scenario;
  } else if (line.file.starts_with(lesson)) {
    scenario = shipped_lesson(line.file.substr(lesson.size())).scenario;
  } else if (extension_of(line.file) == ".json") {
    scenario = read_scenario(line.file);
  } else {
    scenario.source = Source::file;
    scenario.file = line.file;
  }
  return scenario;
}

bool sets(const CommandLine& line, std::string_view option) {
  return std::any_of(line.settings.begin(), line.settings.end(), [&](const auto& set) { return set.first == option; });
}

/// --text makes a scenario one of text, and --queries makes one of text random: what was typed last is meant.
void choose_source(const CommandLine& line, Scenario& scenario) {
  if (sets(line, "--text")) {
    if (scenario.source == Source::file) {
      throw SettingError("--text", "cannot be used with the tensors of " + scenario.file, "expected no FILE, or no --text");
    }
    if (scenario.source == Source::random) scenario.batch_size = scenario.queries = scenario.keys = std::nullopt;
    scenario.source = Source::text;
  } else if (scenario.source == Source::text &&
             (sets(line, "--batch-size") || sets(line, "--queries") || sets(line, "--keys"))) {
    scenario.source = Source::random;
  }
}

}  // namespace

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of('.');
  if (dot == std::string::npos || path.find_last_of("/\\") + 1 > dot + 1) return "";
  std::string extension = path.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Scenario scenario_of(const CommandLine& line) {
  Scenario scenario = start(line);
  choose_source(line, scenario);
  for (const auto& [option, text] : line.settings) {
    for (const Setting& setting : all_settings()) {
      if (setting.option == option) setting.apply(scenario, option, text);
    }
  }
  return scenario;
}

}  // namespace headlight
