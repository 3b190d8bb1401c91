// The values of settings as the command line's text, one pair of functions a type of field:
// core/scenario/settings_table.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/scenario/settings_table.h"
#include "core/scenario/words.h"
#include "core/tensor/error.h"

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
