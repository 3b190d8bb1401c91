#include "core/base/tensor/message.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// One line, whatever the file or the user wrote: control characters and bytes that are not UTF-8 become \xNN.
std::string one_line(const std::string& text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = at;
    const char32_t c = next_character(text, at);
    const bool broken = c == U'\uFFFD' && at == first + 1;
    if (!broken && !is_control(c)) {
      line.append(text, first, at - first);
      continue;
    }
    for (std::size_t i = first; i < at; ++i) {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(text[i])));
      line += escaped.data();
    }
  }
  return line;
}

/// The beginning and the end of a text that is longer than `most` bytes: long names differ at their ends.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return one_line(text);
  std::size_t tail = text.size() - most / 3;
  while (tail < text.size() && continues_character(text[tail])) ++tail;
  return one_line(text.substr(0, character_start(text, most * 2 / 3))) + " … " + one_line(text.substr(tail));
}

/// Whether the text begins with a wide character (Chinese and similar), its punctuation, or a quotation mark or dots
/// that it shares with Latin: no space is put between two of them.
bool begins_wide(std::string_view text) {
  return text >= "\xE2\xBA\x80" || text.starts_with("“") || text.starts_with("”") || text.starts_with("…");
}
bool ends_wide(const std::string& text, std::size_t size) {
  return size > 0 && begins_wide(std::string_view(text).substr(0, size).substr(character_start(text, size - 1)));
}

/// Appends `more`, with a space only beside Latin letters.
void append(std::string& text, std::string_view more) {
  if (text.ends_with(' ') && begins_wide(more) && ends_wide(text, text.size() - 1)) text.pop_back();
  if (more.starts_with(' ') && begins_wide(more.substr(1)) && ends_wide(text, text.size())) more.remove_prefix(1);
  if (text.ends_with("？") && more.starts_with("；")) more.remove_prefix(3);  // no semicolon after a question mark
  text += more;
}

/// The position of the next slot, "{3}"; the end of the text if there is none.
std::size_t next_slot(std::string_view text, std::size_t from, std::size_t slots) {
  for (std::size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (at + 2 < text.size() && text[at + 2] == '}' && text[at + 1] >= '0' &&
        static_cast<std::size_t>(text[at + 1] - '0') < slots)
      return at;
  }
  return text.size();
}

}  // namespace

std::string Message::put_together(const Translations* translations) const {
  const std::string* found = translations && is_template_ ? (*translations)(text_) : nullptr;
  const std::string_view form = found ? *found : text_;
  std::string text;
  const auto add = [&](std::string_view more) {
    if (translations) append(text, more);
    else text += more;
  };
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t slot = next_slot(form, at, values_.size());
    add(form.substr(at, slot - at));
    if (slot < form.size()) add(values_[static_cast<std::size_t>(form[slot + 1] - '0')].put_together(translations));
    at = slot + 3;
  }
  return most_bytes_ > 0 ? shortened(text, most_bytes_) : text;
}

Message Message::cut_to(std::size_t most_bytes) const {
  Message cut("{0}", *this);
  cut.most_bytes_ = most_bytes;
  return cut;
}

std::ostream& operator<<(std::ostream& out, const Message& message) { return out << message.english(); }

Message joined_by_colon(Message first, Message second) {
  if (first.empty()) return second;
  return second.empty() ? first : Message("{0}: {1}", std::move(first), std::move(second));
}

Message joined_by_semicolon(Message first, Message second) {
  if (first.empty()) return second;
  return second.empty() ? first : Message("{0}; {1}", std::move(first), std::move(second));
}

namespace {

constexpr std::size_t longest_subject = 300, longest_wrong = 900, longest_expected = 4000;

Message sentence_of(const Message& wrong, const Message& expected) {
  return joined_by_semicolon(wrong.cut_to(longest_wrong), expected.cut_to(longest_expected));
}

}  // namespace

InputError::InputError(const Message& subject, const Message& wrong, const Message& expected)
    : std::runtime_error(joined_by_colon(subject.cut_to(longest_subject), sentence_of(wrong, expected)).english()),
      subject_(subject),
      sentence_(sentence_of(wrong, expected)) {}

Message InputError::message() const { return joined_by_colon(subject_.cut_to(longest_subject), sentence_); }

Message message_of(const std::exception& error) {
  if (const auto* mistake = dynamic_cast<const InputError*>(&error)) return mistake->message();
  // The library's own sentence names its function, not what is wrong.
  if (const auto* system = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return FileError(system->path1().string(), Message("cannot be used: {0}", system->code().message()),
                     "expected another name or place")
        .message();
  return Message(std::string(error.what()));
}

ExpressionError::ExpressionError(std::size_t position, const Message& wrong, const Message& expected)
    : InputError("--mask", wrong, expected), position_(position) {}

}  // namespace headlight
