#include "ui/look/stage_words.h"

#include <array>
#include <string>

namespace headlight {

std::string_view stage_words(const Words& words, Stage stage) {
  static const std::array<std::string, matrix_count> keys = [] {
    std::array<std::string, matrix_count> made;
    for (std::size_t i = 0; i < matrix_count; ++i) made[i] = "stages." + std::string(name(static_cast<Stage>(i)));
    return made;
  }();
  return words(keys[static_cast<std::size_t>(stage)]);
}

}  // namespace headlight
