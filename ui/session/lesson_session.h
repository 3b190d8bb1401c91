// LessonSession: the window's lessons: resuming, going to a step, keeping and resetting answers, saving them to a file
// and opening it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/text/texts.h"
#include "ui/document/action.h"
#include "ui/frame/pictures.h"
#include "ui/look/words.h"
#include "ui/open/opener.h"
#include "ui/session/lesson_memory.h"

namespace headlight {

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
