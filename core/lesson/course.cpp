#include "core/lesson/course.h"

#include <set>

namespace headlight {
namespace {

/// "[scores](stage:scores)" as "scores".
std::string without_links(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t middle = text[at] == '[' ? text.find("](stage:", at) : std::string::npos;
    const std::size_t end = middle == std::string::npos ? middle : text.find(')', middle);
    if (end == std::string::npos) {
      plain += text[at];
      continue;
    }
    plain += text.substr(at + 1, middle - at - 1);
    at = end;
  }
  return plain;
}

}  // namespace

std::string LessonStep::prose(const std::string& language) const {
  const auto found = text.find(language);
  std::string words = found != text.end() ? found->second : text.contains("en") ? text.at("en") : "";
  for (const Claim& claim : claims) {
    const std::string name = "{" + claim.name + "}";
    for (std::size_t at = words.find(name); at != std::string::npos; at = words.find(name, at + claim.is.size())) {
      words.replace(at, name.size(), claim.is);
    }
  }
  return without_links(words);
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
