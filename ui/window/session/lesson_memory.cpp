#include "ui/window/session/lesson_memory.h"

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/files/own_files.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "ui/views/lessons/lesson_canvas.h"
#include "ui/views/lessons/lesson_panel.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

Json answer_json(const LessonAnswer& answer) {
  Json json{{"revealed", answer.revealed}, {"right", answer.right}};
  if (answer.chosen) json["chosen"] = *answer.chosen;
  if (!answer.ordered.empty()) json["ordered"] = answer.ordered;
  if (!answer.typed.empty()) json["typed"] = answer.typed;
  if (!answer.row.empty()) json["row"] = answer.row;
  if (!answer.cells.empty()) json["cells"] = answer.cells;
  if (answer.head) json["head"] = {answer.head->first, answer.head->second};
  if (answer.stage) json["stage"] = std::string(name(*answer.stage));
  return json;
}

LessonAnswer answer_from(const Json& json) {
  LessonAnswer answer;
  answer.revealed = json.at("revealed").get<bool>();
  answer.right = json.at("right").get<bool>();
  if (json.contains("chosen")) answer.chosen = json["chosen"].get<std::size_t>();
  if (json.contains("ordered")) answer.ordered = json["ordered"].get<std::vector<std::size_t>>();
  if (json.contains("typed")) answer.typed = json["typed"].get<std::string>();
  if (json.contains("row")) answer.row = json["row"].get<std::vector<float>>();
  if (json.contains("cells")) answer.cells = json["cells"].get<std::vector<bool>>();
  if (json.contains("head")) answer.head = {json["head"].at(0).get<Index>(), json["head"].at(1).get<Index>()};
  if (json.contains("stage")) answer.stage = stage_named(json["stage"].get<std::string>());
  return answer;
}

Json progress_json(const LessonProgress& progress) {
  Json answers = Json::object();
  for (const auto& [step, answer] : all_answers(progress)) answers[std::to_string(step)] = answer_json(answer);
  return {{"headlight", 1}, {"step", progress.step}, {"furthest", progress.furthest}, {"answers", answers}};
}

LessonProgress progress_from(const Json& json) {
  LessonProgress progress;
  progress.step = json.at("step").get<std::size_t>();
  progress.furthest = json.at("furthest").get<std::size_t>();
  for (const auto& [step, answer] : json.at("answers").items())
    progress.answers[std::stoul(step)] = answer_from(answer);
  // The answer of that step is restored when the step is shown.
  return progress;
}

/// Discarded if it is not there or damaged.
Json read_memory(const std::filesystem::path& file) {
  constexpr std::size_t largest = 16 << 20;
  return Json::parse(read_own_file(file, largest).value_or(""), nullptr, false);
}

std::optional<LessonProgress> progress_in(const Json& json) {
  try {
    if (json.is_object()) return progress_from(json);
  } catch (const std::exception&) {}
  return {};
}

LessonStanding standing_of(const LessonProgress& progress) {
  LessonStanding standing{progress.step, std::max(progress.furthest, progress.step), 0, 0};
  for (const auto& [step, answer] : all_answers(progress)) {
    standing.answered += answer.revealed ? 1 : 0;
    standing.right += answer.revealed && answer.right ? 1 : 0;
  }
  return standing;
}

/// Whether the stored parts are equal.
bool same(const LessonProgress& a, const LessonProgress& b) {
  return a.step == b.step && a.furthest == b.furthest && all_answers(a) == all_answers(b);
}

constexpr const char* answers_mark = "headlight_answers";

[[noreturn]] void no_answers(const std::string& path, const char* what) {
  throw FileError(path, what, "expected answers to lessons that Headlight saved");
}

