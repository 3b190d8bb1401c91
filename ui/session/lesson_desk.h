// LessonDesk: what a window does with lessons: going on where one was left, going to a step, answers that are kept,
// forgotten, given away in a file and opened again.
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

class LessonDesk {
 public:
  /// Until then nothing outlasts the window.
  void remember_in(const std::filesystem::path& folder);
  /// Writes what was answered since; the document then knows the standing of every lesson.
  void keep(Document& document);
  /// A lesson that was begun before goes on where it was left, or at the step that was said.
  void recall(Document& document, bool step_said) const;
  /// Undo came back to a lesson: what was answered in it meanwhile stays answered.
  void rejoin(Document& document) const;
  void go_to_step(Document& document, Pictures& pictures, std::size_t step) const;
  /// Forgets the answers to the open lesson, or to all.
  void reset(Document& document, Pictures& pictures, const Words& words, bool all);
  /// Throws FileError.
  void save_answers(Document& document, const Words& words, const std::string& path) const;
  /// They join what is remembered, and the lesson that was open goes on where it was left. Throws FileError.
  void open_answers(Document& document, Opener& opener, Pictures& pictures, const Words& words,
                    const std::string& path);

 private:
  std::unique_ptr<LessonMemory> memory_;  ///< none: nothing is remembered
};

/// A step may hide what is not to be taken: whether this is such an action. Then the document says so.
bool lesson_refuses(Document& document, const Words& words, const Action& action);

}  // namespace headlight
