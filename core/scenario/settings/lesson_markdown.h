// Lessons as teachers write them with a text editor: Markdown, turned into the JSON of assets/lesson.schema.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/scenario/settings/json_place.h"

namespace headlight {

/// A lesson's JSON and its source positions.
struct LessonText {
  Json json;
  std::map<std::string, int> lines{};  ///< Markdown: the line of each path, "$.steps[1].pose.stage", counted from 1
  /// Prepends the line number to "$.steps[1].pose.stage: …", if line numbers are known.
  std::string with_line(const std::string& sentence) const;
};

/// The lesson file, JSON or Markdown by its ending. Throws FileError.
LessonText read_lesson_text(const std::string& path);
/// Throws FileError, with the line, for invalid front matter, headings, fields or answers.
LessonText lesson_from_markdown(const std::string& markdown, const std::string& subject);
/// "a.md", "a.markdown"
bool is_markdown(const std::string& path);
/// The lesson files in a folder, sorted by name: names begin with the position in the order. Empty if the folder cannot
/// be read.
std::vector<std::string> lesson_files(const std::filesystem::path& folder);

}  // namespace headlight
