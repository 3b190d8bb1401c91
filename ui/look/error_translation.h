// Translation of core's error sentences, "SUBJECT: what is wrong; what was expected". A language's file has them under
// "errors", keyed by the English sentence with {0}, {1}, … for the variable parts: "\"{0}\" is no layer of this
// network": "这个网络没有“{0}”层". A variable part may be a translatable sentence itself. Two entries say how parts are
// joined: "{0}: {1}" and "{0}; {1}".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ui/look/words.h"

namespace headlight {

class ErrorTranslation {
 public:
  using Templates = std::map<std::string, std::string>;
  /// The templates of assets/translations/LANGUAGE.json; none for English.
  explicit ErrorTranslation(const std::string& language);
  explicit ErrorTranslation(const Templates& templates);

  /// The translated sentence. If several templates match, the one that explains most of the text wins. Text that no
  /// template matches, and quoted names, stay as they are. Slow: call once per sentence, not per frame.
  std::string operator()(std::string_view sentence) const;

 private:
  /// A template split at its slots: fixed[0], slot 0, fixed[1], …
  struct Form {
    struct Slot {
      std::size_t number = 0;
      char quote = '\0';  ///< the quotation mark on both sides of it
    };
    std::vector<std::string> fixed;
    std::vector<Slot> slots;
    std::size_t longest = 0;        ///< the longest of `fixed`
    int letters = 0;                ///< number of letters in `fixed`
    std::vector<std::string> here;  ///< the translation, split in the same way
    std::vector<std::size_t> places;
  };
  class Reading;

  void add(const std::string& english, const std::string& translated);

  std::unordered_map<std::string, std::string> whole_;  ///< templates without slots
  std::vector<Form> forms_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_word_;  ///< templates that begin with a whole word
  std::vector<std::size_t> others_;
  std::string subject_ends_ = ": ", clause_ends_ = "; ";
};

/// Translates one sentence. Reads the language's file each time; within a frame use translated() of
/// ui/frame/translated.h.
std::string translated_error(const Words& words, const std::string& sentence);

}  // namespace headlight
