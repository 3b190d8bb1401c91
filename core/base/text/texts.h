// Texts in several languages, parts and lists of a text, the name that was meant, and bytes as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headlight {

using Texts = std::map<std::string, std::string>;  ///< by language: {"en": "…", "zh": "…"}

/// The text in that language, else in English; "" if there is none.
const std::string& in_language(const Texts& texts, const std::string& language);

/// The parts of a text between separators, to be looped over. A separator at the end is followed by no part.
class Split {
 public:
  Split(std::string_view text, char separator) : text_(text), separator_(separator) {}
  struct Iterator {
    std::string_view rest;
    char separator;
    std::string_view operator*() const { return rest.substr(0, rest.find(separator)); }
    void operator++() { rest.remove_prefix(std::min((**this).size() + 1, rest.size())); }
    bool operator!=(std::default_sentinel_t) const { return !rest.empty(); }
  };
  Iterator begin() const { return {text_, separator_}; }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::string_view text_;
  char separator_;
};

/// "a, b, c": the items as they are, or as `as` makes them.
template <typename List, typename As = std::identity>
std::string comma_list(const List& list, As as = {}) {
  std::string text;
  for (const auto& item : list) (text += text.empty() ? "" : ", ") += as(item);
  return text;
}
/// The text with `to` in place of each `from`.
std::string replaced(std::string text, std::string_view from, std::string_view to);
/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\n\v\f\r");
/// A to Z as a to z; all other characters as they are.
std::string lowercase(std::string_view text);

/// A line without the "\r" that ends it in files of Windows.
inline std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}
/// Whether it holds more than spaces and tabs.
inline bool is_filled(std::string_view line) { return line.find_first_not_of(" \t") != std::string_view::npos; }

// Suggests the name that a user probably meant.

/// The one of `names` with the smallest edit distance to `typed` (insertion, deletion, substitution, transposition;
/// ignoring case); empty if more than a third of its letters differ.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

// Bytes as text, RFC 4648.
std::string base64(std::span<const std::uint8_t> bytes);
/// Unset if it is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace headlight
