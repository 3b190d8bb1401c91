// Words: every word that the window shows, from one table under assets/translations. A language is a file.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headlight {

class Words {
 public:
  /// Reads assets/translations/LANGUAGE.json, and English where that lacks a text; throws SettingError naming the
  /// languages there are, FileError.
  explicit Words(const std::string& language);

  const std::string& language() const { return language_; }
  /// The text for a key such as "controls.heads". A missing key gives the key itself, so that it is seen.
  /// Null-terminated; valid as long as this object.
  const char* operator()(std::string_view key) const;
  bool has(std::string_view key) const { return table_.find(key) != table_.end(); }
  /// The text with {0}, {1}, … replaced; what stands in a value stays as it is.
  std::string fill(std::string_view key, std::initializer_list<std::string_view> values) const;
  /// All texts, one after another: what a font must be able to draw.
  std::string all_text() const;

 private:
  std::string language_;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> table_;
  mutable std::set<std::string, std::less<>> missing_;  ///< keys that were asked for
};

/// What a language calls itself: "English"; its file's name where that does not say.
std::string language_name(const std::string& language);
/// The languages that there are files for: {"en", …}.
std::vector<std::string> list_languages();

}  // namespace headlight
