// What somebody answered in lessons, and where they left them: a file for each lesson, kept from one run to the next.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ui/document/document.h"

namespace headlight {

class LessonMemory {
 public:
  /// The folder need not exist. Files that cannot be read count as none; that nothing can be written is no one's concern here.
  explicit LessonMemory(std::filesystem::path folder);

  /// Empty where the lesson was not begun.
  LessonProgress recall(const std::string& lesson) const;
  /// Writes how far the lesson that is open has come, where that changed; gives the standing of all.
  std::shared_ptr<const LessonStandings> keep(const Document& document);
  /// "" forgets all of them.
  void forget(const std::string& lesson);

 private:
  std::filesystem::path file_of(const std::string& lesson) const;
  void read_standings();

  std::filesystem::path folder_;
  std::string kept_lesson_;
  LessonProgress kept_;
  std::shared_ptr<const LessonStandings> standings_;
};

}  // namespace headlight
