#include "core/scenario/documents/open_source.h"

#include <algorithm>

#include "core/base/text/texts.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/lesson_markdown.h"

namespace headlight {

Lesson open_source(const std::string& named) {
  constexpr std::string_view prefix = "lesson:";
  std::string file = named;  // without slashes at the end, which must not appear in titles
  while (file.size() > 1 && file.ends_with('/')) file.pop_back();
  if (file.empty()) return shipped_lesson(default_lesson);
  if (file.starts_with(prefix)) return shipped_lesson(file.substr(prefix.size()));
  Lesson opened;
  if (is_model_folder(file)) {  // an index of shards also ends in .json
    opened.scenario.source = Source::file;
    opened.scenario.file = file;
    return opened;
  }
  const std::string extension = lowercase(file.substr(std::min(file.find_last_of('.'), file.size())));
  if ((extension == ".json" || is_markdown(file)) && has_steps(file)) {
    opened = read_lesson(file);
  } else if (extension == ".json") {
    opened.scenario = read_scenario(file, &opened.view);
    opened.file = file;
  } else {
    opened.scenario.source = Source::file;
    opened.scenario.file = file;
  }
  return opened;
}

}  // namespace headlight
