// The settings table: `--help`, the command line, scenario files, their schema and the window's controls are generated
// from it.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

/// The kind of control. `own`: its panel draws it, because it depends on more than the setting.
enum class Control : std::uint8_t { own, toggle, choice, slider, whole_slider, text };

/// The group in the left panel.
enum class SettingGroup : std::uint8_t { input, shape, scores, variants, mask, dropout, more };

/// The range of valid numbers, never NaN; `above` excludes `least`.
struct SettingRange {
  double least = -std::numeric_limits<double>::max(), most = std::numeric_limits<double>::max();
  bool above = false;
  bool minus_infinity = false;
  bool holds(double value) const;
  /// "expected 1 to 1048576", "expected more than 0", "expected a number"
  Message expected() const;
};

/// The facts about a setting that do not depend on its type.
struct SettingFacts {
  std::string_view operand;  ///< "N"; empty for a switch, which also accepts =true and =false
  std::string_view help;
  std::string_view example;  ///< as JSON
  SettingGroup group{};
  SettingRange range{};
  Control control = Control::own;
  double slide_from = 0, slide_to = 1;         ///< range of a slider
  bool (*applies)(const Scenario&) = nullptr;  ///< whether it has any effect with the other settings; null: always
};

struct Setting : SettingFacts {
  std::string key;     ///< key in a scenario file, "kv_heads"; "settings.kv_heads" is the label of its control
  std::string option;  ///< "--kv-heads", "--no-bias"; "" for `file`, the command line's FILE
  bool (*changes_layer)(const Scenario&);   ///< whether it changes the attention of a network's layer
  std::span<const std::string_view> words;  ///< for a choice

  /// Throws SettingError for invalid text.
  void (*apply)(Scenario& scenario, std::string_view option, std::string_view text);
  /// The text for apply() that gives the scenario's value; unset if there is none: the setting is unset, or the text is
  /// too long to type.
  std::optional<std::string> (*text)(const Scenario& scenario);
  /// For toggles (0, 1), choices (index) and sliders, without converting to text. NaN means unset.
  double (*number)(const Scenario& scenario);
  void (*set_number)(Scenario& scenario, double number);
  /// For text settings; null for all others.
  const std::string* (*string)(const Scenario& scenario);
};

/// One setting per field of Scenario, in the order of the manual.
std::span<const Setting> all_settings();
/// By key; null if there is none.
const Setting* setting_named(std::string_view key);

/// Throws SettingError with the option's name for a number outside its setting's range.
void check_ranges(const Scenario& scenario);

/// Appends an option with its text as command-line arguments: {"--heads", "2"}, {"--alibi"}, {"--alibi=false"}.
void append_option(std::vector<std::string>& words, const std::string& option, bool is_switch, const std::string& text);

/// The command-line arguments that change `from` into `to`; unset if no arguments can.
std::optional<std::vector<std::string>> settings_between(const Scenario& from, const Scenario& to);

// Strict: the whole text must be valid. Throw SettingError with the option's name.
Index parse_whole(std::string_view option, std::string_view text, Index least, Index most);
float parse_number(std::string_view option, std::string_view text);
bool parse_switch(std::string_view option, std::string_view text);

/// "3.1" or "0.0,decoder.2.3,4": heads, or all heads of a layer.
std::vector<HeadAddress> parse_heads(std::string_view option, std::string_view text);
std::string to_text(const HeadAddress& head);

}  // namespace headlight
