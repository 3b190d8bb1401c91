// The documents and screens of the tests of operations and levels.
#pragma once

#include <string>

#include "tests/ui/studio.h"

namespace headlight::test {

/// A document with every optional stage: RoPE, QK-norm, a bias, a cap, a mask, dropout.
inline Document with_every_stage(const char* text = "the cat that chases the dogs sleeps because it is tired") {
  Document document = sentence();
  Scenario& scenario = document.scenario;
  scenario.text = text;
  scenario.rope = Rope::half;
  scenario.alibi = true;
  scenario.softcap = 20.0f;
  scenario.dropout = 0.2f;
  scenario.training = true;
  return document;
}

/// The list is short, because each setting loads fonts of its own.
inline const ScreenSetting level_settings[] = {{{1024, 768}, 1, false, "en"}, {{1024, 768}, 1, true, "zh"},
                                               {{1280, 720}, 1, true, "en"},  {{1600, 900}, 1, false, "zh"},
                                               {{1920, 1080}, 1, true, "en"}, {{3840, 2160}, 2.25f, false, "en"}};

inline std::string setting_words(const ScreenSetting& at) {
  return std::to_string(static_cast<int>(at.window.x)) + "x" + std::to_string(static_cast<int>(at.window.y)) + " " +
         at.language + (at.presenting ? " presented " : " ");
}

}  // namespace headlight::test
