// What goes wrong, in the window's language. core says it in English, "SUBJECT: what is wrong; what was expected"; a
// language's file has its sentences under "errors", each by the English one with {0}, {1}, … for what differs:
//   "\"{0}\" is no layer of this network": "这个网络没有“{0}”层"
// A part of a sentence may itself be one ("expected {0}" and "a list of names"). Two entries say how parts are joined:
// "{0}: {1}" and "{0}; {1}".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ui/look/words.h"

namespace headlight {

class Said {
 public:
  using Templates = std::map<std::string, std::string>;
  /// Those of assets/translations/LANGUAGE.json; none where it has none, as English.
  explicit Said(const std::string& language);
  explicit Said(const Templates& templates);

  /// The sentence in this language. Of several readings that which explains most of the text holds; what no template
  /// fits stays as it is, as do names in quotation marks. For each sentence once, not for each frame.
  std::string operator()(std::string_view sentence) const;

 private:
  /// A template taken apart at its slots: fixed[0], slot 0, fixed[1], …
  struct Form {
    struct Slot {
      std::size_t number = 0;
      char quote = '\0';  ///< the mark that stands on both sides of it
    };
    std::vector<std::string> fixed;
    std::vector<Slot> slots;
    std::size_t longest = 0;        ///< of `fixed`
    int letters = 0;                ///< of what is fixed
    std::vector<std::string> here;  ///< the same of the translation
    std::vector<std::size_t> places;
  };
  class Reading;

  void add(const std::string& english, const std::string& translated);

  std::unordered_map<std::string, std::string> whole_;  ///< without slots
  std::vector<Form> forms_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_word_;  ///< the forms that begin with a whole word
  std::vector<std::size_t> others_;
  std::string subject_ends_ = ": ", clause_ends_ = "; ";
};

/// One sentence in the language of `words`. It reads the language's file: for what is said rarely; a frame has said()
/// of ui/frame/said.h.
std::string in_words(const Words& words, const std::string& sentence);

}  // namespace headlight
