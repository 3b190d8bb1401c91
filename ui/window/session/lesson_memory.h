// Saved lesson progress: one file per lesson.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "ui/base/document/action.h"
#include "ui/base/document/document.h"
#include "ui/base/frame/pictures.h"
#include "ui/base/look/words.h"
#include "ui/dialogs/open/opener.h"

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

class LessonSession {
 public:
  /// Answers are kept in `folder`; before this call nothing is kept.
  void remember_in(const std::filesystem::path& folder);
  /// Saves new answers and updates the document's progress of all lessons.
  void keep(Document& document);
  /// Resumes a started lesson where it was left, unless the step was given.
  void recall(Document& document, bool step_said) const;
  /// After undo has returned to a lesson: restores the answers given since.
  void rejoin(Document& document) const;
  void go_to_step(Document& document, Pictures& pictures, std::size_t step) const;
  /// Forgets the answers of the open lesson, or of all.
  void reset(Document& document, Pictures& pictures, const Words& words, bool all);
  /// Throws FileError.
  void save_answers(Document& document, const Words& words, const std::string& path) const;
  /// Merges the file's answers with the saved ones and resumes its open lesson. Throws FileError.
  void open_answers(Document& document, Opener& opener, Pictures& pictures, const Words& words,
                    const std::string& path);

 private:
  std::unique_ptr<LessonMemory> memory_;  ///< null: nothing is kept
};

/// Whether the lesson's step forbids this action, because it would reveal something hidden; the document then says so.
bool lesson_refuses(Document& document, const Words& words, const Action& action);

}  // namespace headlight
