#include "ui/widgets/formula_words.h"

#include <utility>

namespace headlight {

std::string formula_in_words(const Words& words, std::string markup) {
  constexpr std::pair<std::string_view, const char*> english[] = {
      {" where ", "inspector.where"}, {", else ", "inspector.else"}, {" more: ", "inspector.more_terms"}};
  for (const auto& [said, key] : english) {
    const std::size_t at = markup.find(said);
    if (at != std::string::npos) markup.replace(at, said.size(), words(key));
  }
  return markup;
}

std::string_view stage_formula(const Words& words, Stage stage) {
  return stage == Stage::masked_scores ? std::string_view(words("inspector.masked_formula")) : info(stage).formula;
}

}  // namespace headlight
