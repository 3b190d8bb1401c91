// Cutting a text into the words that a model knows tokens for. Names in quotes are those of tokenizer.json.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct TextPiece {
  std::string text;
  bool first = true;  ///< begins the line
};
using PreTokenizer = std::function<std::vector<TextPiece>(const TextPiece&)>;

/// How long the first word of a text is, in bytes; 1 or more. The text is not empty.
using WordLength = std::function<std::size_t(std::string_view)>;
/// GPT-2's: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2_word(std::string_view text);
/// GPT-4's, which LLaMA 3 and Qwen 2 took over, with so many digits in a word at most:
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t gpt4_word(std::string_view text, std::size_t most_digits);

/// "Split", by one of the above.
PreTokenizer words_by(WordLength length);
/// "ByteLevel": every byte as a character that can be printed, as GPT-2's vocabulary spells it.
PreTokenizer byte_level(bool blank_first, bool into_words);
/// "BertPreTokenizer": blanks go, punctuation marks are words.
PreTokenizer bert_words();
/// "Whitespace": blanks go, runs of other signs than those of words are words (\w+|[^\w\s]+).
PreTokenizer signs_apart();
/// "WhitespaceSplit": blanks go.
PreTokenizer between_blanks();
/// "Metaspace": blanks as `mark`, one more in front of the line or of every piece of it; cut before each if `split`.
enum class MarkFirst { always, first, never };
PreTokenizer metaspace(std::string mark, MarkFirst in_front, bool split);

/// A token's byte-level spelling as text, a blank as "␣"; bytes that are no text stay spelled.
std::string readable_bytes(const std::string& spelled);

}  // namespace headlight
