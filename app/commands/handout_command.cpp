// headlight handout: the computation on paper, stage by stage.
#include <algorithm>
#include <span>

#include "app/commands/commands.h"
#include "core/export/export_options.h"
#include "core/export/handout.h"
#include "core/files/whole_file.h"
#include "core/network/network_trace.h"
#include "core/run/pipeline.h"
#include "core/scenario/settings_table.h"
#include "core/scenario/tensor_file.h"
#include "ui/look/words.h"

namespace headlight {
namespace {

HandoutText text_of(const Lesson& lesson, const Trace& trace, const std::string& language) {
  const Words words(language);
  const auto in_language = [&](const std::map<std::string, std::string>& by_language) {
    const auto found = by_language.find(language);
    if (found != by_language.end()) return found->second;
    const auto english = by_language.find("en");
    return english == by_language.end() ? std::string() : english->second;
  };
  HandoutText text;
  text.title = in_language(lesson.title);
  if (text.title.empty())
    text.title = trace.scenario.file.empty() ? words("handout.title")
                                             : trace.scenario.file.substr(trace.scenario.file.find_last_of("/\\") + 1);
  text.introduction = in_language(lesson.description);
  const Inputs& inputs = trace.inputs;
  if (inputs.random_parameters)
    text.caution = words(inputs.random_inputs ? "pipeline.random_all" : "pipeline.random_parameters");
  else if (inputs.random_inputs) text.caution = words("pipeline.random_inputs_short");
  text.sentence = words("handout.sentence");
  text.stages = words("handout.stages");
  text.page = words("handout.page");
  for (const Stage stage : trace.stages()) {
    const std::string key = "handout.about_" + std::string(name(stage));
    const std::string about = words(key);
    if (about != key) text.about[stage] = about;
  }
  return text;
}

/// The head that its view follows.
Index head_of(const Lesson& lesson) {
  if (!lesson.view) return 0;
  return lesson.view->head.value_or(lesson.view->select ? lesson.view->select->head : 0);
}

}  // namespace

int handout_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (extension_of(out) != ".pdf") throw UsageError("handout needs -o OUT.pdf");
  const std::string paper = line.has("--paper") ? line["--paper"] : "a4";
  if (paper != "a4" && paper != "letter")
    throw SettingError("--paper", "\"" + paper + "\" is no paper", "expected a4 or letter");
  const std::string language = line.has("--language") ? line["--language"] : "en";
  const Lesson lesson = line.has("--random") ? Lesson{} : source_of(line);
  Run run;
  run.threads = line.threads();
  const auto trace = compute_any(scenario_of(line), nullptr, run);
  const Index head = line.has("--head") ? parse_whole("--head", line["--head"], 0, trace->dims().heads - 1)
                                        : std::min(head_of(lesson), trace->dims().heads - 1);
  const std::string pdf =
      make_handout(*trace, text_of(lesson, *trace, language), paper == "a4" ? Paper::a4 : Paper::letter, head);
  write_whole_file(path_from(out), std::as_bytes(std::span(pdf)));
  return 0;
}

}  // namespace headlight
