#include "ui/dialogs/export/export_file.h"

#include <algorithm>

#include <imgui.h>

#include "core/base/files/places.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/head_overview.h"
#include "core/figures/export/command_words.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/reproduce_script.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/tensor_file.h"
#include "ui/base/document/view.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Expands "~/a.png" like a shell.
fs::path typed_path(const std::string& text) {
  const fs::path home = home_folder();
  if (!home.empty() && text.starts_with("~/")) return home / path_from(text.substr(2));
  return path_from(text);
}

/// "weights_H2", or "weights_L7H2" for one of several layers.
std::string stem_of(const ExportChoice& choice, const Trace& trace) {
  const ExportOptions& options = choice.options;
  switch (choice.kind) {
    case ExportKind::stages: return "stages";
    case ExportKind::page: return "page";
    case ExportKind::window: return "headlight";
    case ExportKind::animation: return "steps";
    default: break;
  }
  std::string stem(name(options.stage));
  if (options.batch > 0) stem += "_b" + std::to_string(options.batch);
  std::string layer = options.layers.empty() ? layer_shown(trace) : std::string();
  std::ranges::replace_if(
      layer, [](char c) { return c == '.' || c == '/'; }, '-');
  if (!layer.empty()) stem += "_L" + layer;
  if (has_head_axis(options.stage) && options.all_heads && options.pool == HeadPool::none) stem += "_heads";
  if (has_head_axis(options.stage) && options.pool != HeadPool::none)
    stem += options.pool == HeadPool::mean ? "_mean" : "_max";
  if (has_head_axis(options.stage) && !options.all_heads && options.pool == HeadPool::none) {
    stem += layer.empty() ? "_H" : "H";
    for (const Index h : options.heads) stem += (stem.back() == 'H' ? "" : "-") + std::to_string(h);
  }
  if (!options.layers.empty()) stem += "_" + options.layers.substr(0, options.layers.find(':'));
  return stem + (choice.kind == ExportKind::bundle ? "_bundle" : "");
}

/// The command's words after those of the source.
std::vector<std::string> words_for(const ExportChoice& choice, const Document& document, const std::string& path,
                                   const WindowSize& window) {
  const View& view = document.view;
  std::vector<std::string> words;
  if (shows_stage(choice.kind)) words = meaningful_words(choice.options);
  const bool one_head = choice.kind == ExportKind::bundle && !choice.options.all_heads &&
                        choice.options.pool == HeadPool::none && choice.options.layers.empty();
  if (one_head && choice.options.heads == std::vector<Index>{0})
    words.insert(words.end(), {"--head", "0"});  // otherwise all heads
  if (choice.kind == ExportKind::page) words = view_words(document);
  if (choice.kind == ExportKind::window) {
    words = view_words(document);
    words.insert(words.begin(), {"--screenshot", path});
  }
  if (choice.kind == ExportKind::animation) {
    words = {"--animation", path, "--seconds-per-step", std::to_string(choice.seconds).substr(0, 4)};
    if (level_shown(view) != Level::pipeline) words.insert(words.end(), {"--level", level_address(view)});
  }
  if (choice.kind == ExportKind::window && choice.alone) words.emplace_back("--bare");
  if (choice.kind >= ExportKind::window && window.scale > 0) {
    words.insert(words.end(), {"--size", std::to_string(window.width) + "x" + std::to_string(window.height),
                               "--scale-factor", formatted("%g", static_cast<double>(window.scale))});
  }
  if (choice.kind >= ExportKind::window) {
    words.insert(words.end(), {"--theme", view.theme == Theme::dark ? "dark" : "light", "--language", view.language});
  } else {
    words.insert(words.end(), {"-o", path});
  }
  return words;
}

/// Writes something; an error becomes the document's error. Returns whether it was written.
template <typename Write>
bool reported(Document& document, Write write) {
  document.error.clear();
  document.notice.clear();
  try {
    write();
  } catch (const std::exception& error) { document.error = message_of(error); }
  return document.error.empty();
}

void write_file(const Document& document, const std::string& path) {
  const ExportChoice& choice = document.view.exporting;
  const Trace& trace = *document.trace;
  switch (choice.kind) {
    case ExportKind::figure:
    case ExportKind::numbers: write_export(trace, choice.options, path); return;
    case ExportKind::bundle: return write_bundle(path_from(path), trace, choice.options);
    case ExportKind::stages: array_format(ending(choice))->write(path_from(path), trace_arrays(trace, false)); return;
    case ExportKind::page: write_page(path_from(path), page_of(document)); return;
    case ExportKind::window:
    case ExportKind::animation: break;
  }
}

}  // namespace

PageDocument page_of(const Document& document) {
  const Lesson& lesson = document.origin.lesson;
  const auto source = source_words(document.computed, {lesson, lesson.file});
  const bool named = source && !source->empty() && !source->front().starts_with("--");
  PageDocument page = source ? page_document(named ? source->front() : std::string(),
                                             {source->begin() + (named ? 1 : 0), source->end()}, document.computed)
                             : page_of_scenario(lesson.id.empty() ? "scenario" : lesson.id, document.computed);
  for (std::string& word : view_words(document)) page.words.push_back(std::move(word));
  return page;
}

