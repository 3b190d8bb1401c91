// What is wrong about a mask, in Chinese: every sentence of core's has a template.
#include "ui/masklab/mask_words.h"

#include "core/mask/expression.h"
#include "core/tensor/error.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::string sentence_of(const char* expression) {
  try {
    (void)MaskExpression::parse(expression);
  } catch (const ExpressionError& error) {
    return error.sentence();
  }
  return {};
}

/// No English words but names of the language: letters in a row that no mask expression has.
bool is_chinese(const std::string& text) {
  for (const char* english : {"expected", "unknown", "write", "takes", "number", "does not", "condition", "closes", "applied", "called", "got"}) {
    if (text.find(english) != std::string::npos) return false;
  }
  return !text.empty();
}

}  // namespace

TEST_CASE("what is wrong about a mask is said in the window's language") {
  const Words english("en"), chinese("zh");
  for (const char* wrong : {"causal( &&", "k <", "k < x", "windwo(3)", "window()", "window(1, 2)", "window(-1)", "window(2.5)", "window(q)", "window(k < 2)", "k = 3", "k & 3", "q // 4 == 0", "q_idx > 1",
                            "q ** 2 > 1", "k", "(k < 3", "k < 3)", "0 < k < 5", "k && true", "!k", "causal", "abs", "abs(1, 2)", "min(1)", "1 / 0 > 2", "k < 3 ? 1 : causal()", "k @ 3", "doc(3) == 1",
                            "bit(q, q) == 1", "random(2, 0)", "document()", "1e999 > k", "k < 3 ? causal()", "q << 2 > 1", "q ^ k", "floor()"}) {
    const std::string sentence = sentence_of(wrong);
    CAPTURE(wrong, sentence);
    REQUIRE_FALSE(sentence.empty());
    CHECK(in_words(english, sentence) == sentence);
    const std::string said = in_words(chinese, sentence);
    CAPTURE(said);
    CHECK(is_chinese(said));
  }
}
