// Cutting a text into the words that a model knows tokens for. Names in quotes are those of tokenizer.json.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/tokenizer/pattern.h"

namespace headlight {

struct TextPiece {
  std::string text;
  bool first = true;  ///< begins the line
};
using PreTokenizer = std::function<std::vector<TextPiece>(const TextPiece&)>;

/// Where a text is split.
using Matcher = std::function<Stretches(std::string_view)>;
/// At each character of that kind.
Matcher each_character_that(bool (*is)(char32_t));
/// At each occurrence of `part`.
Matcher each_place_of(std::string part);
Matcher each_match(TextPattern pattern);

/// What becomes of a match ("behavior").
enum class Cut { removed, isolated, merged_with_previous, merged_with_next, contiguous };
/// "Split". `inverted`: the text between the matches counts as the matches.
PreTokenizer splitting(Matcher matcher, Cut cut, bool inverted = false);

/// The expressions that split words in GPT-2, LLaMA 3 (with the most digits of a word; Qwen 2 has one), GPT-4o and
/// DeepSeek 3 (several, applied in order).
inline constexpr const char* gpt2_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
std::string llama3_words(int most_digits);
inline constexpr const char* gpt4o_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
std::vector<std::string> deepseek3_words();
/// Splits by one of these expressions, each match a word.
PreTokenizer words_by(const std::string& expression);

/// "ByteLevel": every byte as a character that can be printed, as GPT-2's vocabulary spells it.
PreTokenizer byte_level(bool blank_first, bool into_words);
/// "Whitespace": removes spaces; runs of characters that are no word characters are words, too (\w+|[^\w\s]+).
PreTokenizer signs_apart();
/// "WhitespaceSplit": splits at spaces and removes them.
PreTokenizer between_blanks();
/// "Punctuation", as in BERT: every ASCII character that is no letter, digit or space, and Unicode's category.
PreTokenizer punctuation(Cut cut);
/// "Metaspace": spaces become `mark`, one more before the line or every piece of it; splits before each if `split`.
enum class MarkFirst { always, first, never };
PreTokenizer metaspace(std::string mark, MarkFirst in_front, bool split);

/// A token's byte-level spelling as text, a space as "␣"; bytes that are no text stay spelled out.
std::string readable_bytes(const std::string& spelled);
/// The bytes that a byte-level spelling stands for; nothing if a character is not of its alphabet.
std::optional<std::string> bytes_spelled(const std::string& spelled);
/// Bytes as ByteLevel spells them.
std::string spelled_bytes(std::string_view bytes);

}  // namespace headlight
