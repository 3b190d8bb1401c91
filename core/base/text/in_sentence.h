// A word of the user's text inside a sentence of the program.
#pragma once

#include <string>

namespace headlight {

/// In quotation marks if it is only punctuation, digits and signs, which would be read as part of the sentence: “.”,
/// “1”. A piece that continues a word, "##y" as WordPiece writes it, becomes "…y". Words with letters and the names of
/// patches ("6,1") stay as they are.
std::string in_sentence(std::string word);

}  // namespace headlight
