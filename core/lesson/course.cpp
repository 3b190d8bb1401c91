#include "core/lesson/course.h"

#include <algorithm>
#include <set>

namespace headlight {
std::vector<ProseRun> LessonStep::runs(const std::string& language) const {
  const auto found = text.find(language);
  const std::string& words = found != text.end() ? found->second : text.contains("en") ? text.at("en") : language;
  std::vector<ProseRun> runs;
  bool code = false;
  const auto plain = [&]() -> std::string& {
    if (runs.empty() || runs.back().stage || runs.back().number || runs.back().code != code) {
      runs.emplace_back();
      runs.back().code = code;
    }
    return runs.back().words;
  };
  // Where the marks come next, found once and not again from each bracket before them.
  struct Next {
    const std::string& text;
    const char* mark;
    std::size_t at = 0;
    std::size_t from(std::size_t place) {
      if (at != std::string::npos && at <= place) at = text.find(mark, place);
      return at;
    }
  };
  Next stage_mark{words, "](stage:"}, round{words, ")"}, brace{words, "}"};
  std::size_t longest_name = 0;
  for (const Claim& claim : claims) longest_name = std::max(longest_name, claim.name.size());
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == '`') {
      code = !code;
      continue;
    }
    const std::size_t middle = words[at] == '[' ? stage_mark.from(at) : std::string::npos;
    const std::size_t end = middle == std::string::npos ? middle : round.from(middle);
    if (end != std::string::npos) {
      const std::string stage = words.substr(middle + 8, end - middle - 8);
      runs.push_back({words.substr(at + 1, middle - at - 1), stage_named(stage)});
      at = end;
      continue;
    }
    const std::size_t close = words[at] == '{' ? brace.from(at) : std::string::npos;
    const std::string name = close == std::string::npos || close - at - 1 > longest_name
                                 ? std::string()
                                 : words.substr(at + 1, close - at - 1);
    const auto claim = std::ranges::find(claims, name, &Claim::name);
    if (close != std::string::npos && claim != claims.end()) {
      const bool one = claim->measure.take == Taking::value && claim->measure.minus.empty() && !claim->scenario;
      runs.push_back({claim->is, {}, true, false, one ? cell_place(claim->measure.of) : std::nullopt});
      at = close;
    } else {
      plain() += words[at];
    }
  }
  return runs;
}

std::string LessonStep::prose(const std::string& language) const {
  std::string all;
  for (const ProseRun& run : runs(language)) all += run.words;
  return all;
}

std::size_t Course::questions() const {
  std::size_t count = 0;
  for (const LessonStep& step : steps) count += step.question ? 1 : 0;
  return count;
}

namespace {

struct PlacedText {
  std::string path;
  const Texts* words;
};

/// Every text of the lesson that is not empty in all languages.
std::vector<PlacedText> texts_of(const Course& course) {
  std::vector<PlacedText> all{{"$.title", &course.card.title}, {"$.description", &course.card.description}};
  for (const LessonStep& step : course.steps) {
    all.push_back({step.path + ".text", &step.text});
    if (!step.title.empty()) all.push_back({step.path + ".title", &step.title});
    if (!step.notes.empty()) all.push_back({step.path + ".notes", &step.notes});
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

}  // namespace headlight
