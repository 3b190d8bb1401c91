// A sentence that is formatted when it is shown, in the user's language.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// An English template with slots and the values for them, e.g. Message("{0} does not divide {1}", heads, d_model).
/// Values are text and numbers, which are the same in every language, or other Messages. A string literal is a
/// template; a string made at run time, such as a name or a path, is text.
class Message {
 public:
  Message() = default;
  Message(const char* english) : text_(english), is_template_(true) {}
  Message(std::string text) : text_(std::move(text)) {}
  Message(std::string_view text) : text_(text) {}
  template <std::integral Number>
  requires(sizeof(Number) > 1)  // neither bool nor char
      Message(Number number)
      : text_(std::to_string(number)) {}
  template <typename... Values>
  requires(sizeof...(Values) > 0) Message(const char* english, Values&&... values)
      : text_(english), is_template_(true), values_{Message(std::forward<Values>(values))...} {}

  bool empty() const { return text_.empty() || english().empty(); }
  void clear() { *this = {}; }
  std::string english() const { return put_together(nullptr); }

  /// The translation of a template; null if there is none, then the English text is used.
  using Translations = std::function<const std::string*(const std::string& english)>;
  std::string translated(const Translations& translations) const { return put_together(&translations); }

  /// The message on one line, with control characters escaped. If it is longer than `most_bytes`, its middle is cut
  /// out.
  Message cut_to(std::size_t most_bytes) const;

  friend bool operator==(const Message& a, const Message& b) { return a.english() == b.english(); }
  friend std::ostream& operator<<(std::ostream& out, const Message& message);  ///< in English

 private:
  std::string put_together(const Translations* translations) const;

  std::string text_;
  bool is_template_ = false;
  std::vector<Message> values_;
  std::size_t most_bytes_ = 0;  ///< 0: uncut
};

/// "FIRST: SECOND", "FIRST; SECOND"; if one of them is empty, only the other.
Message joined_by_colon(Message first, Message second);
Message joined_by_semicolon(Message first, Message second);

/// "1, 2, 4 or 8"
template <typename Names>
Message alternatives(const Names& names) {
  std::string text;
  for (auto name = std::begin(names); name != std::end(names); ++name) {
    if (std::next(name) == std::end(names) && !text.empty()) return {"{0} or {1}", text, std::string(*name)};
    if (!text.empty()) text += ", ";
    text += *name;
  }
  return text;
}

}  // namespace headlight
