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

std::vector<std::string> Bug::mended_code() const {
  std::vector<std::string> lines(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(line));
  lines.insert(lines.end(), mended.begin(), mended.end());
  lines.insert(lines.end(), code.begin() + static_cast<std::ptrdiff_t>(line) + 1, code.end());
  return lines;
}

std::size_t Course::questions() const {
  std::size_t count = 0;
  for (const LessonStep& step : steps) count += step.question ? 1 : 0;
  return count;
}

std::vector<std::string> Course::languages() const {
  std::vector<const Texts*> all{&card.title, &card.description};
  for (const LessonStep& step : steps) {
    all.push_back(&step.text);
    if (!step.title.empty()) all.push_back(&step.title);
    if (!step.notes.empty()) all.push_back(&step.notes);
    if (!step.question) continue;
    all.push_back(&step.question->ask);
    all.push_back(&step.question->why);
    for (const Texts& choice : step.question->choices) all.push_back(&choice);
  }
  std::set<std::string> languages;
  for (const auto& [language, unused] : card.title) languages.insert(language);
  for (const Texts* words : all) {
    std::erase_if(languages, [&](const std::string& language) { return !words->contains(language); });
  }
  return {languages.begin(), languages.end()};
}

}  // namespace headlight
