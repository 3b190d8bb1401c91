#include "core/scenario/lesson.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/architecture/model_folder.h"
#include "core/assets/assets.h"
#include "core/scenario/lesson_markdown.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/scenario_read.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

/// A word or, by language, several: "x" or {"en": "x", "zh": "…"}.
std::map<std::string, std::string> words_at(const Place& at) {
  std::map<std::string, std::string> words;
  if (at.value.is_string()) return {{"en", at.value.get<std::string>()}};
  if (!at.value.is_object() || !at.has("en")) at.fail_type("a string, or strings by language with \"en\" among them");
  for (const auto& [language, unused] : at.value.items()) read(at.at(language), words[language]);
  return words;
}

Lesson read_lesson(const std::filesystem::path& path) {
  const std::string file = portable_utf8_from(path);
  const Json json = read_lesson_text(file).json;
  const Place root{json, "$", file};
  allow_only(root, {"$schema", "kind", "id", "title", "description", "scenario", "bug", "steps"});
  for (const char* field : {"id", "title", "description", "scenario"}) {
    if (!root.has(field)) root.fail(Message("has no {0}", field), "id, title, description and scenario");
  }
  Lesson lesson;
  read(root.at("id"), lesson.id);
  lesson.title = words_at(root.at("title"));
  lesson.description = words_at(root.at("description"));
  lesson.scenario = scenario_at(root.at("scenario"));
  resolve_files(lesson.scenario, file);
  if (root.has("steps")) lesson.course = file;
  return lesson;
}

}  // namespace

namespace {

std::vector<Lesson> lessons_in(const std::filesystem::path& folder, std::vector<Message>* troubles) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json" || is_markdown(portable_utf8_from(entry.path())))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // their names begin with their place in the order
  std::vector<Lesson> lessons;
  for (const std::filesystem::path& file : files) {
    try {
      lessons.push_back(read_lesson(file));
    } catch (const InputError& error) {
      if (troubles == nullptr) throw;
      troubles->push_back(error.message());
    }
  }
  return lessons;
}

/// A lesson with steps (core/lesson/course.h), of which this takes the beginning.
bool has_steps(const std::string& file) {
  if (is_markdown(file)) return true;
  const Json json = read_json(file);
  return json.is_object() && json.contains("steps");
}

}  // namespace

std::vector<Lesson> shipped_lessons(std::vector<Message>* troubles) { return lessons_in(asset("lessons"), troubles); }

Lesson shipped_lesson(const std::string& id) {
  std::string ids;
  std::vector<Message> troubles;  // of others: they do not keep this one shut
  std::vector<std::filesystem::path> folders{asset("lessons"), asset("lessons/course"), asset("lessons/bugs")};
  for (const std::filesystem::path& own : own_data_folders()) {
    std::error_code none;
    if (std::filesystem::is_directory(own / "lessons", none)) folders.push_back(own / "lessons");
  }
  for (const std::filesystem::path& folder : folders) {
    for (Lesson& lesson : lessons_in(folder, &troubles)) {
      if (lesson.id == id) return std::move(lesson);
      ids += (ids.empty() ? "" : ", ") + lesson.id;
    }
  }
  throw SettingError(Message("lesson:{0}", id), "no such lesson", Message("expected one of {0}", ids));
}

Lesson open_source(const std::string& named) {
  constexpr std::string_view prefix = "lesson:";
  std::string file = named;  // a folder's name without its last slashes: they are in no title
  while (file.size() > 1 && file.ends_with('/')) file.pop_back();
  if (file.empty()) return shipped_lesson(default_lesson);
  if (file.starts_with(prefix)) return shipped_lesson(file.substr(prefix.size()));
  Lesson opened;
  if (is_model_folder(file)) {  // an index of shards ends in .json, too
    opened.scenario.source = Source::file;
    opened.scenario.file = file;
    return opened;
  }
  std::string extension = file.substr(std::min(file.find_last_of('.'), file.size()));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if ((extension == ".json" || is_markdown(file)) && has_steps(file)) {
    opened = read_lesson(path_from(file));
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
