// The next word that a person names: as text, after a line of text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/compute/network/network.h"

namespace headlight {

/// The token of a user's word as a continuation of a line of text: "is" is GPT-2's "␣is" after a word, otherwise "is".
/// Throws SettingError named `option` for a word that is not in the vocabulary, or is several tokens.
Token next_token(const Network& network, const std::string& line, const std::string& word, std::string_view option);

/// The line of the batch entry; "" if it cannot be reconstructed.
std::string line_of(const NetworkRun& run, Index batch);
/// A word, and optionally one whose logit is subtracted.
struct AskedWord {
  Token word;
  std::optional<Token> other;
  std::optional<Index> other_id() const { return other ? std::optional(other->id) : std::nullopt; }
  /// "is", "is − are"
  std::string text() const { return other ? word.text + " − " + other->text : word.text; }
};
/// Parses "is" or "is,are"; a single comma is a word. Throws like next_token().
AskedWord asked_word(const Network& network, const std::string& line, const std::string& words,
                     std::string_view option);
/// The same after the batch entry's line; "" means the most likely next word.
AskedWord asked_word(const NetworkRun& run, Index batch, const std::string& words, std::string_view option);

}  // namespace headlight
