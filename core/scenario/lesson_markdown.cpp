#include "core/scenario/lesson_markdown.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "core/files/error_place.h"
#include "core/files/text_file.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

std::string trimmed(std::string text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && blank(static_cast<unsigned char>(text.back()))) text.pop_back();
  text.erase(text.begin(), std::ranges::find_if_not(text, blank));
  return text;
}

/// Fields of the lesson, of a step and of a question, the rest of a step's being its pose's; those that are words.
constexpr const char* worded[] = {"title", "description", "notes"};
bool is_worded(const std::string& field) { return std::ranges::find(worded, field) != std::end(worded); }

/// A JSON value, else the text as it stands.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

/// "zh: 中文": the language of what follows, and what follows on the line.
bool begins_language(const std::string& line, std::string& language, std::string& rest) {
  const auto small = [&](std::size_t i) { return line[i] >= 'a' && line[i] <= 'z'; };
  if (line.size() < 3 || !small(0) || !small(1) || line[2] != ':') return false;
  language = line.substr(0, 2);
  rest = trimmed(line.substr(3));
  return true;
}

class Reader {
 public:
  Reader(const std::string& markdown, const std::string& subject) : subject_(subject) {
    std::istringstream stream(markdown);
    for (std::string line; std::getline(stream, line);) lines_.push_back(trimmed(line));
    if (!lines_.empty() && lines_.front().starts_with("\xEF\xBB\xBF")) lines_.front().erase(0, 3);
  }

  LessonText read() {
    text_.json = Json::object();
    front_matter();
    skip_blank();
    while (!ended()) {
      if (!line().starts_with("## ")) fail("stands before the first step", "\"## \" and a step's title");
      step();
    }
    return std::move(text_);
  }

 private:
  [[noreturn]] void fail(const Message& wrong, const Message& expected) const {
    throw FileError(subject_,
                    ended() ? Message("line {0}: the end {1}", at_ + 1, wrong)
                            : Message("line {0}: {1} {2}", at_ + 1, in_quotes(line()), wrong),
                    Message("expected {0}", expected));
  }
  bool ended() const { return at_ >= lines_.size(); }
  const std::string& line() const { return lines_[at_]; }
  void skip_blank() {
    while (!ended() && line().empty()) ++at_;
  }
  void note(const std::string& path) { text_.lines.try_emplace(path, static_cast<int>(at_) + 1); }

