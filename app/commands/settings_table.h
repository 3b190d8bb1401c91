// The settings of the command line: one table that parsing and `--help` share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/scenario/scenario.h"

namespace headlight {

struct Setting {
  std::string_view option;   ///< "--heads"
  std::string_view operand;  ///< "N"; empty for a switch, which also takes =true and =false
  std::string_view help;
  /// Throws SettingError for text that it does not take.
  void (*apply)(Scenario& scenario, std::string_view option, std::string_view text);
};

/// In the order of the manual.
std::span<const Setting> all_settings();

// Strict: the whole text or a SettingError that names the option.
Index parse_whole(std::string_view option, std::string_view text, Index least, Index most);
std::uint64_t parse_seed(std::string_view option, std::string_view text);
float parse_number(std::string_view option, std::string_view text);
bool parse_switch(std::string_view option, std::string_view text);

}  // namespace headlight
