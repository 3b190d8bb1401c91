#include "ui/frame/translated.h"

#include <unordered_map>

#include "ui/look/error_translation.h"

namespace headlight {
namespace {

/// In a language: its sentences, and what was said of late.
struct SaidSentences {
  explicit SaidSentences(const std::string& language) : say(language) {}
  ErrorTranslation say;
  std::unordered_map<std::string, std::string> kept;
};

}  // namespace

const std::string& translated(const Frame& frame, const std::string& sentence) {
  const std::string& language = frame.words.language();
  if (language == "en") return sentence;
  auto& sentences = frame.pictures.get<SaidSentences>([&] { return SaidSentences(language); }, language);
  if (const auto found = sentences.kept.find(sentence); found != sentences.kept.end()) return found->second;
  return sentences.kept.emplace(sentence, sentences.say(sentence)).first->second;
}

}  // namespace headlight
