#include "core/base/tensor/error.h"
#include "core/figures/export/command_words.h"
#include "tests/catch.h"

using namespace headlight;
using Words = std::vector<std::string>;

TEST_CASE("a command line that became a link is read back unchanged", "[link]") {
  const Words words =
      GENERATE(Words{"--text", "the cat & 100% of +1"}, Words{"lesson:first-light", "--mask", "causal() && window(4)"},
               Words{"model:chinese", "--text", "猫 看见 狗"}, Words{"--random", "--alibi", "--heads", "2"},
               Words{"--fill", "-inf", "--look", "zoom=1.5;pan=12,3"}, Words{});
  const auto query = query_of(words);
  REQUIRE(query);
  CHECK(query->find(' ') == std::string::npos);
  CHECK(words_of_link(*query).words == words);
}

TEST_CASE("a link may be written by hand, with + and unescaped signs", "[link]") {
  CHECK(words_of_link("?text=the+cat&mask=causal()&level=sentence").words ==
        Words{"--text", "the cat", "--mask", "causal()", "--level", "sentence"});
  CHECK(words_of_link("?mask=window(2)&lesson=first-light&embed").words ==
        Words{"lesson:first-light", "--mask", "window(2)"});
  CHECK(query_of({"lesson:first-light", "--mask", "causal()"}) == "?lesson=first-light&mask=causal()");
}

TEST_CASE("a scenario is stored in the fragment of a link", "[link]") {
  const LinkWords read = words_of_link("?view=heads#scenario=" + percent_encoded("{\"text\": \"a # & b\"}\n"));
  CHECK(read.words == Words{"--view", "heads"});
  CHECK(read.scenario == "{\"text\": \"a # & b\"}\n");
}

TEST_CASE("a link with the user's own file is refused", "[link]") {
  CHECK_FALSE(query_of({"/home/me/a.npz", "--mask", "causal()"}));
  CHECK_THROWS_AS(words_of_link("?file=/etc/passwd"), InputError);
}

TEST_CASE("bytes that are no UTF-8 are refused in a link", "[link]") {
  CHECK_THROWS_AS(words_of_link("?text=%G0"), InputError);
  CHECK_THROWS_AS(words_of_link("?text=%FF"), InputError);
  CHECK_THROWS_AS(words_of_link("?text=50%"), InputError);
}
