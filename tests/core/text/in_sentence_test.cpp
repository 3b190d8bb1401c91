#include "core/base/text/in_sentence.h"

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("only words of punctuation or digits are quoted in a sentence") {
  for (const char* word : {".", "1", "？", "。", "...", "␣,", "12", "+", "—", "\""})
    CHECK(in_sentence(word) == "“" + std::string(word) + "”");
  for (const char* word : {"", "cat", "事", "6,1", "x1", "don't", "[MASK]", "é", "query 3"})
    CHECK(in_sentence(word) == word);
}

TEST_CASE("a piece that continues a word is written with an ellipsis") {
  CHECK(in_sentence("##y") == "…y");
  CHECK(in_sentence("##") == "“##”");
}
