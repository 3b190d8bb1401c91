// The settings' values as text: the words of choices, in the order of their enums, and one pair of functions a type of
// field (core/scenario/settings_table.cpp).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/scenario/scenario.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"
#include "core/tensor/message.h"

namespace headlight {

template <typename Choice>
inline constexpr std::array<std::string_view, 0> choice_words{};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<Source>{"text", "random", "file"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<Tokenizer>{"words", "characters"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<Positions>{"none", "sinusoidal"};
template <>
inline constexpr std::array<std::string_view, 4> choice_words<DeadRow>{"from_fill", "nan", "uniform", "zero"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<MaskMode>{"fill", "add"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<Rope>{"none", "half", "interleaved"};
template <>
inline constexpr std::array<std::string_view, 4> choice_words<QkNorm>{"none", "rms", "l2", "layer"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<MaskPolarity>{"by_name", "attend", "ignore"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<WeightOrder>{"by_name", "out_in", "in_out"};

template <typename Choice>
std::string_view word(Choice choice) {
  static_assert(!choice_words<Choice>.empty(), "the choice needs its words above");
  return choice_words<Choice>[static_cast<std::size_t>(choice)];
}

template <typename Choice>
std::optional<Choice> choice_named(std::string_view wanted) {
  for (std::size_t i = 0; i < choice_words<Choice>.size(); ++i) {
    if (choice_words<Choice>[i] == wanted) return static_cast<Choice>(i);
  }
  return {};
}

/// "none, half or interleaved"
template <typename Choice>
Message all_words() {
  return alternatives(choice_words<Choice>);
}

}  // namespace headlight

namespace headlight::setting_text {

[[noreturn]] void fail(std::string_view option, std::string_view text, const Message& expected);

void parse(std::string_view option, std::string_view text, const SettingRange& range, bool& out);
void parse(std::string_view option, std::string_view text, const SettingRange& range, float& out);
void parse(std::string_view option, std::string_view text, const SettingRange& range, Index& out);
void parse(std::string_view option, std::string_view text, const SettingRange& range, std::uint64_t& out);
void parse(std::string_view option, std::string_view text, const SettingRange& range, std::string& out);
/// The switch alone is "rms".
void parse(std::string_view option, std::string_view text, const SettingRange& range, QkNorm& out);
/// "3,2": a length a batch entry.
void parse(std::string_view option, std::string_view text, const SettingRange& range,
           std::vector<std::vector<Index>>& out);
void parse(std::string_view option, std::string_view text, const SettingRange& range, TokenNames& out);
void parse(std::string_view option, std::string_view text, const SettingRange& range, std::vector<HeadAddress>& out);

template <typename Choice>
requires std::is_enum_v<Choice>
void parse(std::string_view option, std::string_view text, const SettingRange&, Choice& out) {
  const std::optional<Choice> found = choice_named<Choice>(text);
  if (!found) fail(option, text, all_words<Choice>());
  out = *found;
}

template <typename Value>
requires requires(Value& value) { parse({}, {}, {}, value); }
void parse(std::string_view option, std::string_view text, const SettingRange& range, std::optional<Value>& out) {
  Value value{};
  parse(option, text, range, value);
  out = std::move(value);
}

std::optional<std::string> written(bool value);
std::optional<std::string> written(float value);
std::optional<std::string> written(Index value);
std::optional<std::string> written(std::uint64_t value);
std::optional<std::string> written(const std::string& value);
std::optional<std::string> written(const std::vector<std::vector<Index>>& value);
std::optional<std::string> written(const TokenNames& value);
std::optional<std::string> written(const std::vector<HeadAddress>& value);

template <typename Choice>
requires std::is_enum_v<Choice> std::optional<std::string> written(Choice value) { return std::string(word(value)); }

template <typename Value>
requires requires(const Value& value) { written(value); }
std::optional<std::string> written(const std::optional<Value>& value) { return value ? written(*value) : std::nullopt; }

}  // namespace headlight::setting_text
