#include "core/scenario/settings/json_place.h"

#include <cmath>
#include <limits>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

/// At most `most` bytes, without cutting a character.
std::string cut_utf8(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, character_start(text, most));
}

/// A short form of at most 60 bytes; a large list or object is only counted, since writing it out would take long.
Message brief(const Json& value) {
  if (value.is_structured() && value.size() > 60)
    return {value.is_array() ? "a list of {0}" : "an object of {0}", value.size()};
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (value.is_string() && text.size() <= 60) return {"\"{0}\"", text.substr(1, text.size() - 2)};
  return text.size() > 60 ? cut_utf8(text, 57) + "..." : text;
}

/// Removes the mark and the text after it, and returns that text.
std::string cut_off(std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  std::string rest = text.substr(at + mark.size());
  text.resize(at);
  return rest;
}

/// A text in quotation marks is a name; any other text is a message of the parser.
Message name_or_message(const std::string& text) {
  const bool quoted = text.size() > 1 && text.starts_with('\'') && text.ends_with('\'');
  return quoted ? Message("'{0}'", text.substr(1, text.size() - 2)) : Message(text.c_str());
}

/// The error message of the parser, "at line 2, column 3: syntax error while parsing value - invalid literal; last
/// read: 'o'", as nested messages, so that each part can be translated.
Message in_parts(std::string text) {
  const std::string rest = text.starts_with("at line ") ? cut_off(text, ": ") : std::string();
  if (!rest.empty()) {
    const std::string column = cut_off(text, ", column ");
    return {"at line {0}, column {1}: {2}", text.substr(8), column, in_parts(rest)};
  }
  if (!text.starts_with("syntax error while parsing ")) return text.c_str();
  const std::string expected = cut_off(text, "; expected "), read = cut_off(text, "; last read: "),
                    reason = cut_off(text, " - "), what = text.substr(27);
  const Message unexpected = reason.starts_with("unexpected '")
                                 ? Message("unexpected {0}", name_or_message(reason.substr(11)))
                                 : Message(reason.c_str());
  Message all("syntax error while parsing {0} - {1}", what, unexpected);
  if (!read.empty()) all = {"{0}; last read: {1}", all, name_or_message(read)};
  return expected.empty() ? all : Message("{0}; expected {1}", all, name_or_message(expected));
}

}  // namespace

void Place::fail(const Message& wrong, const Message& expected) const {
  throw FileError(file, Message("{0}: {1}", path, wrong), Message("expected {0}", expected));
}

void Place::fail_type(const Message& expected) const {
  fail(Message("{0} is not {1}", brief(value), expected), expected);
}

void require_object(const Place& place) {
  if (!place.value.is_object()) place.fail_type("an object");
}

void allow_only(const Place& place, const std::set<std::string>& known) {
  require_object(place);
  for (const auto& [key, unused] : place.value.items()) {
    if (known.contains(key)) continue;
    throw FileError(place.file, Message("{0}.{1}: no such field", place.path, key),
                    Message("expected one of {0}", comma_list(known)));
  }
}

void read(const Place& at, bool& out) {
  if (!at.value.is_boolean()) at.fail_type("true or false");
  out = at.value.get<bool>();
}

void read(const Place& at, std::string& out) {
  if (!at.value.is_string()) at.fail_type("a string");
  out = at.value.get<std::string>();
}

void read(const Place& at, std::uint64_t& out) {
  if (!at.value.is_number_unsigned()) at.fail_type("a whole number, 0 or more");
  out = at.value.get<std::uint64_t>();
}

void read(const Place& at, Index& out) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!at.value.is_number_unsigned() || at.value.get<std::uint64_t>() > most) at.fail_type("a whole number, 0 or more");
  out = at.value.get<Index>();
}

void read(const Place& at, float& out) {
  constexpr const char* expected = "a number, \"inf\", \"-inf\" or \"nan\"";
  if (at.value.is_string()) {
    const auto& text = at.value.get_ref<const std::string&>();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (text != "inf" && text != "-inf" && text != "nan") at.fail_type(expected);
    out = text == "inf" ? infinity : text == "-inf" ? -infinity : std::numeric_limits<float>::quiet_NaN();
    return;
  }
  if (!at.value.is_number()) at.fail_type(expected);
  out = at.value.get<float>();
  if (!std::isfinite(out)) at.fail_type("a number that fits in 32 bits");
}

Texts words_at(const Place& at) {
  Texts words;
  if (at.value.is_string()) return {{"en", at.value.get<std::string>()}};
  if (!at.value.is_object() || !at.has("en")) at.fail_type("a string, or strings by language with \"en\" among them");
  for (const auto& [language, unused] : at.value.items()) read(at.at(language), words[language]);
  return words;
}

Json parse_json(const std::string& text, const std::string& subject) {
  const bool is_option = subject.starts_with("--");
  const char* expected = is_option ? "expected JSON" : "expected a scenario as JSON";
  if (!is_utf8(text)) throw FileError(subject, "is not JSON: it is not UTF-8 text", expected);
  if (nested_deeper_than(text, deepest_json)) {
    throw FileError(subject, Message("is nested more than {0} deep", deepest_json), expected);
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    const std::string message = error.what();
    const std::size_t place = message.find("at line"), prefix = message.find("] ");
    const std::string where = message.substr(place != std::string::npos    ? place
                                             : prefix == std::string::npos ? 0
                                                                           : prefix + 2);
    throw FileError(subject, Message("is not JSON: {0}", in_parts(cut_utf8(where, 160))), expected);
  }
}

Json read_json(const std::string& path) { return parse_json(whole_text(path, 64'000'000), path); }

}  // namespace headlight
