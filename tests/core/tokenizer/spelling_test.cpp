// Tokens as convert_ids_to_tokens() spells them, and as they are drawn.
#include "core/models/tokenizer/spelling.h"

#include "tests/catch.h"

using namespace headlight;

namespace {

using Tokens = std::vector<std::string>;

Tokens drawn(const Tokens& line) { return as_drawn(line, spelling_of({line})); }

}  // namespace

TEST_CASE("tokens are drawn as what they stand for", "[spelling]") {
  CHECK(drawn({"Tom", "ĠMurray", "Ġsaid", ".", "Ċ"}) == Tokens{"Tom", "␣Murray", "␣said", ".", "␤"});
  CHECK(drawn({"Ju", "Ã¡n", "Ġha"}) == Tokens{"Ju", "án", "␣ha"});
  CHECK(drawn({"Ã¡n", "a"}) == Tokens{"án", "a"});  // no blank in sight, but letters that spell bytes
  CHECK(drawn({"<s>", "▁the", "▁cat", "s"}) == Tokens{"<s>", "␣the", "␣cat", "s"});
  CHECK(drawn({"[CLS]", "sleep", "##ing", "[SEP]"}) == Tokens{"[CLS]", "sleep", "##ing", "[SEP]"});
  CHECK(drawn({"<|endoftext|>", "Ġhi"}) == Tokens{"<|endoftext|>", "␣hi"});
}

TEST_CASE("the pieces of one letter say so, and a byte of no letter stays a byte", "[spelling]") {
  CHECK(drawn({"▁", "<0xE4>", "<0xBD>", "<0xA0>", "好"}) == Tokens{"␣", "你 (1/3)", "你 (2/3)", "你 (3/3)", "好"});
  CHECK(drawn({"Ġ", "ä½", "ł", "å¥½"}) == Tokens{"␣", "你 (1/2)", "你 (2/2)", "好"});
  CHECK(drawn({"▁a", "<0xE4>", "<0xBD>"}) == Tokens{"␣a", "<0xE4>", "<0xBD>"});
  CHECK(drawn({"<0x0A>", "▁b"}) == Tokens{"␤", "␣b"});
  CHECK(with_letters_joined({"ä½", "ł", "好", "␣x"}) == Tokens{"你 (1/2)", "你 (2/2)", "好", "␣x"});
}

TEST_CASE("plain words stay as they are, whatever their letters", "[spelling]") {
  for (const Tokens& line : {Tokens{"the", "cat"}, Tokens{"né", "é", "à", "la"}, Tokens{"猫", "看见", "狗"},
                             Tokens{"naïve", "café"}, Tokens{"#", "##", "a#b"}, Tokens{}, Tokens{""}}) {
    CHECK(drawn(line) == line);
    CHECK(with_letters_joined(line) == line);
  }
}

TEST_CASE("a word begins after a blank, and special tokens and marks are words of their own", "[spelling]") {
  using Numbers = std::vector<std::size_t>;
  CHECK(word_numbers({"Tom", "␣Mur", "ray", "␣said", "."}) == Numbers{0, 1, 1, 2, 3});
  CHECK(word_numbers({"[CLS]", "sleep", "##ing", "##ly", "cat", "[SEP]"}) == Numbers{0, 1, 1, 1, 2, 3});
  CHECK(word_numbers({"<s>", "␣the", "re", "</s>"}) == Numbers{0, 1, 1, 2});
  CHECK(word_numbers({"␣", "你 (1/3)", "你 (2/3)", "你 (3/3)", "好"}) == Numbers{0, 1, 1, 1, 2});
  CHECK(word_numbers({"the", "cat"}).empty());
  CHECK(joined_pieces({"␣Mur", "ray"}) == "␣Murray");
  CHECK(joined_pieces({"sleep", "##ing"}) == "sleeping");
  CHECK(joined_pieces({"你 (1/3)", "你 (2/3)", "你 (3/3)"}) == "你");
}
