// Translates the words in formulas, which core writes in English.
#pragma once

#include <string>
#include <string_view>

#include "core/stage/stage.h"
#include "ui/look/words.h"

namespace headlight {

/// For core/explain: "s where m, else −∞", "… 13 more: 0.84".
std::string formula_in_words(const Words& words, std::string markup);
/// A stage's formula; valid as long as `words`.
std::string_view stage_formula(const Words& words, Stage stage);

}  // namespace headlight
