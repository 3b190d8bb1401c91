#include "core/text/in_sentence.h"

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("a word of signs or digits is quoted in a sentence, and no other") {
  for (const char* word : {".", "1", "？", "。", "...", "␣,", "12", "+", "—", "\""})
    CHECK(in_sentence(word) == "“" + std::string(word) + "”");
  for (const char* word : {"", "cat", "事", "6,1", "x1", "don't", "[MASK]", "é", "query 3"})
    CHECK(in_sentence(word) == word);
}
