#include "core/compute/network/next_word.h"

#include <algorithm>
#include <span>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

/// The tokens that `longer` has more than `shorter`, without the special tokens at the end of every line.
std::vector<Token> added_tokens(const std::vector<Token>& shorter, const std::vector<Token>& longer) {
  const auto first = std::ranges::mismatch(shorter, longer);
  std::size_t end = 0;
  const auto unmatched = static_cast<std::size_t>(shorter.end() - first.in1);
  while (end < unmatched && shorter[shorter.size() - 1 - end].id == longer[longer.size() - 1 - end].id) ++end;
  if (end < unmatched || longer.size() < shorter.size()) return {};  // the tokens of the line itself differ
  return {first.in2, longer.end() - static_cast<std::ptrdiff_t>(end)};
}

bool is_unknown(const std::string& text) { return text == "[UNK]" || text == "<unk>" || text == "<|unk|>"; }

/// Finds a label by its whole name, or by one of the names that it lists, as in "tabby, tabby cat".
Token label_named(const Network& network, const std::string& word, std::string_view option) {
  const std::vector<std::string>& labels = network.spec().labels;
  for (const bool whole : {true, false}) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (whole ? labels[i] == word : (", " + labels[i] + ",").find(", " + word + ",") != std::string::npos)
        return {static_cast<Index>(i), labels[i]};
    }
  }
  constexpr std::size_t most = 8;
  const std::string first_labels = comma_list(std::span(labels).first(std::min(labels.size(), most)));
  throw SettingError(std::string(option), Message("{0} is no label of {1}", in_quotes(word), network.file()),
                     Message("expected one of its labels: {0}", first_labels + (labels.size() > most ? ", …" : "")));
}

}  // namespace

Token next_token(const Network& network, const std::string& line, const std::string& word, std::string_view option) {
  if (network.spec().picture) return label_named(network, word, option);
  const TokenSplitter& splitter = network.tokenizer();
  const std::string typed = replaced(word, "␣", " ");  // as predict prints a blank
  std::vector<std::string> spellings{typed};
  if (!typed.starts_with(' ')) spellings.insert(spellings.begin(), " " + typed);
  std::size_t pieces = 0;
  for (const std::string& before : {line, std::string()}) {
    for (const std::string& spelling : spellings) {
      std::vector<Token> added;
      try {
        added = added_tokens(before.empty() ? std::vector<Token>() : splitter.split(before),
                             splitter.split(before + spelling));
      } catch (const InputError&) { continue; }
      const bool unknown = std::ranges::any_of(added, [](const Token& token) { return is_unknown(token.text); });
      if (added.size() == 1 && !unknown) return added.front();
      if (!unknown && added.size() > 1 && pieces == 0) pieces = added.size();
    }
  }
  if (pieces == 0)
    throw SettingError(std::string(option),
                       Message("{0} is not in the vocabulary of {1}", in_quotes(word), network.file()),
                       "expected one of its words");
  throw SettingError(std::string(option), Message("{0} is {1} tokens", in_quotes(word), pieces),
                     Message("expected a word that is one token of {0}", network.file()));
}

std::string line_of(const NetworkRun& run, Index batch) {
  if (run.network->spec().stacks.size() != 1) return "";
  const std::vector<std::string> lines = text_lines(run.asked);
  return batch < std::ssize(lines) ? lines[static_cast<std::size_t>(batch)] : "";
}

AskedWord asked_word(const Network& network, const std::string& line, const std::string& words,
                     std::string_view option) {
  const auto token = [&](const std::string& word) { return next_token(network, line, word, option); };
  const std::size_t comma = words.find(',', 1);
  if (comma == std::string::npos || comma + 1 == words.size()) return {token(words), {}};
  return {token(words.substr(0, comma)), token(words.substr(comma + 1))};
}

AskedWord asked_word(const NetworkRun& run, Index batch, const std::string& words, std::string_view option) {
  if (!words.empty()) return asked_word(*run.network, line_of(run, batch), words, option);
  const LikelyToken likely = most_likely(run, batch, place_of_prediction(run, batch), 1).front();
  return {{likely.id, likely.text}, {}};
}

}  // namespace headlight
