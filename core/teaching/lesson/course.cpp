#include "core/teaching/lesson/course.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "core/base/assets/assets.h"
#include "core/base/files/places.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/rules/mask/evaluate.h"
#include "core/scenario/settings/lesson_markdown.h"

namespace headlight {
namespace {

/// Finds a mark in a text; called with ascending positions, it searches the text only once.
struct MarkSearch {
  const std::string& text;
  const char* mark;
  std::size_t at = 0;
  /// The position of the first mark after `start`; npos if there is none.
  std::size_t next_after(std::size_t start) {
    if (at != std::string::npos && at <= start) at = text.find(mark, start);
    return at;
  }
};

}  // namespace

std::vector<ProseRun> LessonStep::runs(const std::string& language, const std::vector<std::string>& numbers) const {
  const std::string& words = in_language(text, language);
  std::vector<ProseRun> runs;
  bool code = false;
  const auto plain = [&]() -> std::string& {
    if (runs.empty() || runs.back().stage || runs.back().number || runs.back().code != code) {
      runs.emplace_back();
      runs.back().code = code;
    }
    return runs.back().words;
  };
  MarkSearch stage_mark{words, "](stage:"}, round{words, ")"}, brace{words, "}"};
  std::size_t longest_name = 0;
  for (const Claim& claim : claims) longest_name = std::max(longest_name, claim.name.size());
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == '`') {
      code = !code;
      continue;
    }
    const std::size_t middle = words[at] == '[' ? stage_mark.next_after(at) : std::string::npos;
    const std::size_t end = middle == std::string::npos ? middle : round.next_after(middle);
    if (end != std::string::npos) {
      const std::string stage = words.substr(middle + 8, end - middle - 8);
      runs.push_back({words.substr(at + 1, middle - at - 1), stage_named(stage)});
      at = end;
      continue;
    }
    const std::size_t close = words[at] == '{' ? brace.next_after(at) : std::string::npos;
    const std::string name = close == std::string::npos || close - at - 1 > longest_name
                                 ? std::string()
                                 : words.substr(at + 1, close - at - 1);
    const auto claim = std::ranges::find(claims, name, &Claim::name);
    if (close != std::string::npos && claim != claims.end()) {
      const bool one = claim->measure.take == Taking::value && claim->measure.minus.empty() && !claim->scenario;
      const auto number = static_cast<std::size_t>(claim - claims.begin());
      runs.push_back({number < numbers.size() ? numbers[number] : claim->is,
                      {},
                      true,
                      false,
                      one ? cell_place(claim->measure.of) : std::nullopt});
      at = close;
    } else {
      plain() += words[at];
    }
  }
  return runs;
}

std::vector<std::string> LessonStep::numbers_in(const Trace& trace, const Trace* beside) const {
  std::vector<std::string> numbers;
  for (const Claim& claim : claims) {
    const Trace* const run = claim.measure.wrong ? beside : &trace;
    numbers.push_back(claim.is);
    if (claim.scenario || is_of_run(claim.measure.take) || run == nullptr) continue;
    try {
      const double value = measured(claim.measure, *run);
      if (!says(claim.is, value)) numbers.back() = as_shown(claim.is, value);
    } catch (const InputError&) { numbers.back() = "?"; }  // the cell is gone with the new sizes
  }
  return numbers;
}

std::string LessonStep::prose(const std::string& language) const {
  std::string all;
  for (const ProseRun& run : runs(language)) all += run.words;
  return all;
}

std::size_t Course::questions() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const LessonStep& step) { return step.question.has_value(); }));
}

namespace {

struct PlacedText {
  std::string path;
  const Texts* words;
};

/// Every non-empty text of the lesson, in all languages.
std::vector<PlacedText> texts_of(const Course& course) {
  std::vector<PlacedText> all{{"$.title", &course.card.title}, {"$.description", &course.card.description}};
  for (const LessonStep& step : course.steps) {
    all.push_back({step.path + ".text", &step.text});
    if (!step.title.empty()) all.push_back({step.path + ".title", &step.title});
    if (!step.notes.empty()) all.push_back({step.path + ".notes", &step.notes});
    for (const Try& each : step.pose.tries) all.push_back({step.path + ".pose.tries", &each.words});
    if (!step.question) continue;
    const std::string question = step.path + ".question";
    all.push_back({question + ".ask", &step.question->ask});
    all.push_back({question + ".why", &step.question->why});
    for (const Texts& choice : step.question->choices) all.push_back({question + ".choices", &choice});
  }
  return all;
}

}  // namespace

