// Words: all texts of the window, from assets/translations. Each language is one file. And numbers as text.
#pragma once

#include <concepts>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/rules/stage/stage.h"

namespace headlight {

/// The text with a real minus sign in place of each hyphen that begins a number: "−3.5", "× −2", "[−1, 4]". For
/// everything in the window that is no code, file or command line.
std::string with_minus(std::string text);

class Words {
 public:
  /// What stands for {0} in a text: words, which must outlive it, or an integer.
  class Value {
   public:
    Value(const char* words) : words_(words) {}
    Value(const std::string& words) : words_(words) {}
    Value(std::string_view words) : words_(words) {}
    Value(std::integral auto number) : digits_(with_minus(std::to_string(number))) {}
    std::string_view text() const { return digits_.empty() ? words_ : digits_; }

   private:
    std::string_view words_;
    std::string digits_;
  };

  /// Reads assets/translations/LANGUAGE.json; missing texts come from English. Throws SettingError, which names the
  /// available languages, and FileError.
  explicit Words(const std::string& language);

  const std::string& language() const { return language_; }
  /// The text of a key such as "controls.heads"; the key itself if it is missing. Null-terminated; valid as long as
  /// this object.
  const char* operator()(std::string_view key) const;
  bool has(std::string_view key) const { return table_.find(key) != table_.end(); }
  /// The text with {0}, {1}, … replaced. Braces within a value are left alone.
  std::string fill(std::string_view key, std::initializer_list<Value> values) const;
  /// The message in this language. A template without a translation stays English.
  std::string translate(const Message& message) const;
  /// A sentence with the names that the window has for options of the command line: “mask” for --mask. An option that
  /// the window has no name for stays.
  std::string in_window(std::string_view sentence) const;
  /// All texts concatenated, for loading the fonts.
  std::string all_text() const;

 private:
  std::string language_;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> table_;
  mutable std::set<std::string, std::less<>> missing_;  ///< requested keys without a text
};

/// The label of a setting's control; its key if it has no control.
inline std::string_view setting_word(const Words& words, const std::string& key) {
  const std::string label = "settings." + key;
  return words.has(label) ? std::string_view(words(label)) : std::string_view(key);
}

/// A language's own name: "English"; the file's name if it has none.
std::string language_name(const std::string& language);
/// The languages with a file: {"en", …}.
std::vector<std::string> list_languages();

/// A stage's name in this language, "分数" for scores; "" if the language uses the stage's own name.
std::string_view stage_words(const Words& words, Stage stage);

/// A number with a real minus sign and at most `digits` significant digits; very small or large values with an
/// exponent.
std::string number_text(float value, int digits);

/// The end of a colour bar: two or three digits.
std::string bound_text(float value);

/// With thousands separators: "1,048,576".
std::string grouped(long long count);

}  // namespace headlight
