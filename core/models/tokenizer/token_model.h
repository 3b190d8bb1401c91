// Cutting a word into tokens of a vocabulary.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/models/tokenizer/tokenizer.h"

namespace headlight {

using Vocabulary = std::unordered_map<std::string, Index>;

/// The token with this id; nothing if there is none.
std::optional<std::string> spelled(const Vocabulary& vocabulary, Index id);
/// The largest id; −1 without tokens.
Index last_id(const Vocabulary& vocabulary);

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  virtual void append(std::string_view word, std::vector<Token>& tokens) const = 0;
  /// The token as the vocabulary spells it; nothing if no token has that id.
  virtual std::optional<std::string> text_of(Index id) const = 0;
  /// The largest id.
  virtual Index last_id() const = 0;
};

/// Byte pair encoding (Sennrich et al. 2016): characters are joined in the order of the merges.
struct PairRules {
  Vocabulary vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;
  std::optional<std::string> unknown;  ///< replaces characters without a token; unset: they are dropped
  bool join_unknown = false;           ///< several in a row become one token
  bool bytes = false;                  ///< try the spelling as bytes "<0xE2>" first, as in LLaMA
  bool whole_words = false;            ///< a word that is a token needs no merges, as in LLaMA 3
  std::string inner;                   ///< prefix of a word's later characters ("continuing_subword_prefix")
  std::string last;                    ///< suffix of a word's last character ("end_of_word_suffix"), as in CLIP
  std::vector<std::size_t> ranks;      ///< of each merge, equal ranks from left to right; none: their order
  std::vector<std::string> kept;       ///< tokens that are never joined with others, the longest first
};
/// Throws FileError about `file` if a merge makes no token.
std::unique_ptr<const TokenModel> pair_model(PairRules rules, const std::string& file);

/// "<0xE2>", a byte as LLaMA spells it.
std::string byte_token(char byte);
/// The merges of a vocabulary of pieces with scores, as in SentencePiece: every way to make a token from two others,
/// the highest score first. Tokens without `joins` take no part.
struct ScoredPiece {
  std::string text;
  double score = 0;
  bool joins = true;
};
void add_merges(const std::vector<ScoredPiece>& pieces, PairRules& rules);

/// Unigram: pieces with their log-probabilities.
struct UnigramRules {
  enum class Kind : std::uint8_t {
    usual,
    kept,  ///< user-defined, takes precedence over others
    apart  ///< never found in a text: [CLS], a byte
  };
  struct Piece {
    std::string text;
    double score = 0;
    Kind kind = Kind::usual;
  };
  std::vector<Piece> pieces;  ///< by their ids
  std::optional<Index> unknown;
  bool bytes = false;   ///< text without a piece is spelled by its bytes, if all bytes have pieces
  bool single = false;  ///< sums are rounded to float32, as SentencePiece's are
};
/// Throws FileError about `file` if its unknown token is no piece.
std::unique_ptr<const TokenModel> unigram_model(UnigramRules rules, const std::string& file);

/// WordLevel: whole words. A missing word becomes `unknown`, or, if the vocabulary has no such token, is an
/// error.
struct WordRules {
  Vocabulary vocabulary;
  std::string unknown;
};
std::unique_ptr<const TokenModel> word_model(WordRules rules);

/// The words of the vocabulary that are most similar to this one, the nearest first; none if nothing is similar.
std::vector<std::string> nearest_words(const Vocabulary& vocabulary, std::string_view word, std::size_t count);
/// Throws SettingError, which names the word and the nearest that are known.
[[noreturn]] void fail_unknown(const Vocabulary& vocabulary, std::string_view word);

/// WordPiece (Schuster & Nakajima 2012): the longest piece first; later pieces have the prefix `inner`.
struct PieceRules {
  Vocabulary vocabulary;
  std::string unknown = "[UNK]";  ///< if the vocabulary has no such token, a word without pieces is an error
  std::string inner = "##";
  std::size_t longest_word = 100;  ///< characters; a longer one is unknown
};
std::unique_ptr<const TokenModel> piece_model(PieceRules rules);

}  // namespace headlight
