// Controls that change the scenario.
#pragma once

#include <cstdio>
#include <string>

#include "ui/frame/frame.h"
#include "ui/widgets/controls.h"

namespace headlight {

/// Changes one thing about the scenario; `set` does it to a copy. `gesture` as in ChangeScenario.
template <typename Set>
void change_scenario(const Frame& frame, Set set, std::string gesture = {}) {
  Scenario scenario = frame.document.scenario;
  set(scenario);
  frame.change(std::move(scenario), std::move(gesture));
}

/// A slider of one whole number of the scenario. `set` puts the number into a copy.
template <typename Set>
void scenario_slider(const Frame& frame, const char* id, Index value, const Choices& choices, bool enabled, Set set) {
  char key[48];
  std::snprintf(key, sizeof key, "settings.%s", id);
  if (const auto change = int_slider(frame, id, frame.words(key), value, choices, enabled)) {
    Scenario scenario = frame.document.scenario;
    set(scenario, change->value);
    frame.change(std::move(scenario), change->typed ? std::string() : std::string(id));
  }
}

}  // namespace headlight
