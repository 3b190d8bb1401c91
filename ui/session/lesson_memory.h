// What somebody answered in lessons, and where they left them: a file for each lesson, kept from one run to the next.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "ui/document/document.h"

namespace headlight {

class LessonMemory {
 public:
  /// The folder need not exist. Files that cannot be read count as none; that nothing can be written is no one's
  /// concern here.
  explicit LessonMemory(std::filesystem::path folder);

  /// Empty where the lesson was not begun.
  LessonProgress recall(const std::string& lesson) const;
  /// Writes how far the lesson that is open has come, where that changed; gives the standing of all.
  std::shared_ptr<const LessonStandings> keep(const Document& document);
  /// "" forgets all of them.
  void forget(const std::string& lesson);
  /// What is kept of every lesson, by its id.
  std::map<std::string, LessonProgress> recall_all() const;
  /// Takes the place of what is kept of the lesson.
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

/// How far one is in a lesson, and its answers, as JSON. progress_from_text() throws what nlohmann-json throws.
std::string progress_text(const LessonProgress& progress);
LessonProgress progress_from_text(const std::string& text);

/// Answers to lessons, as a file of their own that goes from one machine to another.
struct LessonAnswers {
  std::map<std::string, LessonProgress> lessons;  ///< by their ids
  std::string open, file;                         ///< the lesson that was open, and where it came from; "" for none
};
/// Whether a file is one, by what it begins with.
bool is_answers_file(const std::string& path);
/// Throws FileError where it is none, or damaged.
LessonAnswers read_answers(const std::string& path);
/// Throws FileError; another kind of file is not written over.
void write_answers(const std::string& path, const LessonAnswers& answers);

}  // namespace headlight
