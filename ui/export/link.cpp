#include "ui/export/link.h"

#include "core/architecture/model_folder.h"
#include "core/export/command_words.h"
#include "core/export/link_query.h"
#include "core/scenario/scenario_json.h"
#include "ui/export/view_words.h"

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

}  // namespace headlight
