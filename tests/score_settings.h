// A scenario with all settings of scores, so that tests cover a new setting as soon as it has its row.
#pragma once

#include <nlohmann/json.hpp>

#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {

/// Random input with each setting of scores as in its example, except that scores are scaled after the product, and
/// that there is no typed bias, whose example has the size of two tokens.
inline Scenario every_score_setting() {
  nlohmann::json file{{"source", "random"}};
  for (const Setting& setting : all_settings()) {
    const bool of_scores = setting.group == SettingGroup::scores || setting.group == SettingGroup::variants;
    if (of_scores && setting.key != "scale_first" && setting.key != "attn_bias")
      file[setting.key] = nlohmann::json::parse(setting.example);
  }
  return parse_scenario(file.dump(), "every setting of scores");
}

}  // namespace headlight
