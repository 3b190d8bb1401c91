// What is done to a text before it is cut into words: text in, text out. Names in quotes are those of tokenizer.json.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/unicode.h"
#include "core/tokenizer/pattern.h"

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
/// "Replace", of a string, and of what an expression matches.
Normalizer replacing(std::string from, std::string to);
Normalizer replacing(Pattern pattern, std::string to);
/// "Lowercase"
Normalizer lower_case();
/// "Strip": blanks at the ends go.
Normalizer without_ends(bool left, bool right);
/// "StripAccents": accents that are characters of their own go.
Normalizer without_marks();
/// "Nmt": control characters go, line ends and blanks without width become " ".
Normalizer nmt_cleaning();
/// "ByteLevel"
Normalizer byte_spelling();
/// "NFC", "NFD", "NFKC", "NFKD"
Normalizer unicode_form(UnicodeForm form);
/// SentencePiece's precompiled_charsmap: a double array (Aoe 1989) of the sequences that are replaced, and by what.
class CharsMap {
 public:
  /// Throws FileError about `place`. None that is empty replaces nothing.
  CharsMap(std::string bytes, const ErrorPlace& place);
  struct Found {
    std::string_view by;     ///< what stands in its place
    std::size_t length = 0;  ///< of what is replaced, in bytes; 0: nothing
  };
  enum class Which { shortest, longest };
  /// What replaces the beginning of the text.
  Found find(std::string_view text, Which which) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string texts_;
};
/// "Precompiled": as Hugging Face has it, a whole grapheme by what replaces its shortest beginning, else character by
/// character.
Normalizer precompiled(CharsMap map);
/// As SentencePiece itself has it: the longest sequence first, blanks joined and marked.
struct PieceCleaning {
  bool blank_first = true;        ///< "add_dummy_prefix"
  bool blank_last = false;        ///< there behind the text ("treat_whitespace_as_suffix")
  bool join_blanks = true;        ///< "remove_extra_whitespaces"
  bool mark_blanks = true;        ///< as ▁ ("escape_whitespaces")
  std::vector<std::string> kept;  ///< stand as they are, the longest first
};
Normalizer sentence_pieces(CharsMap map, PieceCleaning how);
/// "Sequence"
Normalizer one_after_another(std::vector<Normalizer> steps);

}  // namespace headlight
