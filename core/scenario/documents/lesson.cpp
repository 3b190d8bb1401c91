#include "core/scenario/documents/lesson.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <vector>

#include "core/base/assets/assets.h"
#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/files/places.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/json_place.h"
#include "core/scenario/settings/lesson_markdown.h"

namespace headlight {

Lesson read_lesson(const std::string& file) {
  const Json json = read_lesson_text(file).json;
  const Place root{json, "$", file};
  allow_only(root, {"$schema", "kind", "id", "title", "description", "scenario", "bug", "steps"});
  for (const char* field : {"id", "title", "description", "scenario"}) {
    if (!root.has(field)) root.fail(Message("has no {0}", field), "id, title, description and scenario");
  }
  Lesson lesson;
  read(root.at("id"), lesson.id);
  lesson.title = words_at(root.at("title"));
  lesson.description = words_at(root.at("description"));
  lesson.scenario = scenario_at(root.at("scenario"));
  resolve_files(lesson.scenario, file);
  if (root.has("steps")) lesson.course = file;
  return lesson;
}

namespace {

std::vector<Lesson> lessons_in(const std::filesystem::path& folder, std::vector<Message>* troubles) {
  std::vector<Lesson> lessons;
  for (const std::string& file : lesson_files(folder)) {
    try {
      lessons.push_back(read_lesson(file));
    } catch (const InputError& error) {
      if (troubles == nullptr) throw;
      troubles->push_back(error.message());
    }
  }
  return lessons;
}

}  // namespace

bool has_steps(const std::string& file) {
  if (is_markdown(file)) return true;
  const Json json = read_json(file);
  return json.is_object() && json.contains("steps");
}

std::vector<Lesson> shipped_lessons(std::vector<Message>* troubles) { return lessons_in(asset("lessons"), troubles); }

Lesson shipped_lesson(const std::string& id) {
  std::string ids;
  std::vector<Message> troubles;  // mistakes in other lessons, which must not prevent opening this one
  std::vector<std::filesystem::path> folders{asset("lessons"), asset("lessons/course"), asset("lessons/bugs")};
  for (const std::filesystem::path& own : own_data_folders()) {
    std::error_code none;
    if (std::filesystem::is_directory(own / "lessons", none)) folders.push_back(own / "lessons");
  }
  for (const std::filesystem::path& folder : folders) {
    for (Lesson& lesson : lessons_in(folder, &troubles)) {
      if (lesson.id == id) return std::move(lesson);
      ids += (ids.empty() ? "" : ", ") + lesson.id;
    }
  }
  throw SettingError(Message("lesson:{0}", id), "no such lesson", Message("expected one of {0}", ids));
}

namespace {

/// The fields of the lesson, of a step and of a question; all other fields of a step belong to its pose. `worded`
/// fields are texts.
constexpr const char* worded[] = {"title", "description", "notes"};
bool is_worded(const std::string& field) { return std::ranges::find(worded, field) != std::end(worded); }

/// The text as a JSON value, or as a string if it is none.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

/// Whether a line such as "zh: 中文" begins with a language; gives the language and the rest of the line.
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
    for (std::string line; std::getline(stream, line);) lines_.emplace_back(trimmed(line));
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

  /// Sets the field with a dotted name inside `object`.
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

  /// Sets a text, of one language if the name ends with it: "title" or "title.zh".
  void put_words(Json& object, const std::string& path, const std::string& name, const std::string& words) {
    const std::size_t dot = name.find('.');
    const std::string field = name.substr(0, dot);
    note(path + "." + field);
    object[field][dot == std::string::npos ? "en" : name.substr(dot + 1)] = words;
  }

  static std::string field_of(const std::string& name) { return name.substr(0, name.find('.')); }

  /// Whether the line is "name: value".
  bool field(std::string& name, std::string& value) const {
    const std::size_t colon = line().find(':');
    if (colon == std::string::npos) return false;
    name = trimmed(line().substr(0, colon));
    value = trimmed(line().substr(colon + 1));
    return !name.empty() && name.find(' ') == std::string::npos;
  }

  void front_matter() {
    if (ended() || line() != "---")  // another kind of file: its content is not quoted in the error message
      throw FileError(subject_, "line 1 does not begin a lesson", "expected \"---\", the lesson's fields and \"---\"");
    std::string name, value;
    for (++at_; !ended() && line() != "---"; ++at_) {
      if (line().empty()) continue;
      if (!field(name, value)) fail("is no field", "name: value");
      if (field_of(name) == "steps") fail("is no field of a lesson", "\"## \" and a step's title, after the fields");
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

  /// Reads a claim such as "{w}: sum weights:0,0,0,: = 1.00".
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
    std::string of(trimmed(std::string_view(value).substr(0, equals)));
    if (const std::size_t blank = of.find(' '); blank != std::string::npos) {
      put(claims, at, "take", of.substr(0, blank));
      of = std::string(trimmed(std::string_view(of).substr(blank)));
    }
    put(claims, at, "of", of);
    put(claims, at, "is", trimmed(std::string_view(value).substr(equals + 1)));
  }

  /// Reads lines of text up to a heading, a list or a quotation, by language.
  void words(Json& object, const std::string& path, const std::string& field, bool quoted) {
    std::string language = "en", rest;
    std::map<std::string, std::string> texts;
    bool any = false;
    for (; !ended(); ++at_) {
      std::string current = line();
      const bool quote = current.starts_with(">"),
                 item = current.starts_with("- ") ||
                        (current.size() > 2 && std::isdigit(static_cast<unsigned char>(current[0])) != 0 &&
                         current[1] == '.');
      if (current.starts_with("#") || (quoted ? !quote : quote || item)) break;
      if (quoted) current = std::string(trimmed(std::string_view(current).substr(1)));
      if (!current.empty() && !any) note(path + "." + field);
      any = any || !current.empty();
      if (begins_language(current, language, rest)) current = rest;
      std::string& text = texts[language];
      if (!current.empty()) text += (text.empty() ? "" : " ") + current;
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
    put_words(step, path, "title", std::string(trimmed(line().substr(3))));
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

  /// Reads choices: "- [x] right | 对", "1. first".
  void choices(Json& question, const std::string& path) {
    for (skip_blank(); !ended(); ++at_, skip_blank()) {
      const std::string& text = line();
      const bool box = text.starts_with("- [ ] ") || text.starts_with("- [x] ") || text.starts_with("- [X] ");
      const std::size_t dot = text.find(". ");
      const bool counted = dot != std::string::npos && dot > 0 &&
                           std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(dot),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
      if (!box && !counted) return;
      const std::size_t count = question["choices"].size();
      note(path + ".choices");
      note(path + ".choices[" + std::to_string(count) + "]");
      if (box && text[3] != ' ') question["right"] = count;
      question["choices"].push_back(by_language(text.substr(box ? 6 : dot + 2)));
    }
  }

  /// Splits "one | zh: 一" by language.
  static Json by_language(const std::string& text) {
    Json words = Json::object();
    std::istringstream parts(text);
    std::string language, rest;
    for (std::string part; std::getline(parts, part, '|');) {
      part = std::string(trimmed(part));
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
  const std::string low = lowercase(path);
  return low.ends_with(".md") || low.ends_with(".markdown");
}

std::vector<std::string> lesson_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string file = portable_utf8_from(entry.path());
    if (file.ends_with(".json") || is_markdown(file)) files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
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
