// A text in several languages; the parts of a text.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace headlight {

using Texts = std::map<std::string, std::string>;  ///< by language: {"en": "…", "zh": "…"}

/// The text in that language, else in English; "" if there is none.
const std::string& in_language(const Texts& texts, const std::string& language);

/// The parts of a text between separators, to be looped over. A separator at the end is followed by no part.
class Parts {
 public:
  Parts(std::string_view text, char separator) : text_(text), separator_(separator) {}
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

/// A line without the "\r" that ends it in files of Windows.
inline std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}
/// Whether it holds more than spaces and tabs.
inline bool is_filled(std::string_view line) { return line.find_first_not_of(" \t") != std::string_view::npos; }

}  // namespace headlight
