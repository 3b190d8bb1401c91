// Saved lesson progress: one file per lesson.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "ui/document/document.h"

namespace headlight {

class LessonMemory {
 public:
  /// The folder need not exist. Unreadable files are ignored; failed writes are not reported.
  explicit LessonMemory(std::filesystem::path folder);

  /// Empty if the lesson was never started.
  LessonProgress recall(const std::string& lesson) const;
  /// Saves the open lesson's progress if it changed; returns the progress of all lessons.
  std::shared_ptr<const LessonStandings> keep(const Document& document);
  /// "" forgets all lessons.
  void forget(const std::string& lesson);
  /// The saved progress of all lessons, by id.
  std::map<std::string, LessonProgress> recall_all() const;
  /// Replaces the saved progress of a lesson.
  void put(const std::string& lesson, const LessonProgress& progress);

 private:
  std::filesystem::path file_of(const std::string& lesson) const;
  void read_standings();
  void write(const std::string& lesson, const LessonProgress& progress) const;

  std::filesystem::path folder_;
  std::string kept_lesson_;
  LessonProgress kept_;
  std::shared_ptr<const LessonStandings> standings_;
};

/// A lesson's progress as JSON. progress_from_text() throws what nlohmann-json throws.
std::string progress_text(const LessonProgress& progress);
LessonProgress progress_from_text(const std::string& text);

/// Answers of lessons as a file for another machine.
struct LessonAnswers {
  std::map<std::string, LessonProgress> lessons;  ///< by lesson id
  std::string open, file;                         ///< the open lesson and its file; "" for none
};
/// Whether the file's beginning says that it holds answers.
bool is_answers_file(const std::string& path);
/// Throws FileError if it is no such file or is damaged.
LessonAnswers read_answers(const std::string& path);
/// Throws FileError; files of another kind are not overwritten.
void write_answers(const std::string& path, const LessonAnswers& answers);

}  // namespace headlight
