// A sentence that is put together where it is shown, in the language of the reader.
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

/// An English template with slots, Message("{0} does not divide {1}", heads, d_model), and what stands in them: text
/// and numbers, which stay as they are in every language, or Messages. A literal is a template of its own; a string
/// made at run time, such as a name or a path, is text.
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

  /// A template's translation; nullptr where it has none and stays English.
  using Translations = std::function<const std::string*(const std::string& english)>;
  std::string translated(const Translations& translations) const { return put_together(&translations); }

  /// The same on one line, control characters escaped, cut in its middle where it has more than so many bytes.
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

/// "FIRST: SECOND", "FIRST; SECOND"; one alone where the other is empty.
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