/// Throws FileError; files of another kind are not overwritten.
void write_answers(const std::string& path, const LessonAnswers& answers) {
  std::error_code none;
  if (std::filesystem::exists(path_from(path), none) && !is_answers_file(path))
    throw FileError(path, "is another kind of file", "expected a new name, or a file of answers");
  if (!path.ends_with(".json")) throw FileError(path, "is no name for answers", "expected one that ends in .json");
  Json lessons = Json::object();
  for (const auto& [lesson, progress] : answers.lessons) lessons[lesson] = progress_json(progress);
  Json json{{answers_mark, 1}};
  if (!answers.open.empty()) json["open"] = answers.open;
  if (!answers.file.empty()) json["file"] = answers.file;
  json["lessons"] = lessons;
  write_whole_file(path_from(path), json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

std::string progress_text(const LessonProgress& progress) { return progress_json(progress).dump(); }

LessonProgress progress_from_text(const std::string& text) { return progress_from(Json::parse(text)); }

LessonMemory::LessonMemory(std::filesystem::path folder) : folder_(std::move(folder)) { read_standings(); }

/// A lesson's id may contain any characters.
std::filesystem::path LessonMemory::file_of(const std::string& lesson) const {
  std::string name;
  constexpr const char* digits = "0123456789abcdef";
  for (const char c : lesson) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (plain) name += c;
    else (((name += '_') += digits[byte >> 4]) += digits[byte & 15]);
  }
  return folder_ / (name + ".json");
}

void LessonMemory::read_standings() {
  auto standings = std::make_shared<LessonStandings>();
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    const Json json = read_memory(entry.path());
    if (!json.is_object() || !json.contains("lesson") || !json["lesson"].is_string()) continue;
    if (const auto progress = progress_in(json))
      (*standings)[json["lesson"].get<std::string>()] = standing_of(*progress);
  }
  standings_ = std::move(standings);
}

LessonProgress LessonMemory::recall(const std::string& lesson) const {
  return progress_in(read_memory(file_of(lesson))).value_or(LessonProgress{});
}

std::shared_ptr<const LessonStandings> LessonMemory::keep(const Document& document) {
  const std::string& lesson = document.origin.lesson.id;
  const LessonProgress& now = document.view.lesson;
  if (document.origin.lesson.course.empty() || lesson.empty()) return standings_;
  if (lesson == kept_lesson_ && same(now, kept_)) return standings_;
  kept_lesson_ = lesson;
  kept_ = now;
  if (now.furthest == 0 && all_answers(now).empty()) return standings_;  // opened, but nothing was answered
  auto standings = std::make_shared<LessonStandings>(*standings_);
  (*standings)[lesson] = standing_of(now);
  standings_ = std::move(standings);
  write(lesson, now);
  return standings_;
}

void LessonMemory::write(const std::string& lesson, const LessonProgress& progress) const {
  Json json = progress_json(progress);
  json["lesson"] = lesson;
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  write_own_file(file_of(lesson), text);  // if it fails, the progress is lost when the program ends
}

void LessonMemory::put(const std::string& lesson, const LessonProgress& progress) {
  write(lesson, progress);
  kept_lesson_.clear();
  read_standings();
}

std::map<std::string, LessonProgress> LessonMemory::recall_all() const {
  std::map<std::string, LessonProgress> all;
  for (const auto& [lesson, unused] : *standings_) all[lesson] = recall(lesson);
  return all;
}

void LessonMemory::forget(const std::string& lesson) {
  std::error_code none;
  if (!lesson.empty()) {
    std::filesystem::remove(file_of(lesson), none);
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
      if (entry.path().extension() == ".json") std::filesystem::remove(entry.path(), none);
    }
  }
  kept_lesson_.clear();
  read_standings();
}

bool is_answers_file(const std::string& path) {
  if (!path.ends_with(".json")) return false;
  std::ifstream stream(path_from(path), std::ios::binary);
  char beginning[64] = {};
  stream.read(beginning, sizeof beginning - 1);
  return std::string_view(beginning).find(answers_mark) != std::string_view::npos;
}

