// headlight lesson: is a lesson file right? On paper.
#include <iostream>
#include <span>
#include <utility>

#include "app/commands/commands.h"
#include "core/export/export_options.h"
#include "core/export/handout.h"
#include "core/files/whole_file.h"
#include "core/lesson/course.h"
#include "core/scenario/tensor_file.h"
#include "core/tensor/error.h"
#include "ui/look/words.h"

namespace headlight {

namespace {

/// A page to hand out.
int write_worksheet(const CommandLine& line) {
  const std::string out = line["--worksheet"];
  if (extension_of(out) != ".pdf") throw FileError(out, "a worksheet is a PDF", "expected a name that ends in .pdf");
  const Course course = course_named(line.file);
  const std::string language = line.has("--language") ? line["--language"] : "en";
  const Words words(language);
  WorksheetText text;
  text.language = language;
  const std::pair<std::string*, const char*> texts[] = {
      {&text.name, "worksheet.name"},        {&text.answer, "worksheet.answer"},
      {&text.because, "worksheet.because"},  {&text.key, "worksheet.key"},
      {&text.step, "worksheet.step"},        {&text.stage_answer, "worksheet.stage"},
      {&text.head_answer, "worksheet.head"}, {&text.order_answer, "worksheet.order"},
      {&text.row_answer, "worksheet.row"},   {&text.mask_answer, "worksheet.mask"},
      {&text.query, "worksheet.query"},      {&text.keys, "worksheet.keys"},
      {&text.masked, "worksheet.masked"},    {&text.page, "handout.page"}};
  for (const auto& [field, key] : texts) *field = words(key);
  const std::string pdf = make_worksheet(course, text, line.has("--key"));
  write_whole_file(path_from(out), std::as_bytes(std::span(pdf)));
  return 0;
}

}  // namespace

int lesson_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("lesson needs a FILE or an ID");
  if (line.has("--key") && !line.has("--worksheet")) throw UsageError("--key is of --worksheet");
  if (line.has("--check") == line.has("--worksheet")) throw UsageError("lesson needs --check or --worksheet OUT.pdf");
  if (line.has("--worksheet")) return write_worksheet(line);
  const std::string path = is_lesson_file(line.file) ? line.file : course_named(line.file).card.file;
  const std::vector<std::string> mistakes = mistakes_in_course(path);
  for (const std::string& mistake : mistakes) say("headlight: " + path, mistake);
  if (!mistakes.empty()) return 2;
  const Course course = read_course(path);
  std::cout << course.card.id << ": " << course.steps.size() << " steps, " << course.questions() << " questions";
  for (const std::string& language : course.languages())
    std::cout << (language == course.languages().front() ? ", in " : ", ") << language;
  std::cout << "; nothing is wrong\n";
  for (const std::string& lacking : course.untranslated()) std::cout << "not translated, " << lacking << "\n";
  return 0;
}

}  // namespace headlight
