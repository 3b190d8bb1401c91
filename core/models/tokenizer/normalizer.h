// Normalising a text before it is split into words: text in, text out. Names in quotes are those of tokenizer.json.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text/unicode.h"
#include "core/models/tokenizer/pattern.h"

namespace headlight {

/// Throws FileError if a text grows beyond 4 MB: forty steps that double it would need more than any memory.
using Normalizer = std::function<std::string(const std::string&)>;

/// Throws FileError for more than 4 MB.
void check_grown(std::size_t bytes);

/// "BertNormalizer", as in Devlin et al. 2018.
struct BertCleaning {
  bool clean = true;       ///< removes control characters, every kind of space becomes " "
  bool ideographs = true;  ///< each CJK character is a word
  bool plain = true;       ///< removes accents
  bool lower = true;
};
Normalizer bert_cleaning(BertCleaning what);
/// "Prepend": LLaMA's ▁ before a text that is not empty.
Normalizer prepending(std::string prefix);
/// "Replace", of a string, and of what an expression matches.
Normalizer replacing(std::string from, std::string to);
Normalizer replacing(TextPattern pattern, std::string to);
/// "Lowercase"
Normalizer lower_case();
/// "Strip": removes spaces at the ends.
Normalizer without_ends(bool left, bool right);
/// "StripAccents": removes accents that are separate characters.
Normalizer without_marks();
/// "Nmt": removes control characters; line ends and zero-width spaces become " ".
Normalizer nmt_cleaning();
/// "ByteLevel"
Normalizer byte_spelling();
/// "NFC", "NFD", "NFKC", "NFKD"
Normalizer unicode_form(UnicodeForm form);
/// SentencePiece's precompiled_charsmap: a double array (Aoe 1989) of sequences and their replacements.
class CharsMap {
 public:
  /// Throws FileError about `place`. An empty map replaces nothing.
  CharsMap(std::string bytes, const ErrorPlace& place);
  struct Found {
    std::string_view by;     ///< the replacement
    std::size_t length = 0;  ///< of the replaced text, in bytes; 0: nothing
  };
  enum class Which { shortest, longest };
  /// The replacement of the beginning of the text.
  Found find(std::string_view text, Which which) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string texts_;
};
/// "Precompiled", as in Hugging Face: a whole grapheme is replaced by the replacement of its shortest beginning, else
/// character by character.
Normalizer precompiled(CharsMap map);
/// As in SentencePiece itself: the longest sequence first; spaces are joined and marked.
struct PieceCleaning {
  bool blank_first = true;        ///< "add_dummy_prefix"
  bool blank_last = false;        ///< at the end of the text instead ("treat_whitespace_as_suffix")
  bool join_blanks = true;        ///< "remove_extra_whitespaces"
  bool mark_blanks = true;        ///< as ▁ ("escape_whitespaces")
  std::vector<std::string> kept;  ///< are not changed, the longest first
};
Normalizer sentence_pieces(CharsMap map, PieceCleaning how);
/// "Sequence"
Normalizer one_after_another(std::vector<Normalizer> steps);

}  // namespace headlight
