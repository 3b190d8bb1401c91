// headlight lesson: is a lesson file right?
#include <iostream>

#include "app/commands/commands.h"
#include "core/lesson/course.h"

namespace headlight {

int lesson_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("lesson needs a FILE or an ID");
  if (!line.has("--check")) throw UsageError("lesson needs --check");
  const std::string path = line.file.ends_with(".json") ? line.file : course_named(line.file).card.file;
  const std::vector<std::string> mistakes = mistakes_in_course(path);
  for (const std::string& mistake : mistakes) std::cerr << "headlight: " << path << ": " << mistake << '\n';
  if (!mistakes.empty()) return 2;
  const Course course = read_course(path);
  std::cout << course.card.id << ": " << course.steps.size() << " steps, " << course.questions() << " questions";
  for (const std::string& language : course.languages()) std::cout << (language == course.languages().front() ? ", in " : ", ") << language;
  std::cout << "; nothing is wrong\n";
  return 0;
}

}  // namespace headlight