LessonAnswers read_answers(const std::string& path) {
  std::ifstream stream(path_from(path), std::ios::binary);
  if (!stream) no_answers(path, "cannot be read");
  const Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains(answers_mark)) no_answers(path, "is no file of answers");
  LessonAnswers answers;
  try {
    if (json.contains("open")) answers.open = json["open"].get<std::string>();
    if (json.contains("file")) answers.file = json["file"].get<std::string>();
    for (const auto& [lesson, progress] : json.at("lessons").items()) answers.lessons[lesson] = progress_from(progress);
    if (!answers.open.empty()) answers.lessons[answers.open];  // opened, but nothing was answered
  } catch (const std::exception&) { no_answers(path, "is damaged"); }
  return answers;
}

bool lesson_refuses(Document& document, const Words& words, const Action& action) {
  if (!hides_what_is_taken(document, action)) return false;
  document.error = words("lesson.hidden");
  return true;
}

void LessonSession::remember_in(const std::filesystem::path& folder) {
  memory_ = std::make_unique<LessonMemory>(folder);
}

void LessonSession::keep(Document& document) {
  if (memory_) document.standings = memory_->keep(document);
}

void LessonSession::recall(Document& document, bool step_said) const {
  if (!memory_ || document.origin.lesson.course.empty()) return;
  LessonProgress progress = memory_->recall(document.origin.lesson.id);
  const std::size_t step = step_said ? document.view.lesson.step : progress.step;
  begin_lesson(document, step, std::move(progress));
}

void LessonSession::rejoin(Document& document) const {
  const Lesson& lesson = document.origin.lesson;
  if (memory_ && !lesson.course.empty())
    document.view.lesson = with_answers_of(std::move(document.view.lesson), memory_->recall(lesson.id));
}

void LessonSession::go_to_step(Document& document, Pictures& pictures, std::size_t step) const {
  if (const Course* course = open_course(document, pictures)) show_step(document, *course, step);
}

void LessonSession::reset(Document& document, Pictures& pictures, const Words& words, bool all) {
  if (memory_) memory_->forget(all ? std::string() : document.origin.lesson.id);
  const std::size_t step = all ? document.view.lesson.step : 0;
  document.view.lesson = {};
  if (!document.origin.lesson.course.empty()) go_to_step(document, pictures, step);
  document.notice = words(all ? "lesson.forgotten_all" : "lesson.forgotten");
}

void LessonSession::save_answers(Document& document, const Words& words, const std::string& path) const {
  LessonAnswers answers;
  if (memory_) answers.lessons = memory_->recall_all();
  const Lesson& lesson = document.origin.lesson;
  if (!lesson.course.empty()) {
    answers.lessons[lesson.id] = document.view.lesson;
    answers.open = lesson.id;
    answers.file = utf8_from(std::filesystem::absolute(path_from(lesson.course)));
  }
  write_answers(path, answers);
  document.view.saving_answers.reset();
  document.notice = words.fill("lesson.answers_saved", {path});
}

void LessonSession::open_answers(Document& document, Opener& opener, Pictures& pictures, const Words& words,
                                 const std::string& path) {
  const LessonAnswers answers = read_answers(path);
  if (memory_) {
    for (const auto& [lesson, progress] : answers.lessons) memory_->put(lesson, progress);
    keep(document);
  }
  if (!answers.open.empty()) {
    const std::vector<Lesson>& known = shown_lessons(pictures);
    const bool ships = std::ranges::any_of(known, [&](const Lesson& lesson) { return lesson.id == answers.open; });
    opener.open(document, ships ? "lesson:" + answers.open : answers.file, true);
    if (document.origin.lesson.id == answers.open) {
      LessonProgress progress = answers.lessons.at(answers.open);
      const std::size_t step = progress.step;
      begin_lesson(document, step, std::move(progress));
    }
  }
  document.view.kind = answers.open.empty() ? ViewKind::lesson : document.view.kind;
  document.notice = words.fill("lesson.answers_opened", {file_name_of(path), answers.lessons.size()});
}

}  // namespace headlight
