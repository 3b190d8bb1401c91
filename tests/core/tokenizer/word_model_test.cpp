// Tokenizers of whole words, with or without blanks between them, which the shipped models use.
#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/models/tokenizer/token_model.h"
#include "core/models/tokenizer/tokenizer.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using samples::has;

namespace {

using Json = nlohmann::json;

/// The tokens of a line, separated by blanks, or the error.
std::string split(const Json& model, const Json& pre_tokenizer, const std::string& line) {
  const samples::TempFolder scratch;
  const Json json{{"model", model}, {"pre_tokenizer", pre_tokenizer}, {"normalizer", {{"type", "Lowercase"}}}};
  samples::write_text(scratch / "tokenizer.json", json.dump());
  const auto splitter = open_tokenizer_json(scratch / "tokenizer.json");
  std::string all;
  try {
    for (const Token& token : splitter->split(line))
      all += (all.empty() ? "" : " ") + token.text + "/" + std::to_string(token.id);
  } catch (const InputError& error) { return error.what(); }
  return all;
}

const Json words{{"type", "WordLevel"},
                 {"unk_token", "<unk>"},
                 {"vocab", {{"the", 0}, {"cat", 1}, {"chases", 2}, {".", 3}, {"chased", 4}}}};
const Json blanks{{"type", "WhitespaceSplit"}};
const Json signs{{"type", "Whitespace"}};

}  // namespace

TEST_CASE("a WordLevel model looks up whole words, with punctuation split off or not") {
  CHECK(split(words, signs, "The cat.") == "the/0 cat/1 ./3");
  CHECK(split(words, blanks, " the \t cat .") == "the/0 cat/1 ./3");
  CHECK(has(split(words, blanks, "the cat."),
            R"("cat." is not among the 5 words that this model knows; the nearest are "cat", )"));
}

TEST_CASE("a word that is not in the vocabulary is named, with the nearest words") {
  CHECK(has(split(words, signs, "the cat chase"),
            R"("chase" is not among the 5 words that this model knows; the nearest are "chases", "chased")"));
  CHECK(has(split(words, signs, "zzz"),
            R"("zzz" is not among the 5 words that this model knows; it knows words such as "the", "cat")"));
  Json tolerant = words;
  tolerant["vocab"]["<unk>"] = 5;
  CHECK(split(tolerant, signs, "the kitten") == "the/0 <unk>/5");
}

TEST_CASE("a word with one letter changed, added, left out or swapped is nearer than another word") {
  const Vocabulary known{{"cat", 0}, {"cats", 1}, {"dog", 2}, {"chase", 3}, {"mouse", 4}};
  CHECK(nearest_words(known, "cta", 1) == std::vector<std::string>{"cat"});
  CHECK(nearest_words(known, "mose", 1) == std::vector<std::string>{"mouse"});
  CHECK(nearest_words(known, "dig", 1) == std::vector<std::string>{"dog"});
  CHECK(nearest_words(known, "xyz", 3).empty());
}

TEST_CASE("WordPiece without a prefix for inner pieces reads Chinese without blanks, longest word first") {
  const Json chinese{{"type", "WordPiece"},
                     {"unk_token", "<unk>"},
                     {"continuing_subword_prefix", ""},
                     {"vocab", {{"猫", 0}, {"追", 1}, {"小", 2}, {"小狗", 3}, {"。", 4}}}};
  const Json bert{{"type", "BertPreTokenizer"}};
  CHECK(split(chinese, bert, "小猫追小狗。") == "小/2 猫/0 追/1 小狗/3 。/4");
  CHECK(has(split(chinese, bert, "猫追大象"), R"("大象" is not among the 5 words)"));
}
