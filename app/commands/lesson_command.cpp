// headlight lesson: checks a lesson file, or writes it as a worksheet.

#include <algorithm>
#include <iostream>
#include <span>
#include <utility>

#include "app/commands/commands.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/handout.h"
#include "core/figures/export/needs.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/document/view.h"
#include "ui/base/look/words.h"
#include "ui/parts/widgets/math_text.h"

namespace headlight {
namespace {

PaperPictureWords picture_words(const Words& words) {
  PaperPictureWords pictures{.query = words("worksheet.query"),
                             .keys = words("worksheet.keys"),
                             .head = words("handout.head"),
                             .layer = words("handout.layer"),
                             .batch = words("handout.batch_entry"),
                             .may_attend = words("legend.may"),
                             .masked = words("worksheet.masked")};
  for (const Stage stage : all_stages()) {
    if (stage_formula(words, stage) != info(stage).formula) pictures.formulas[stage] = stage_formula(words, stage);
  }
  return pictures;
}

/// Writes the worksheet.
int write_worksheet(const CommandLine& line) {
  const std::string out = line["--worksheet"];
  if (extension_of(out) != ".pdf") throw FileError(out, "a worksheet is a PDF", "expected a name that ends in .pdf");
  const Course course = course_named(line.file);
  const Words words(line.language());
  WorksheetText text;
  text.language = line.language();
  const std::pair<std::string*, const char*> texts[] = {
      {&text.name, "worksheet.name"},        {&text.answer, "worksheet.answer"},
      {&text.because, "worksheet.because"},  {&text.key, "worksheet.key"},
      {&text.step, "worksheet.step"},        {&text.stage_answer, "worksheet.stage"},
      {&text.head_answer, "worksheet.head"}, {&text.order_answer, "worksheet.order"},
      {&text.row_answer, "worksheet.row"},   {&text.mask_answer, "worksheet.mask"},
      {&text.page, "handout.page"}};
  for (const auto& [field, key] : texts) *field = words(key);
  text.pictures = picture_words(words);
  write_whole_file(path_from(out), make_worksheet(course, text, line.has("--key")));
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
  constexpr std::size_t most_said = 20;
  for (const std::string& mistake : std::span(mistakes).first(std::min(mistakes.size(), most_said)))
    say("headlight: " + path, mistake);
  if (mistakes.size() > most_said)
    say("headlight: " + path, std::to_string(mistakes.size()) + " mistakes; these are the first 20");
  if (!mistakes.empty()) return 2;
  const Course course = read_course(path);
  std::cout << course.card.id << ": " << course.steps.size() << " steps, " << course.questions() << " questions";
  for (const std::string& language : course.languages())
    std::cout << (language == course.languages().front() ? ", in " : ", ") << language;
  std::cout << "; nothing is wrong\n";
  for (const std::string& lacking : course.untranslated()) std::cout << "not translated, " << lacking << "\n";
  return 0;
}

// headlight handout: writes the computation on paper, stage by stage.
namespace {

HandoutText text_of(const Lesson& lesson, const Trace& trace, const std::string& language) {
  const Words words(language);
  HandoutText text;
  text.title = in_language(lesson.title, language);
  if (text.title.empty())
    text.title = trace.scenario.file.empty() ? words("handout.title") : std::string(file_name_of(trace.scenario.file));
  text.introduction = in_language(lesson.description, language);
  const Inputs& inputs = trace.inputs;
  if (inputs.random_parameters)
    text.caution = words(inputs.random_inputs ? "pipeline.random_all" : "pipeline.random_parameters");
  else if (inputs.random_inputs) text.caution = words("pipeline.random_inputs_short");
  const auto network = network_of(inputs);
  text.sentence =
      network
          ? words.fill("handout.sentence_layer",
                       {"{0}", network->network->layer(network->network->layer_or_first(trace.scenario.layer)).layer})
          : std::string(words("handout.sentence"));
  text.stages = words("handout.stages");
  text.page = words("handout.page");
  if (const Index entries = trace.dims().batch; entries > 1)
    text.batch = filled(words("handout.batch"), {0, static_cast<int>(entries)});
  text.pictures = picture_words(words);
  for (const Stage stage : trace.stages()) {
    const std::string key = "handout.about_" + std::string(name(stage));
    const std::string about = words(key);
    if (about != key) text.about[stage] = about;
  }
  return text;
}

/// The head that the lesson's view shows.
Index head_of(const Lesson& lesson) { return lesson.view ? with_saved_view({}, *lesson.view).head : 0; }

}  // namespace

int handout_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (extension_of(out) != ".pdf") throw UsageError("handout needs -o OUT.pdf");
  const std::string paper = line.text("--paper", "a4");
  if (paper != "a4" && paper != "letter")
    throw SettingError("--paper", "\"" + paper + "\" is no paper", "expected a4 or letter");
  const Lesson lesson = line.has("--random") ? Lesson{} : source_of(line);
  const auto trace = trace_of(line);
  const Index head = line.has("--head") ? parse_whole("--head", line["--head"], 0, trace->dims().heads - 1)
                                        : std::min(head_of(lesson), trace->dims().heads - 1);
  check_handout_needs(*trace);
  write_whole_file(path_from(out), make_handout(*trace, text_of(lesson, *trace, line.language()),
                                                paper == "a4" ? Paper::a4 : Paper::letter, head));
  print_assumptions(line, trace->inputs.assumptions);
  return 0;
}

}  // namespace headlight
