#include "core/base/text/unicode.h"

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("an unassigned character is no control character, as in Hugging Face's tokenizers") {
  CHECK_FALSE(is_control(U'\u19DC'));
  CHECK(is_control(U'\u200D'));
  CHECK(is_control(U'\u0007'));
}
