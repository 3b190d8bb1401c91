#include "core/scenario/settings_table.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/scenario_read.h"
#include "core/scenario/setting_text.h"
#include "core/scenario/settings_rows.h"
#include "core/tensor/error.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

constexpr std::size_t longest_typed = 2000;  // bytes of JSON that anybody would want in a command line

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
template <typename T>
constexpr bool has_text = requires(T value) {
  setting_text::written(value);
};

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
  } else if constexpr (has_text<Field<i>>) {
    setting_text::parse(option, text, row.range, field);
  } else {
    read_setting(row.key, std::string(text), std::string(option), s);
  }
}

template <std::size_t i>
std::optional<std::string> text(const Scenario& s) {
  constexpr auto row = row_of<i>;
  const Field<i>& field = s.*row.member;
  if constexpr (row.negated) {
    return field ? setting_text::written(!*field) : std::nullopt;
  } else if constexpr (has_text<Field<i>>) {
    return setting_text::written(field);
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
  if constexpr (!row.of_layer) {
    return false;
  } else if constexpr (row.has_condition) {
    return row.in_layer(s);
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
  Setting setting{
      std::string(row.key), option,       row.operand, row.help,         row.example, row.group, row.range, row.control,
      row.slide_from,       row.slide_to, row.applies, changes_layer<i>, {},          apply<i>,  text<i>,   number<i>,
      set_number<i>,        string<i>};
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
      throw SettingError(setting_named(row.key)->option, Message("{0} is out of range", *setting_text::written(*value)),
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
  Scenario reached = from;
  std::vector<std::string> words;
  for (const Setting& setting : all_settings()) {
    if (setting.option.empty()) continue;
    const std::optional<std::string> text = setting.text(to);
    if (text == setting.text(from)) continue;
    if (!text || (text->empty() && !setting.operand.empty())) return {};
    append_option(words, setting.option, setting.operand.empty(), *text);
    setting.apply(reached, setting.option, *text);
  }
  return reached == to ? std::optional(words) : std::nullopt;
}

}  // namespace headlight