std::string export_path(const Document& document) {
  const ExportChoice& choice = document.view.exporting;
  if (choice.path) return utf8_from(fs::absolute(typed_path(*choice.path)).lexically_normal());
  return utf8_from(free_path(path_from(choice.folder), stem_of(choice, *document.trace), ending(choice)));
}

WindowSize window_size(const Fonts& fonts) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  return {static_cast<int>(size.x), static_cast<int>(size.y), fonts.scale()};
}

std::string export_command(const Document& document, const std::string& path, const WindowSize& window) {
  constexpr const char* commands[] = {"render", "render", "trace", "bundle", "page", "", ""};
  const ExportChoice& choice = document.view.exporting;
  const auto source = source_words(document.computed, {document.origin.lesson, document.origin.lesson.file});
  if (!source) return {};
  std::vector<std::string> words{"headlight"};
  if (const char* command = commands[static_cast<int>(choice.kind)]; *command != '\0') words.emplace_back(command);
  words.insert(words.end(), source->begin(), source->end());
  for (std::string& word : words_for(choice, document, path, window)) words.push_back(std::move(word));
  return shell_line(words);
}

bool write_export_file(Document& document, const std::string& expected, bool replace, const Words& words) {
  return reported(document, [&] {
    std::error_code ignored;
    if (!replace && fs::exists(path_from(expected), ignored))
      throw FileError(expected, "is there already", "expected a new name");
    write_file(document, expected);
    ++document.view.exporting.written;
    document.view.exporting.saved = expected;
    document.notice = words.fill("export.saved", {expected});
  });
}

bool save_scenario(Document& document, const std::string& path, const Words& words) {
  return reported(document, [&] {
    std::string target = utf8_from(fs::absolute(typed_path(path)).lexically_normal());
    if (extension_of(target) != ".json") target += ".json";
    const ViewFields view = saved_view(document.view);
    write_scenario(target, document.scenario, &view);
    document.origin.lesson = Lesson{{}, {}, {}, document.scenario, view, target};
    document.origin.saved = document.scenario;
    document.notice = words.fill("save.saved", {target});
  });
}

std::string save_path(const Document& document) {
  const Lesson& lesson = document.origin.lesson;
  if (!lesson.file.empty()) return lesson.file;
  const std::string stem = lesson.id.empty() ? "scenario" : lesson.id;
  return utf8_from(free_path(writable_folder("Documents"), stem, ".json"));
}

bool has_unsaved_changes(const Document& document) { return !(document.scenario == document.origin.saved); }

std::optional<std::string> link_to(const Document& document) {
  constexpr std::size_t longest_query = 1800;  // longer links are cut by some servers and chat programs
  const Scenario& scenario = document.scenario;
  const std::vector<std::string> view = view_words(document);
  if (auto words = source_words(scenario, {document.origin.lesson, document.origin.lesson.file})) {
    words->insert(words->end(), view.begin(), view.end());
    const auto query = query_of(*words);
    if (query && query->size() <= longest_query) return document.page + *query;
  }
  const bool own_file = scenario.source == Source::file && !is_model_name(scenario.file);
  const std::optional<std::string> looks = query_of(view);
  if (own_file || !looks) return std::nullopt;
  return document.page + *looks + "#scenario=" + percent_encoded(to_json(scenario));
}

std::vector<std::string> view_words(const Document& document) {
  const View& view = document.view;
  std::vector<std::string> words{"--view", view_address(view)};
  if (view.kind == ViewKind::pipeline && view.levels.level != Level::pipeline)
    words.insert(words.end(), {"--level", level_address(view)});
  if (view.step) words.insert(words.end(), {"--step", std::to_string(*view.step)});
  if (view.step && view.way != ProductOrder::rows)
    words.insert(words.end(), {"--way", way_words[static_cast<int>(view.way)]});
  if (view.selected) words.insert(words.end(), {"--select", cell_text(*view.selected)});
  if (!view.colormap.empty()) words.insert(words.end(), {"--colormap", view.colormap});
  if (view.presenting) words.emplace_back("--present");
  if (const std::string look = look_text(view); !look.empty()) words.insert(words.end(), {"--look", look});
  if (!document.origin.lesson.course.empty())
    words.insert(words.end(), {"--lesson-step", std::to_string(view.lesson.step + 1)});
  if (view.range.mode == RangeMode::row) words.insert(words.end(), {"--range", "row"});
  if (view.range.mode == RangeMode::head) words.insert(words.end(), {"--range", "head"});
  if (view.range.mode == RangeMode::fixed) {
    const ValueRange& ends = view.range.fixed;
    words.insert(words.end(),
                 {"--range", formatted("%.6g:%.6g", static_cast<double>(ends.lo), static_cast<double>(ends.hi))});
  }
  return words;
}

}  // namespace headlight
