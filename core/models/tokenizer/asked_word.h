// Which word of a text is asked about, unless somebody chooses one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headlight {

/// Whether a token is a word: it has a letter, a digit, or a sign outside ASCII that is no punctuation mark, and is no
/// mark of the tokenizer such as [SEP] or </s>.
bool is_word(std::string_view token);
/// Whether a token is a pronoun that stands for an earlier word: "it", "herself", "他们".
bool is_pronoun(std::string_view token);

/// The last pronoun that has a word before it, else the last word, else the last token. 0 without tokens.
std::int64_t asked_word(std::span<const std::string> tokens);

}  // namespace headlight