  /// A field at a dotted name below `object`.
  void put(Json& object, std::string path, const std::string& name, Json value) {
    Json* at = &object;
    std::string rest = name;
    for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      const std::string part = rest.substr(0, dot);
      path += "." + part;
      note(path);
      at = &(*at)[part];
      if (!at->is_object() && !at->is_null()) fail("goes into what is no object", "a field of an object");
      rest.erase(0, dot + 1);
    }
    note(path + "." + rest);
    (*at)[rest] = std::move(value);
  }

  /// Words, by language where one is named: "title" or "title.zh".
  void put_words(Json& object, const std::string& path, const std::string& name, const std::string& words) {
    const std::size_t dot = name.find('.');
    const std::string field = name.substr(0, dot);
    note(path + "." + field);
    object[field][dot == std::string::npos ? "en" : name.substr(dot + 1)] = words;
  }

  static std::string field_of(const std::string& name) { return name.substr(0, name.find('.')); }

  /// "name: value" in this line.
  bool field(std::string& name, std::string& value) const {
    const std::size_t colon = line().find(':');
    if (colon == std::string::npos) return false;
    name = trimmed(line().substr(0, colon));
    value = trimmed(line().substr(colon + 1));
    return !name.empty() && name.find(' ') == std::string::npos;
  }

  void front_matter() {
    if (ended() || line() != "---")  // whose file that is nobody knows: nothing of it is shown
      throw FileError(subject_, "line 1 does not begin a lesson", "expected \"---\", the lesson's fields and \"---\"");
    std::string name, value;
    for (++at_; !ended() && line() != "---"; ++at_) {
      if (line().empty()) continue;
      if (!field(name, value)) fail("is no field", "name: value");
      if (is_worded(field_of(name))) {
        put_words(text_.json, "$", name, value);
      } else {
        const bool plain = name == "id" || name == "kind" || name == "scenario.text" || name == "scenario.mask";
        put(text_.json, "$", name, plain ? Json(value) : value_of(value));
      }
    }
    if (ended()) fail("comes before the fields have ended", "\"---\"");
    ++at_;
  }

  /// "{w}: sum weights:0,0,0,: = 1.00"
  void claim(Json& step, const std::string& path, const std::string& name, const std::string& value) {
    const std::size_t brace = name.find('}'), equals = value.rfind('=');
    if (brace == std::string::npos) fail("is no claim", "{name}: STAGE:b,h,row,col = number");
    const std::string id = name.substr(1, brace - 1), at = path + ".claims." + id;
    note(path + ".claims");
    note(at);
    Json& claims = step["claims"][id];
    if (brace + 1 < name.size()) {  // "{w}.minus"
      put(claims, at, name.substr(brace + 2), value_of(value));
      return;
    }
    if (equals == std::string::npos) fail("is no claim", "{name}: STAGE:b,h,row,col = number");
    std::string of = trimmed(value.substr(0, equals));
    if (const std::size_t blank = of.find(' '); blank != std::string::npos) {
      put(claims, at, "take", of.substr(0, blank));
      of = trimmed(of.substr(blank));
    }
    put(claims, at, "of", of);
    put(claims, at, "is", trimmed(value.substr(equals + 1)));
  }

  /// Lines of text up to a heading, a list or a quotation, by language.
  void words(Json& object, const std::string& path, const std::string& field, bool quoted) {
    std::string language = "en", rest;
    std::map<std::string, std::string> texts;
    bool any = false;
    for (; !ended(); ++at_) {
      std::string now = line();
      const bool quote = now.starts_with(">"),
                 item = now.starts_with("- ") ||
                        (now.size() > 2 && std::isdigit(static_cast<unsigned char>(now[0])) != 0 && now[1] == '.');
      if (now.starts_with("#") || (quoted ? !quote : quote || item)) break;
      if (quoted) now = trimmed(now.substr(1));
      if (!now.empty() && !any) note(path + "." + field);
      any = any || !now.empty();
      if (begins_language(now, language, rest)) now = rest;
      std::string& text = texts[language];
      if (!now.empty()) text += (text.empty() ? "" : " ") + now;
    }
    std::erase_if(texts, [](const auto& each) { return each.second.empty(); });
    if (!texts.empty()) object[field] = texts;
  }

  void step() {
    const std::size_t number = text_.json["steps"].size();
    const std::string path = "$.steps[" + std::to_string(number) + "]";
    Json step = Json::object();
    note("$.steps");
    note(path);
    put_words(step, path, "title", trimmed(line().substr(3)));
    ++at_;
    std::string name, value;
    for (; !ended() && field(name, value); ++at_) {
      if (name.starts_with("{")) {
        claim(step, path, name, value);
      } else if (is_worded(field_of(name))) {
        put_words(step, path, name, value);
      } else if (name == "effect" || field_of(name) == "effect") {
        put(step, path, name, name == "effect" ? value_of(value) : Json(value));
      } else {
        note(path + ".pose");
        put(step["pose"], path + ".pose", name,
            name.ends_with("mask") || name.ends_with("text") ? Json(value) : value_of(value));
      }
    }
    words(step, path, "text", false);
    if (!ended() && line().starts_with("### ")) question(step["question"], path + ".question");
    skip_blank();
    if (!ended() && !line().starts_with("## "))
      fail("belongs to nothing", "\"## \" and the next step's title, or \"### \" and the kind of a question");
    text_.json["steps"].push_back(std::move(step));
  }

  void question(Json& question, const std::string& path) {
    note(path);
    note(path + ".kind");
    question["kind"] = trimmed(line().substr(4));
    ++at_;
    std::string name, value;
    for (; !ended() && field(name, value); ++at_)
      put(question, path, name, name == "mask" || name == "of" ? Json(value) : value_of(value));
    words(question, path, "ask", false);
    choices(question, path);
    words(question, path, "why", true);
    choices(question, path);
  }

  /// "- [x] right | 对", "1. first"
  void choices(Json& question, const std::string& path) {
    for (skip_blank(); !ended(); ++at_, skip_blank()) {
      const std::string& now = line();
      const bool box = now.starts_with("- [ ] ") || now.starts_with("- [x] ") || now.starts_with("- [X] ");
      const std::size_t dot = now.find(". ");
      const bool counted = dot != std::string::npos && dot > 0 &&
                           std::all_of(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(dot),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
      if (!box && !counted) return;
      const std::size_t count = question["choices"].size();
      note(path + ".choices");
      note(path + ".choices[" + std::to_string(count) + "]");
      if (box && now[3] != ' ') question["right"] = count;
      question["choices"].push_back(by_language(now.substr(box ? 6 : dot + 2)));
    }
  }

  /// "one | zh: 一"
  static Json by_language(const std::string& text) {
    Json words = Json::object();
    std::istringstream parts(text);
    std::string language, rest;
    for (std::string part; std::getline(parts, part, '|');) {
      part = trimmed(part);
      const bool tagged = begins_language(part, language, rest);
      words[tagged ? language : "en"] = tagged ? rest : part;
    }
    return words;
  }

  const std::string& subject_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  LessonText text_;
};

}  // namespace

bool is_markdown(const std::string& path) {
  std::string low = path;
  std::ranges::transform(low, low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low.ends_with(".md") || low.ends_with(".markdown");
}

std::string LessonText::with_line(const std::string& sentence) const {
  for (std::string path = sentence.substr(0, sentence.find(": ")); !path.empty();
       path.erase(std::min(path.find_last_of(".["), path.size()))) {
    const auto found = lines.find(path);
    if (found != lines.end()) return "line " + std::to_string(found->second) + ": " + sentence;
    if (path.find_last_of(".[") == std::string::npos) break;
  }
  return sentence;
}

LessonText lesson_from_markdown(const std::string& markdown, const std::string& subject) {
  return Reader(markdown, subject).read();
}

LessonText read_lesson_text(const std::string& path) {
  if (!is_markdown(path)) return {read_json(path)};
  const std::string text = whole_text(path, 8'000'000);
  if (!is_utf8(text)) throw FileError(path, "is not text", "expected Markdown in UTF-8");
  return lesson_from_markdown(text, path);
}

}  // namespace headlight
