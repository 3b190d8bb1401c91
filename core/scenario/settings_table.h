// The settings of the command line: one table that parsing, `--help` and writing a command line for a person share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"

namespace headlight {

struct Setting {
  std::string_view option;   ///< "--heads"
  std::string_view operand;  ///< "N"; empty for a switch, which also takes =true and =false
  std::string_view help;
  /// Throws SettingError for text that it does not take.
  void (*apply)(Scenario& scenario, std::string_view option, std::string_view text);
  /// The text that apply() would take for what the scenario has; none where it is unset, which no text says.
  std::optional<std::string> (*text)(const Scenario& scenario);
};

/// In the order of the manual.
std::span<const Setting> all_settings();

/// An option of a command line with its text, as words: {"--heads", "2"}, {"--alibi"}, {"--alibi=false"}.
void append_option(std::vector<std::string>& words, const std::string& option, bool is_switch, const std::string& text);

/// The settings that make `to` of `from`, as words of a command line; none where no settings do, such as for edited cells.
std::optional<std::vector<std::string>> settings_between(const Scenario& from, const Scenario& to);

// Strict: the whole text or a SettingError that names the option.
Index parse_whole(std::string_view option, std::string_view text, Index least, Index most);
std::uint64_t parse_seed(std::string_view option, std::string_view text);
float parse_number(std::string_view option, std::string_view text);
bool parse_switch(std::string_view option, std::string_view text);

}  // namespace headlight
