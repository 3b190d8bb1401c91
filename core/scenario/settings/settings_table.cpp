#include "core/scenario/settings/settings_table.h"

#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/scenario/settings/json_place.h"
#include "core/scenario/settings/setting_text.h"
#include "core/scenario/settings/settings_rows.h"

namespace headlight {
namespace {

using Text = std::string_view;
using Lengths = std::vector<std::vector<Index>>;

constexpr std::size_t longest_typed = 2000;  // the most bytes of JSON that are useful on a command line

[[noreturn]] void refuse_text(Text option, Text text, const Message& expected) {
  throw SettingError(std::string(option), Message("\"{0}\" is not {1}", std::string(text), expected),
                     Message("expected {0}", expected));
}

/// Calls `take` for each part of a list, separated by commas.
template <typename Take>
void for_each_part(Text list, Take take) {
  while (true) {
    const std::size_t comma = list.find(',');
    take(list.substr(0, comma));
    if (comma == Text::npos) return;
    list.remove_prefix(comma + 1);
  }
}

std::vector<std::string> words_of(Text line) {
  constexpr Text blanks = " \t\r\v\f";
  std::vector<std::string> words;
  while (true) {
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == Text::npos) return words;
    line.remove_prefix(first);
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

TokenNames lines_of_words(Text text) {
  TokenNames lines;
  for (const Text line : Split(text, '\n')) {
    if (std::vector<std::string> words = words_of(line); !words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

std::string text_of_file(const std::string& path) {
  std::string text = whole_text(path, 16'000'000);
  if (!is_utf8(text)) throw FileError(path, "is not UTF-8 text", "expected words");
  return text;
}

/// Words separated by blanks, a line for each batch entry. "@" begins the name of a text file with the same; if it has
/// one word on each line, they are one batch entry. Throws SettingError, FileError.
TokenNames parse_tokens(Text option, Text text) {
  if (!text.starts_with('@')) return lines_of_words(text);
  TokenNames lines = lines_of_words(text_of_file(std::string(text.substr(1))));
  if (lines.empty())
    throw SettingError(std::string(option), Message("{0} holds no word", std::string(text.substr(1))),
                       "expected names of tokens");
  const bool one_a_line = std::ranges::all_of(lines, [](const auto& line) { return line.size() == 1; });
  if (!one_a_line) return lines;
  std::vector<std::string> entry;
  for (const auto& line : lines) entry.push_back(line.front());
  return {entry};
}

/// "3,2": a length a batch entry.
Lengths parse_lengths(Text option, Text text) {
  Lengths lengths;
  for_each_part(text, [&](Text part) { lengths.push_back({parse_whole(option, part, 0, Index{1} << 20)}); });
  return lengths;
}

std::uint64_t parse_seed(Text option, Text text) {
  const auto seed = number_of_text<std::uint64_t>(without_plus(text));
  if (!seed) refuse_text(option, text, "a whole number, 0 to 18446744073709551615");
  return *seed;
}

template <typename Choice>
Choice parse_choice(Text option, Text text) {
  const bool switched_on = std::is_same_v<Choice, QkNorm> && text == "true";  // the switch alone is "rms"
  const std::optional<Choice> found = choice_named<Choice>(switched_on ? "rms" : text);
  if (!found) refuse_text(option, text, all_words<Choice>());
  return *found;
}

/// Fields of these types are said as JSON.
template <typename T>
constexpr bool is_json = std::is_same_v<T, GivenMatrix> || std::is_same_v<T, std::vector<CellEdit>> ||
                         std::is_same_v<T, std::vector<PaintedCells>>;

/// The value that a text says. Throws SettingError.
template <typename T>
T value_in_text(Text option, Text text, [[maybe_unused]] const SettingRange& range) {
  if constexpr (std::is_same_v<T, bool>) return parse_switch(option, text);
  else if constexpr (std::is_same_v<T, float>) return parse_number(option, text);
  else if constexpr (std::is_same_v<T, Index>)
    return parse_whole(option, text, static_cast<Index>(range.least), static_cast<Index>(range.most));
  else if constexpr (std::is_same_v<T, std::uint64_t>) return parse_seed(option, text);
  else if constexpr (std::is_same_v<T, std::string>) return std::string(text);
  else if constexpr (std::is_same_v<T, Lengths>) return parse_lengths(option, text);
  else if constexpr (std::is_same_v<T, TokenNames>) return parse_tokens(option, text);
  else if constexpr (std::is_same_v<T, std::vector<HeadAddress>>) return parse_heads(option, text);
  else return parse_choice<T>(option, text);
}

using OptionalText = std::optional<std::string>;

OptionalText unless_empty(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

OptionalText text_of_lengths(const Lengths& entries) {
  std::string text;
  for (const std::vector<Index>& lengths : entries) {
    if (lengths.size() != 1) return {};  // a length for each query, which only a scenario file can say
    text += (text.empty() ? "" : ",") + std::to_string(lengths.front());
  }
  return unless_empty(text);
}

OptionalText text_of_tokens(const TokenNames& names) {
  std::string text;
  for (const std::vector<std::string>& entry : names) {
    if (!text.empty()) text += '\n';
    for (std::size_t i = 0; i < entry.size(); ++i) {
      if (entry[i].empty() || entry[i].find_first_of(" \t\r\n\v\f") != std::string::npos) return {};
      text += (i ? " " : "") + entry[i];
    }
  }
  return text.starts_with('@') ? std::nullopt : unless_empty(text);
}

/// The text that value_in_text() would take for the value; none where no text says it.
template <typename T>
OptionalText text_of_value(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, float>) return shortest(value);
  else if constexpr (std::is_integral_v<T>) return std::to_string(value);
  else if constexpr (std::is_same_v<T, std::string>) return value;
  else if constexpr (std::is_same_v<T, Lengths>) return text_of_lengths(value);
  else if constexpr (std::is_same_v<T, TokenNames>) return text_of_tokens(value);
  else if constexpr (std::is_same_v<T, std::vector<HeadAddress>>) {
    std::string text;
    for (const HeadAddress& head : value) text += (text.empty() ? "" : ",") + to_text(head);
    return unless_empty(text);
  } else return std::string(word(value));
}
template <typename T>
OptionalText text_of_value(const std::optional<T>& value) {
  return value ? text_of_value(*value) : std::nullopt;
}

template <typename T>
struct Inner {
  using type = T;
};
template <typename T>
struct Inner<std::optional<T>> {
  using type = T;
};
template <typename T>
using inner = typename Inner<T>::type;

template <typename T>
constexpr bool is_number =
    std::is_same_v<inner<T>, float> || std::is_same_v<inner<T>, Index> || std::is_same_v<T, std::uint64_t>;

template <std::size_t i>
constexpr auto row_of = std::get<i>(settings_rows);
template <std::size_t i>
using Field = std::remove_reference_t<decltype(std::declval<Scenario&>().*row_of<i>.member)>;

template <std::size_t i>
void apply(Scenario& s, std::string_view option, std::string_view text) {
  constexpr auto row = row_of<i>;
  Field<i>& field = s.*row.member;
  if constexpr (row.refused_empty != nullptr) {
    if (text.empty())
      throw SettingError(std::string(option), "the text is empty", Message("expected {0}", row.refused_empty));
  }
  if constexpr (row.negated) {
    field = !parse_switch(option, text);
  } else if constexpr (!is_json<inner<Field<i>>>) {
    field = value_in_text<inner<Field<i>>>(option, text, row.range);
  } else {
    read_setting(row.key, std::string(text), std::string(option), s);
  }
}

template <std::size_t i>
std::optional<std::string> text(const Scenario& s) {
  constexpr auto row = row_of<i>;
  const Field<i>& field = s.*row.member;
  if constexpr (row.negated) {
    return field ? text_of_value(!*field) : std::nullopt;
  } else if constexpr (!is_json<inner<Field<i>>>) {
    return text_of_value(field);
  } else {
    static const Scenario defaults;
    if (field == defaults.*row.member) return {};
    std::string json = setting_json(row.key, s);
    return json.size() <= longest_typed ? std::optional(std::move(json)) : std::nullopt;
  }
}

template <typename T>
double number_in(const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return value ? number_in(*value) : std::nan("");
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return static_cast<double>(value);
  } else {
    return std::nan("");
  }
}

template <std::size_t i>
double number(const Scenario& s) {
  return number_in(s.*row_of<i>.member);
}

template <std::size_t i>
void set_number(Scenario& s, double value) {
  Field<i>& field = s.*row_of<i>.member;
  if constexpr (std::is_same_v<Field<i>, bool>) {
    field = value != 0;
  } else if constexpr (std::is_arithmetic_v<inner<Field<i>>> || std::is_enum_v<Field<i>>) {
    if (!std::isnan(value)) {
      field = static_cast<inner<Field<i>>>(value);
    } else if constexpr (!std::is_same_v<inner<Field<i>>, Field<i>>) {
      field.reset();
    }
  }
}

template <std::size_t i>
const std::string* string([[maybe_unused]] const Scenario& s) {
  if constexpr (std::is_same_v<Field<i>, std::string>) {
    return &(s.*row_of<i>.member);
  } else {
    return nullptr;
  }
}

template <std::size_t i>
bool changes_layer([[maybe_unused]] const Scenario& s) {
  constexpr auto row = row_of<i>;
  if constexpr (!row.affects_layer) {
    return false;
  } else if constexpr (row.has_layer_condition) {
    return row.layer_condition(s);
  } else {
    static const Scenario usual;
    return s.*row.member != usual.*row.member;
  }
}

template <std::size_t i>
Setting made() {
  constexpr auto row = row_of<i>;
  std::string option = (row.negated ? "--no-" : "--") + std::string(row.key);
  std::ranges::replace(option, '_', '-');
  if (!row.has_option) option.clear();
  Setting setting{row,       std::string(row.key), option,   changes_layer<i>, {}, apply<i>, text<i>,
                  number<i>, set_number<i>,        string<i>};
  if constexpr (std::is_enum_v<Field<i>>) setting.words = choice_words<Field<i>>;
  return setting;
}

template <std::size_t... i>
std::vector<Setting> make_all(std::index_sequence<i...>) {
  return {made<i>()...};
}

}  // namespace

bool SettingRange::holds(double value) const {
  if (std::isinf(value)) return value < 0 && minus_infinity;
  return value <= most && (above ? value > least : value >= least);
}

Message SettingRange::expected() const {
  const bool from = least > -std::numeric_limits<double>::max(), to = most < std::numeric_limits<double>::max();
  if (from && to) return {"expected {0} to {1}", shortest(least), shortest(most)};
  if (from) return {above ? "expected more than {0}" : "expected {0} or more", shortest(least)};
  return minus_infinity ? "expected a finite number or -inf" : "expected a finite number";
}

std::span<const Setting> all_settings() {
  static const std::vector<Setting> settings =
      make_all(std::make_index_sequence<std::tuple_size_v<decltype(settings_rows)>>());
  return settings;
}

const Setting* setting_named(std::string_view key) {
  const auto found = std::ranges::find(all_settings(), key, &Setting::key);
  return found == all_settings().end() ? nullptr : &*found;
}

void check_ranges(const Scenario& scenario) {
  for_each_setting([&](const auto& row) {
    using T = std::remove_cvref_t<decltype(scenario.*row.member)>;
    if constexpr (is_number<T> && !std::is_same_v<T, std::uint64_t>) {
      std::optional<inner<T>> value = scenario.*row.member;
      if (!value || row.range.holds(static_cast<double>(*value))) return;
      throw SettingError(setting_named(row.key)->option, Message("{0} is out of range", *text_of_value(*value)),
                         row.range.expected());
    }
  });
}

void append_option(std::vector<std::string>& words, const std::string& option, bool is_switch,
                   const std::string& text) {
  if (is_switch) {
    words.push_back(text == "true" ? option : option + "=" + text);
  } else {
    words.insert(words.end(), {option, text});
  }
}

std::optional<std::vector<std::string>> settings_between(const Scenario& from, const Scenario& to) {
  Scenario result = from;
  std::vector<std::string> words;
  for (const Setting& setting : all_settings()) {
    if (setting.option.empty()) continue;
    const std::optional<std::string> text = setting.text(to);
    if (text == setting.text(from)) continue;
    if (!text || (text->empty() && !setting.operand.empty())) return {};
    append_option(words, setting.option, setting.operand.empty(), *text);
    setting.apply(result, setting.option, *text);
  }
  return result == to ? std::optional(words) : std::nullopt;
}

Index parse_whole(Text option, Text text, Index least, Index most) {
  const std::optional<Index> value = number_of_text<Index>(without_plus(text));
  const Message expected = least == most ? Message(least) : Message("{0} to {1}", least, most);
  if (!value) {
    throw SettingError(std::string(option), Message("\"{0}\" is not a whole number", std::string(text)),
                       Message("expected {0}", expected));
  }
  if (*value < least || *value > most) {
    throw SettingError(std::string(option), Message("{0} is out of range", *value), Message("expected {0}", expected));
  }
  return *value;
}

float parse_number(Text option, Text text) {
  const auto value = number_of_text<float>(without_plus(text));
  if (!value || std::isnan(*value)) refuse_text(option, text, "a number");
  return *value;
}

bool parse_switch(Text option, Text text) {
  if (text != "true" && text != "false") refuse_text(option, text, "true or false");
  return text == "true";
}

std::vector<HeadAddress> parse_heads(Text option, Text text) {
  std::vector<HeadAddress> heads;
  for_each_part(text, [&](Text part) {
    const std::size_t point = part.rfind('.');
    HeadAddress head{std::string(part.substr(0, point)), -1};
    if (point != Text::npos) head.head = number_of_text<Index>(without_plus(part.substr(point + 1))).value_or(-1);
    const bool numbered = point == Text::npos || head.head >= 0;
    if (!numbered || head.layer.empty()) refuse_text(option, part, "a layer and a head, such as 3.1");
    heads.push_back(std::move(head));
  });
  return heads;
}

std::string to_text(const HeadAddress& head) {
  return head.layer + (head.head < 0 ? "" : "." + std::to_string(head.head));
}

}  // namespace headlight
