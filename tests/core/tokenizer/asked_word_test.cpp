#include "core/models/tokenizer/asked_word.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace headlight {
namespace {

/// The asked word itself; tokens are separated by spaces, "_" stands for the space within one.
std::string asked(const std::string& text) {
  std::vector<std::string> tokens(1);
  for (const char c : text) {
    if (c == ' ') tokens.emplace_back();
    else tokens.back() += c == '_' ? ' ' : c;
  }
  const auto at = static_cast<std::size_t>(asked_word(tokens));
  return std::to_string(at) + " " + tokens[at];
}

}  // namespace

TEST_CASE("a pronoun with a word before it is asked about, the last of several") {
  CHECK(asked("the dog ate its food because it was hungry") == "6 it");
  CHECK(asked("the animal didn ' t cross the street because it was too tired .") == "9 it");
  CHECK(asked("the girl looked at herself in the mirror .") == "4 herself");
  CHECK(asked("The keys lay there . They were his") == "7 his");
  CHECK(asked("the dog saw IT") == "3 IT");
  CHECK(asked("the _dog ▁saw Ġit Ġthere") == "3 Ġit");
  CHECK(asked("老人 把 信 交给 了 他们 。") == "5 他们");
}

TEST_CASE("without a pronoun, or with one that opens the text, the last word is asked about") {
  CHECK(asked("the cat sat on the mat") == "5 mat");
  CHECK(asked("She sang a song .") == "3 song");
  CHECK(asked("他 从来 没有 见过 这么 大 的 树") == "7 树");
  CHECK(asked("I think that you know") == "4 know");  // the speakers are not in the text
}

TEST_CASE("a punctuation mark or a tokenizer's mark is asked about only where there is no word") {
  CHECK(asked("the animal didn '") == "2 didn");
  CHECK(asked("[CLS] the cat sat . [SEP]") == "3 sat");
  CHECK(asked("<s> the cat sat !? </s> <|endoftext|>") == "3 sat");
  CHECK(asked("这 到底 是 怎么 回事 ？") == "4 回事");
  CHECK(asked("1 + 2 =") == "2 2");
  CHECK(asked(". ! ?") == "2 ?");
  CHECK(asked_word({}) == 0);
}

}  // namespace headlight
