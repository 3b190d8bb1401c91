#include "app/window/preferences.h"

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "app/window/window.h"
#include "core/base/files/own_files.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/shipped_models.h"
#include "ui/base/document/view.h"
#include "ui/base/look/words.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int largest = 16384;

Preferences parse(const std::string& text) {
  const Json json = Json::parse(text);
  Preferences preferences;
  if (json.contains("theme"))
    preferences.theme = json["theme"].get<std::string>() == "dark" ? Theme::dark : Theme::light;
  preferences.language = json.value("language", std::string());
  preferences.width = std::clamp(json.value("width", 0), 0, largest);
  preferences.height = std::clamp(json.value("height", 0), 0, largest);
  return preferences;
}

}  // namespace

Preferences read_preferences(const fs::path& file, Message& trouble) {
  const std::optional<std::string> text = read_own_file(file, 1 << 20);
  if (!text) return {};
  try {
    return parse(*text);
  } catch (const Json::exception&) {
    fs::path aside = file;
    aside += ".broken";
    std::error_code ignored;
    fs::rename(file, aside, ignored);
    trouble = {"{0}: not the settings that Headlight remembers; they are now {1}, and the usual ones hold",
               utf8_from(file), utf8_from(aside.filename())};
    return {};
  }
}

void write_preferences(const fs::path& file, const Preferences& preferences) {
  Json json = Json::object();
  if (preferences.theme) json["theme"] = *preferences.theme == Theme::dark ? "dark" : "light";
  if (!preferences.language.empty()) json["language"] = preferences.language;
  if (preferences.width > 0 && preferences.height > 0) {
    json["width"] = preferences.width;
    json["height"] = preferences.height;
  }
  write_own_file(file, json.dump(2) + "\n");
}

std::string language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string language = std::string(value).substr(0, std::string(value).find_first_of("_.@"));
    const std::vector<std::string> known = list_languages();
    return std::find(known.begin(), known.end(), language) != known.end() ? language : "en";
  }
  return "en";
}

void choose_language(WindowOptions& wanted, const std::string& language) {
  if (wanted.language_said) return;
  Document& start = wanted.start;
  start.view.language = language;
  const std::optional<Lesson> trained = wanted.unnamed ? trained_document(language) : std::nullopt;
  if (!trained || trained->scenario.file == start.scenario.file) return;
  start.scenario = trained->scenario;
  start.origin.lesson = *trained;
  start.view = with_saved_view(std::move(start.view), *trained->view);
}

}  // namespace headlight
