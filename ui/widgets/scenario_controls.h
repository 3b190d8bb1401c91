// Controls that change the scenario.
#pragma once

#include <cstdio>
#include <string>

#include "ui/frame/frame.h"
#include "ui/widgets/controls.h"

namespace headlight {

/// A slider for an integer of the scenario. `set` writes the number; it must capture by value.
template <typename Set>
void scenario_slider(const Frame& frame, const char* id, Index now, const Choices& choices, bool enabled, Set set) {
  char key[48];
  std::snprintf(key, sizeof key, "settings.%s", id);
  if (const auto change = int_slider(frame, id, frame.words(key), now, choices, enabled)) {
    frame.edit(change->typed ? std::string() : std::string(id),
               [set, value = change->value](Scenario& s) { set(s, value); });
  }
}

}  // namespace headlight
