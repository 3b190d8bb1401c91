#include "core/text/unicode.h"

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("a character that is not assigned is no control character, as Hugging Face's tokenizers have it") {
  CHECK_FALSE(is_control(U'\u19DC'));
  CHECK(is_control(U'\u200D'));
  CHECK(is_control(U'\u0007'));
}