std::vector<std::string> Course::languages() const {
  std::set<std::string> languages;
  for (const auto& [language, unused] : card.title) languages.insert(language);
  for (const PlacedText& text : texts_of(*this))
    std::erase_if(languages, [&](const std::string& language) { return !text.words->contains(language); });
  return {languages.begin(), languages.end()};
}

std::vector<std::string> Course::untranslated() const {
  const std::vector<PlacedText> all = texts_of(*this);
  std::set<std::string> languages;
  for (const PlacedText& text : all) {
    for (const auto& [language, unused] : *text.words) languages.insert(language);
  }
  std::vector<std::string> lacking;
  for (const std::string& language : languages) {
    for (const PlacedText& text : all) {
      const std::string line = language + ": " + text.path;
      if (!text.words->contains(language) && (lacking.empty() || lacking.back() != line)) lacking.push_back(line);
    }
  }
  return lacking;
}

bool is_lesson_file(const std::string& path) { return path.ends_with(".json") || is_markdown(path); }

Course read_course(const std::string& path) { return course_from(read_lesson_text(path).json, path, nullptr); }

std::vector<Course> shipped_courses() {
  std::vector<Course> courses;
  for (const char* folder : {"lessons/course", "lessons/bugs"}) {
    for (const std::string& file : lesson_files(asset(folder))) courses.push_back(read_course(file));
  }
  return courses;
}

std::vector<Course> own_courses(std::vector<Message>* troubles) {
  std::vector<Course> courses;
  for (const std::filesystem::path& folder : own_data_folders()) {
    for (const std::string& file : lesson_files(folder / "lessons")) {
      try {
        courses.push_back(read_course(file));
        courses.back().own = true;
      } catch (const InputError& error) {
        if (troubles == nullptr) throw;
        troubles->push_back(error.message());
      }
    }
  }
  return courses;
}

Course course_named(const std::string& id_or_path) {
  if (is_lesson_file(id_or_path)) return read_course(id_or_path);
  const std::string id = id_or_path.starts_with("lesson:") ? id_or_path.substr(7) : id_or_path;
  std::string ids;
  const auto look_in = [&](std::vector<Course> courses) -> std::optional<Course> {
    for (Course& course : courses) {
      if (course.card.id == id) return std::move(course);
      ids += (ids.empty() ? "" : ", ") + course.card.id;
    }
    return std::nullopt;
  };
  std::vector<Message> troubles;  // of other files
  if (auto found = look_in(shipped_courses())) return std::move(*found);
  if (auto found = look_in(own_courses(&troubles))) return std::move(*found);
  throw SettingError(Message("lesson:{0}", id), "no such lesson with steps",
                     Message("expected a .json or .md file, or one of {0}", ids));
}

std::string as_shown(const std::string& shown, double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  const std::size_t end = shown.find_last_not_of("% ");
  const std::string unit = end == std::string::npos ? "" : shown.substr(end + 1);
  const double size = std::abs(unit.find('%') == std::string::npos ? value : 100 * value);
  const std::size_t point = shown.find('.');
  const bool whole = point == std::string::npos && size == std::round(size);
  int decimals = point == std::string::npos ? 0 : static_cast<int>(end - point);
  if (size > 0 && !whole)
    decimals = std::max(decimals, std::min(1 - static_cast<int>(std::floor(std::log10(size))), 6));
  const std::string digits = formatted("%.*f", decimals, size);
  return (value < 0 && digits.find_first_of("123456789") != std::string::npos ? "−" : "") + digits + unit;
}

std::string number_words(double value) {
  const double size = std::abs(value);
  return (std::signbit(value) ? "−" : "") +
         (size == std::round(size) ? formatted("%.0f", size) : formatted("%.3g", size));
}

Tensor allowed_cells(const std::string& expression, const Trace& trace) {
  const Dims& dims = trace.dims();
  MaskContext context;
  context.batch = dims.batch;
  context.heads = dims.heads;
  context.n_q = dims.n_q;
  context.n_k = dims.n_k;
  context.valid_lens = trace.inputs.valid_lens;
  context.grid = trace.inputs.grid;
  return evaluate(MaskExpression::parse(expression), context)
      .expand({dims.batch, dims.heads, dims.n_q, dims.n_k})
      .contiguous();
}

}  // namespace headlight
