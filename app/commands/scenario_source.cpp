#include <algorithm>
#include <optional>

#include "app/commands/commands.h"
#include "core/architecture/model_folder.h"
#include "core/network/shipped_models.h"
#include "core/scenario/lesson.h"
#include "core/scenario/settings_table.h"

namespace headlight {
namespace {

bool sets(const CommandLine& line, std::initializer_list<std::string_view> options) {
  return std::any_of(line.settings.begin(), line.settings.end(), [&](const auto& set) {
    return std::find(options.begin(), options.end(), set.first) != options.end();
  });
}

bool asks_for_random(const CommandLine& line) {
  return line.has("--random") || sets(line, {"--batch-size", "--queries", "--keys"});
}

/// --text after a random scenario selects text as its source, and --queries after a text selects random inputs. In a
/// file, the text goes through the file's embedding.
void choose_source(const CommandLine& line, Scenario& scenario) {
  if (sets(line, {"--text"}) && scenario.source == Source::file) scenario.text_as_input = true;
  if (sets(line, {"--text"}) && scenario.source == Source::random) {
    scenario.batch_size = scenario.queries = scenario.keys = std::nullopt;
    scenario.source = Source::text;
  } else if (!sets(line, {"--text"}) && scenario.source == Source::text && asks_for_random(line)) {
    scenario.source = Source::random;
  }
}

/// A model from the assets opens with its first example. In the window it has the view that shows it best.
Lesson model_source(const CommandLine& line) {
  Lesson opened = open_source(line.file);
  for (const ShippedModel& model : shipped_models()) {
    if (line.file != shipped_model_prefix + model.id) continue;
    read_first_example(model, opened.scenario);
    const bool window = line.kind == CommandKind::window || line.kind == CommandKind::screenshot ||
                        line.kind == CommandKind::animation || line.kind == CommandKind::frames;
    if (window && !sets(line, {"--text", "--image", "--layer"})) opened = opening_of(model);
  }
  return opened;
}

}  // namespace

// Settings alone change the default lesson, whose sizes and weights are not fixed.
bool names_nothing(const CommandLine& line) {
  return line.file.empty() && line.settings.empty() && !line.has("--random");
}

Lesson source_of(const CommandLine& line) {
  if (names_nothing(line)) {
    if (auto trained = trained_document(line.has("--language") ? line["--language"] : "en")) return *trained;
  }
  const bool says_its_inputs = sets(line, {"--text"}) || asks_for_random(line);
  if (!line.file.empty() || !says_its_inputs) {
    return line.file.starts_with(shipped_model_prefix) ? model_source(line) : open_source(line.file);
  }
  Lesson untitled;
  if (asks_for_random(line)) untitled.scenario.source = Source::random;
  return untitled;
}

Scenario scenario_of(const CommandLine& line) {
  Scenario scenario = source_of(line).scenario;
  choose_source(line, scenario);
  for (const auto& [option, text] : line.settings) {
    for (const Setting& setting : all_settings()) {
      if (setting.option == option) setting.apply(scenario, option, text);
    }
  }
  return scenario;
}

}  // namespace headlight
