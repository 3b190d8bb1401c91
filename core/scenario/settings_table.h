// The settings: what `--help`, the command line, scenario files, their schema and the window's controls are made from.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/tensor/message.h"

namespace headlight {

/// What a control looks like. `own`: its panel draws it, because it depends on more than the setting.
enum class Control : std::uint8_t { own, toggle, choice, slider, whole_slider, text };

/// Where in the left panel it stands.
enum class SettingGroup : std::uint8_t { input, shape, scores, variants, mask, dropout, more };

/// The numbers that a setting takes, NaN never among them; `above` leaves `least` out.
struct SettingRange {
  double least = -std::numeric_limits<double>::max(), most = std::numeric_limits<double>::max();
  bool above = false;
  bool minus_infinity = false;
  bool holds(double value) const;
  /// "expected 1 to 1048576", "expected more than 0", "expected a number"
  Message expected() const;
};

/// What is said of a setting, whatever its type.
struct SettingFacts {
  std::string_view operand;  ///< "N"; empty for a switch, which also takes =true and =false
  std::string_view help;
  std::string_view example;  ///< as JSON
  SettingGroup group{};
  SettingRange range{};
  Control control = Control::own;
  double slide_from = 0, slide_to = 1;         ///< of a slider
  bool (*applies)(const Scenario&) = nullptr;  ///< whether it changes anything as the others are; null: always
};

struct Setting : SettingFacts {
  std::string key;                          ///< in a scenario file, "kv_heads"; "settings.kv_heads" labels its control
  std::string option;                       ///< "--kv-heads", "--no-bias"; "" for `file`, the command line's FILE
  bool (*changes_layer)(const Scenario&);   ///< whether it changes the attention of a network's layer
  std::span<const std::string_view> words;  ///< of a choice

  /// Throws SettingError for text that it does not take.
  void (*apply)(Scenario& scenario, std::string_view option, std::string_view text);
  /// The text that apply() would take for what the scenario has; none where no text says it: unset, or too long to
  /// type.
  std::optional<std::string> (*text)(const Scenario& scenario);
  /// For toggles (0, 1), choices (which) and sliders, without a detour through text. NaN stands for unset.
  double (*number)(const Scenario& scenario);
  void (*set_number)(Scenario& scenario, double number);
  /// A text's own string; null for every other setting.
  const std::string* (*string)(const Scenario& scenario);
};

/// Each field of Scenario once, in the order of the manual.
std::span<const Setting> all_settings();
/// By key; null if there is none.
const Setting* setting_named(std::string_view key);

/// Throws SettingError naming the option for a number out of its setting's range.
void check_ranges(const Scenario& scenario);

/// An option of a command line with its text, as words: {"--heads", "2"}, {"--alibi"}, {"--alibi=false"}.
void append_option(std::vector<std::string>& words, const std::string& option, bool is_switch, const std::string& text);

/// The settings that make `to` of `from`, as words of a command line; none where none do.
std::optional<std::vector<std::string>> settings_between(const Scenario& from, const Scenario& to);

// Strict: the whole text or a SettingError that names the option.
Index parse_whole(std::string_view option, std::string_view text, Index least, Index most);
float parse_number(std::string_view option, std::string_view text);
bool parse_switch(std::string_view option, std::string_view text);

/// "3.1" or "0.0,decoder.2.3,4": layers and heads, and whole layers.
std::vector<HeadAddress> parse_heads(std::string_view option, std::string_view text);
std::string to_text(const HeadAddress& head);

}  // namespace headlight
