// The tokens of convert_ids_to_tokens() as what they stand for: "ĠMurray" is "␣Murray", "Ã¡n" is "án", "▁the" is
// "␣the", and the three bytes <0xE4> <0xBD> <0xA0> are one letter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

enum class Spelling : std::uint8_t {
  plain,
  bytes,        ///< GPT-2's: a character for each byte, Ġ for a blank
  meta,         ///< SentencePiece's: ▁ for a blank, <0xE4> for a byte
  word_pieces,  ///< BERT's: ## before what continues a word
};

/// How these lines of tokens are spelled: by their Ġ, ▁ and ##, or by letters that are the bytes of others ("Ã¡").
Spelling spelling_of(const std::vector<std::vector<std::string>>& lines);

/// The tokens of a line as they are drawn: " cat" as "␣cat", "##s" as it is, the pieces of one letter as "你 (1/3)".
/// Special tokens stay as they are; a byte of no letter is "<0xE4>".
std::vector<std::string> as_drawn(const std::vector<std::string>& line, Spelling spelling);
/// The same for a line of our own tokenizers, in which only the pieces of letters are still spelled.
std::vector<std::string> with_letters_joined(std::vector<std::string> line);

/// For each token as drawn, the number of its word. A word begins after a blank; a special token, a punctuation mark
/// and an ideograph are words of their own. Empty if no token has a mark (␣, ##) of where words begin.
std::vector<std::size_t> word_numbers(const std::vector<std::string>& drawn);
/// The name of a word from its tokens as drawn.
std::string joined_pieces(const std::vector<std::string>& drawn);

}  // namespace headlight
