#include "ui/export/link.h"

#include <cstdio>

#include "core/architecture/model_folder.h"
#include "core/export/command_words.h"
#include "core/scenario/scenario_json.h"
#include "ui/document/view.h"
#include "ui/document/view_fields.h"

namespace headlight {
namespace {

constexpr std::size_t longest_query = 1800;  // what servers and chat programs take without cutting

}  // namespace

std::optional<std::string> link_to(const Document& document) {
  const Scenario& scenario = document.scenario;
  const std::vector<std::string> view = view_words(document);
  if (auto words = source_words(scenario, {document.origin.lesson, document.origin.lesson.file})) {
    words->insert(words->end(), view.begin(), view.end());
    const auto query = query_of(*words);
    if (query && query->size() <= longest_query) return document.page + *query;
  }
  const bool own_file = scenario.source == Source::file && !scenario.file.starts_with(shipped_model_prefix);
  const std::optional<std::string> looks = query_of(view);
  if (own_file || !looks) return std::nullopt;
  return document.page + *looks + "#scenario=" + percent_encoded(to_json(scenario));
}

std::vector<std::string> view_words(const Document& document) {
  const View& view = document.view;
  constexpr const char* ways[way_count] = {"row", "column", "dot", "outer"};
  std::vector<std::string> words{"--view", view_text(view_address(view))};
  if (view.kind == ViewKind::pipeline && view.looking.level != Level::pipeline)
    words.insert(words.end(), {"--level", level_text(level_address(view))});
  if (view.step) words.insert(words.end(), {"--step", std::to_string(*view.step)});
  if (view.step && view.way != ProductOrder::rows)
    words.insert(words.end(), {"--way", ways[static_cast<int>(view.way)]});
  if (view.selected) words.insert(words.end(), {"--select", cell_text(*view.selected)});
  if (!view.colormap.empty()) words.insert(words.end(), {"--colormap", view.colormap});
  if (view.presenting) words.emplace_back("--present");
  if (const std::string look = look_text(view); !look.empty()) words.insert(words.end(), {"--look", look});
  if (!document.origin.lesson.course.empty())
    words.insert(words.end(), {"--lesson-step", std::to_string(view.lesson.step + 1)});
  if (view.range.mode == RangeMode::row) words.insert(words.end(), {"--range", "row"});
  if (view.range.mode == RangeMode::head) words.insert(words.end(), {"--range", "head"});
  if (view.range.mode == RangeMode::fixed) {
    char ends[64];
    std::snprintf(ends, sizeof ends, "%.6g:%.6g", static_cast<double>(view.range.fixed.lo),
                  static_cast<double>(view.range.fixed.hi));
    words.insert(words.end(), {"--range", ends});
  }
  return words;
}

}  // namespace headlight
