// What a stage is called in the reader's language, beside its own name, which is the same everywhere.
#pragma once

#include <string_view>

#include "core/stage/stage.h"
#include "ui/look/words.h"

namespace headlight {

/// "分数" of scores; "" where the language takes the names as they are.
std::string_view stage_words(const Words& words, Stage stage);

}  // namespace headlight
