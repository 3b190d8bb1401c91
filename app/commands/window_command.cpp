// headlight FILE: opens the window, or writes its picture, or measures its speed.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/window/window.h"
#include "core/base/arrays/array_file.h"
#include "core/base/assets/assets.h"
#include "core/base/files/whole_file.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"
#include "core/figures/figure/colormap.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/view.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/registry.h"
#include "ui/window/session/lesson_memory.h"

namespace headlight {
namespace {

/// The order in which the step player shows products.
ProductOrder parse_way(const std::string& text) {
  constexpr const char* names[way_count] = {"row", "column", "dot", "outer"};
  for (int i = 0; i < way_count; ++i) {
    if (text == names[i]) return static_cast<ProductOrder>(i);
  }
  throw SettingError("--way", "\"" + text + "\" is no way to compute a product", "expected row, column, dot or outer");
}

std::string parse_language(const std::string& text) {
  std::error_code error;
  const bool plain = text.find_first_of("/\\.") == std::string::npos && !text.empty();
  if (!plain || !std::filesystem::exists(asset("translations") / (text + ".json"), error)) {
    throw SettingError("--language", "\"" + text + "\" is not a language here", "see headlight list languages");
  }
  return text;
}

/// The view of the file, with the settings of the command line.
View view_of(const CommandLine& line, View view) {
  if (line.has("--view")) view = with_view_fields(std::move(view), parse_view("--view", line["--view"]));
  if (line.has("--level")) {
    view = with_view_fields(std::move(view), parse_level("--level", line["--level"]));
    view.step.reset();
  }
  if (line.has("--theme")) view.theme = parse_theme(line["--theme"]);
  if (line.has("--language")) view.language = parse_language(line["--language"]);
  if (line.has("--colormap")) view.colormap = colormap(line["--colormap"], Theme::light).name();
  if (line.has("--range")) view.range = parse_range(line["--range"]);
  if (line.has("--select")) {
    view.selected = parse_cell("--select", line["--select"]);
    view.levels.query.reset();
    view.levels.key.reset();
    view.batch = view.selected->batch;
    view.head = view.selected->head;
  }
  view.presenting = line.has("--present");
  if (line.has("--way")) view.way = parse_way(line["--way"]);
  if (line.has("--step")) view.step = static_cast<int>(parse_whole("--step", line["--step"], 0, 1000000));
  if (line.has("--look")) view = with_look(std::move(view), line["--look"]);
  return view;
}

/// A text opens in the view of the sentence, unless the command line or the file chooses another view.
void open_as_sentence(Document& start, const CommandLine& line) {
  constexpr const char* chosen[] = {"--compare", "--view",      "--level",       "--step", "--way",
                                    "--select",  "--animation", "--lesson-step", "--look"};
  const auto& saved = start.origin.lesson.view;
  if ((saved && field_of(*saved, "level")) ||
      std::ranges::any_of(chosen, [&](const char* option) { return line.has(option); }))
    return;
  const bool words = start.scenario.source == Source::text || is_network(start.scenario);
  if (words && start.view.kind == ViewKind::pipeline && start.origin.lesson.course.empty())
    start.view.levels.level = Level::sentence;
}

/// Whether the command line, the file or a step of the lesson chooses what is shown, or how long each step takes.
bool has_chosen_view(const Document& start, const CommandLine& line) {
  constexpr const char* options[] = {"--compare", "--view",        "--level", "--step",
                                     "--way",     "--lesson-step", "--look",  "--seconds-per-step"};
  const auto& saved = start.origin.lesson.view;
  return (saved && field_of(*saved, "level")) || !start.origin.lesson.course.empty() ||
         std::ranges::any_of(options, [&](const char* option) { return line.has(option); });
}

/// Adds the user's own stages of --compare.
void add_own_stages(Document& start, const CommandLine& line) {
  if (!line.has("--compare")) return;
  const std::string path = line["--compare"];
  open_arrays(path_from(path));  // throws here if the file cannot be read
  start.own = OwnSource{path, {}, 0, false};
  if (!line.has("--view")) start.view.kind = ViewKind::compare;
}

/// The trace to compare the command line's settings with: the source without them.
std::shared_ptr<const Trace> without_settings(const Lesson& source) {
  Run run;
  run.summary = Summary::whole;
  return compute_any(source.scenario, nullptr, run);
}

/// Begins a lesson with steps at its first step or at --lesson-step. Other options for the view still apply.
void begin_lesson_of(const CommandLine& line, Document& start) {
  const std::string& course = start.origin.lesson.course;
  if (line.has("--lesson-step") && course.empty()) throw UsageError("--lesson-step is of a lesson with steps");
  if (course.empty() || !line.settings.empty()) return;
  Index step = 0;
  if (line.has("--lesson-step")) {
    const Index steps = static_cast<Index>(read_course(course).steps.size());
    step = parse_whole("--lesson-step", line["--lesson-step"], 1, steps) - 1;
  }
  const View given = start.view;
  begin_lesson(start, static_cast<std::size_t>(step));
  start.undo.clear();
  if (line.has("--view") && line["--view"] != "lesson") start.view.kind = given.kind;
  if (line.has("--select")) start.view.selected = given.selected;
  if (line.has("--level")) start.view.levels = given.levels;
  if (line.has("--step")) start.view.step = given.step;
}

WindowOptions window_of(const CommandLine& line) {
  if (is_answers_file(line.file)) {  // opens the lesson in the state in which it was left
    const LessonAnswers answers = read_answers(line.file);
    const bool own_file = !answers.file.empty() && std::filesystem::exists(path_from(answers.file));
    CommandLine other = line;
    other.file = answers.open.empty() ? std::string() : own_file ? answers.file : "lesson:" + answers.open;
    WindowOptions options = window_of(other);
    if (!answers.open.empty()) {
      LessonProgress progress = answers.lessons.at(answers.open);
      const std::size_t step = line.has("--lesson-step") ? options.start.view.lesson.step : progress.step;
      begin_lesson(options.start, step, std::move(progress));
      options.start.undo.clear();
    } else if (!line.has("--view")) {
      options.start.view.kind = ViewKind::lesson;
    }
    options.answers = line.file;
    return options;
  }
  static_cast<void>(line.threads());  // throws if it is no number; the window uses all threads
  WindowOptions options;
  options.start.scenario = scenario_of(line);
  options.start.origin.lesson = source_of(line);
  const auto& saved = options.start.origin.lesson.view;
  View began = saved ? with_saved_view({}, *saved) : View{};
  const Scenario &asked = options.start.scenario, &given = options.start.origin.lesson.scenario;
  if (asked.text != given.text || asked.image != given.image) began = without_words(std::move(began));
  options.start.view = view_of(line, std::move(began));
  begin_lesson_of(line, options.start);
  open_as_sentence(options.start, line);
  add_own_stages(options.start, line);
  options.step_said = line.has("--lesson-step");
  if (line.has("--select")) options.selected = line["--select"];
  if (line.has("--step")) options.step = options.start.view.step;
  options.theme_said = line.has("--theme");
  options.language_said = line.has("--language");
  options.unnamed = names_nothing(line) && !line.has("--select");
  if (options.start.view.kind == ViewKind::compare && !line.settings.empty())
    options.start.pinned = without_settings(options.start.origin.lesson);
  if (line.has("--size")) {
    const PixelSize size = parse_size("--size", line["--size"]);
    options.width = size.width;
    options.height = size.height;
  }
  if (line.has("--bare") && !line.has("--screenshot")) throw UsageError("--bare is of --screenshot");
  // A screenshot has no monitor: a large one is drawn larger, as on a monitor of high density.
  const bool picture = line.kind == CommandKind::screenshot || line.kind == CommandKind::animation;
  if (picture && options.width > 0) {
    const float fit = std::min(static_cast<float>(options.width) / 1600, static_cast<float>(options.height) / 900);
    options.scale = std::clamp(std::floor(fit * 4) / 4, 1.0F, 3.0F);
  }
  if (line.has("--scale-factor")) options.scale = parse_number("--scale-factor", line["--scale-factor"]);
  if (!(options.scale >= 0.25F && options.scale <= 8)) {
    throw SettingError("--scale-factor", "is out of range", "expected 0.25 to 8");
  }
  return options;
}

}  // namespace

void check_opens(CommandLine line) {
  line.kind = CommandKind::window;
  static_cast<void>(window_of(line));
}

int window_command(const CommandLine& line) {
  WindowOptions options = window_of(line);
  options.welcome = line.file.empty() && line.settings.empty();
  return run_window(options);
}

int screenshot_command(const CommandLine& line) {
  const std::string out = line["--screenshot"], extension = extension_of(out);
  if (extension != ".png" && extension != ".pdf" && extension != ".svg") {
    throw FileError(out, "a screenshot is a PNG, or a PDF or SVG of the same",
                    "expected a name that ends in .png, .pdf or .svg");
  }
  WindowOptions options = window_of(line);
  options.start.view.alone = line.has("--bare");
  if (extension != ".png") {
    draw_view(options, out);
    return 0;
  }
  write_whole_file(path_from(out), encode_png(screenshot(options)));
  return 0;
}

int animation_command(const CommandLine& line) {
  const std::string out = line["--animation"];
  WindowOptions options = window_of(line);
  if (!has_chosen_view(options.start, line)) {  // by default a pass through all steps in the presentation
    options.start.view.kind = ViewKind::pipeline;
    options.start.view.levels.level = Level::operation;
    options.start.view.presenting = true;
  }
  std::optional<double> seconds;
  if (line.has("--seconds-per-step")) {
    seconds = static_cast<double>(parse_number("--seconds-per-step", line["--seconds-per-step"]));
    if (!(*seconds >= 0.02 && *seconds <= 20))
      throw SettingError("--seconds-per-step", "is out of range", "expected 0.02 to 20");
  }
  record_animation(options, out, seconds);
  return 0;
}

int frames_command(const CommandLine& line) {
  const auto frames = static_cast<int>(parse_whole("--frames", line["--frames"], 1, 1000000));
  const FrameTimes times = measure_frames(window_of(line), frames);
  const nlohmann::ordered_json json{{"frames", times.frames}, {"median_ms", times.median_ms}, {"p99_ms", times.p99_ms}};
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace headlight
