#include "core/scenario/setting_text.h"

#include <algorithm>
#include <cmath>

#include "core/files/error_place.h"
#include "core/files/text_file.h"
#include "core/text/number_text.h"
#include "core/text/texts.h"

namespace headlight {
namespace {

using Text = std::string_view;

template <typename Number>
bool read_all(Text text, Number& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// `take` for each part of a list between commas.
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
  for (const Text line : Parts(text, '\n')) {
    if (std::vector<std::string> words = words_of(line); !words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

std::string text_of_file(const std::string& path) {
  std::string text = whole_text(path, 16'000'000);
  if (!is_utf8(text)) throw FileError(path, "is not UTF-8 text", "expected words");
  return text;
}

bool holds_blank(const std::string& token) { return token.find_first_of(" \t\r\n\v\f") != std::string::npos; }

}  // namespace

Index parse_whole(Text option, Text text, Index least, Index most) {
  Index value = 0;
  const Message expected = least == most ? Message(least) : Message("{0} to {1}", least, most);
  if (!read_all(text, value)) {
    throw SettingError(std::string(option), Message("\"{0}\" is not a whole number", std::string(text)),
                       Message("expected {0}", expected));
  }
  if (value < least || value > most) {
    throw SettingError(std::string(option), Message("{0} is out of range", value), Message("expected {0}", expected));
  }
  return value;
}

namespace {

std::uint64_t parse_seed(Text option, Text text) {
  std::uint64_t value = 0;
  if (!read_all(text, value)) setting_text::fail(option, text, "a whole number, 0 to 18446744073709551615");
  return value;
}

}  // namespace

float parse_number(Text option, Text text) {
  float value = 0;
  if (!read_all(text, value) || std::isnan(value)) setting_text::fail(option, text, "a number");
  return value;
}

bool parse_switch(Text option, Text text) {
  if (text != "true" && text != "false") setting_text::fail(option, text, "true or false");
  return text == "true";
}

std::vector<HeadAddress> parse_heads(Text option, Text text) {
  std::vector<HeadAddress> heads;
  for_each_part(text, [&](Text part) {
    const std::size_t point = part.rfind('.');
    HeadAddress head{std::string(part.substr(0, point)), -1};
    const bool numbered = point == Text::npos || (read_all(part.substr(point + 1), head.head) && head.head >= 0);
    if (!numbered || head.layer.empty()) setting_text::fail(option, part, "a layer and a head, such as 3.1");
    heads.push_back(std::move(head));
  });
  return heads;
}

std::string to_text(const HeadAddress& head) {
  return head.layer + (head.head < 0 ? "" : "." + std::to_string(head.head));
}

namespace {

/// Words between blanks, a line a batch entry; after "@" the same from a file of text, where one word a line is one
/// batch entry. Throws SettingError, FileError.
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

}  // namespace

}  // namespace headlight

namespace headlight::setting_text {

void fail(Text option, Text text, const Message& expected) {
  throw SettingError(std::string(option), Message("\"{0}\" is not {1}", std::string(text), expected),
                     Message("expected {0}", expected));
}

void parse(Text option, Text text, const SettingRange&, bool& out) { out = parse_switch(option, text); }
void parse(Text option, Text text, const SettingRange&, float& out) { out = parse_number(option, text); }
void parse(Text option, Text text, const SettingRange& range, Index& out) {
  out = parse_whole(option, text, static_cast<Index>(range.least), static_cast<Index>(range.most));
}
void parse(Text option, Text text, const SettingRange&, std::uint64_t& out) { out = parse_seed(option, text); }
void parse(Text, Text text, const SettingRange&, std::string& out) { out = std::string(text); }

void parse(Text option, Text text, const SettingRange&, QkNorm& out) {
  const std::optional<QkNorm> found = text == "true" ? QkNorm::rms : choice_named<QkNorm>(text);
  if (!found) fail(option, text, all_words<QkNorm>());
  out = *found;
}

void parse(Text option, Text text, const SettingRange&, std::vector<std::vector<Index>>& out) {
  std::vector<std::vector<Index>> lengths;
  for_each_part(text, [&](Text part) { lengths.push_back({parse_whole(option, part, 0, Index{1} << 20)}); });
  out = std::move(lengths);
}

void parse(Text option, Text text, const SettingRange&, TokenNames& out) { out = parse_tokens(option, text); }
void parse(Text option, Text text, const SettingRange&, std::vector<HeadAddress>& out) {
  out = parse_heads(option, text);
}

std::optional<std::string> written(bool value) { return value ? "true" : "false"; }
std::optional<std::string> written(float value) { return shortest(value); }
std::optional<std::string> written(Index value) { return std::to_string(value); }
std::optional<std::string> written(std::uint64_t value) { return std::to_string(value); }
std::optional<std::string> written(const std::string& value) { return value; }

std::optional<std::string> written(const std::vector<std::vector<Index>>& value) {
  std::string text;
  for (const std::vector<Index>& lengths : value) {
    if (lengths.size() != 1) return {};  // a length a query, which only a scenario file says
    text += (text.empty() ? "" : ",") + std::to_string(lengths.front());
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> written(const TokenNames& value) {
  std::string text;
  for (const std::vector<std::string>& entry : value) {
    if (!text.empty()) text += '\n';
    for (std::size_t i = 0; i < entry.size(); ++i) {
      if (entry[i].empty() || holds_blank(entry[i])) return {};
      text += (i ? " " : "") + entry[i];
    }
  }
  if (text.starts_with('@')) return {};
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> written(const std::vector<HeadAddress>& value) {
  std::string text;
  for (const HeadAddress& head : value) { text += (text.empty() ? "" : ",") + to_text(head); }
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace headlight::setting_text
