// What is done to a text before it is cut into words: text in, text out. Names in quotes are those of tokenizer.json.
#pragma once

#include <functional>
#include <string>

#include "core/text/unicode.h"

namespace headlight {

/// Throws FileError where a text grows beyond 4 MB: forty steps that double it are soon more than any memory.
using Normalizer = std::function<std::string(const std::string&)>;

/// Throws FileError for more than 4 MB.
void check_grown(std::size_t bytes);

/// "BertNormalizer", as in Devlin et al. 2018.
struct BertCleaning {
  bool clean = true;       ///< control characters go, blanks of every kind become " "
  bool ideographs = true;  ///< each CJK character is a word
  bool plain = true;       ///< accents go
  bool lower = true;
};
Normalizer bert_cleaning(BertCleaning what);
/// "Prepend": LLaMA's ▁ before a text that is not empty.
Normalizer prepending(std::string prefix);
/// "Replace", of a string.
Normalizer replacing(std::string from, std::string to);
/// "Lowercase"
Normalizer lower_case();
/// "NFC", "NFD", "NFKC", "NFKD"
Normalizer unicode_form(UnicodeForm form);
/// "Sequence"
Normalizer one_after_another(std::vector<Normalizer> steps);

}  // namespace headlight
