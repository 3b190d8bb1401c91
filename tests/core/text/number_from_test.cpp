#include <limits>
#include <string_view>

#include "core/base/text/number_text.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

struct Read {
  double value = 7;
  std::size_t length = 0;
  std::errc error{};
};

Read read(std::string_view text) {
  Read out;
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), out.value);
  out.length = static_cast<std::size_t>(end - text.data());
  out.error = error;
  return out;
}

}  // namespace

TEST_CASE("a number is read up to the first character that does not belong to it", "[number]") {
  CHECK(read("1.5e3x").value == 1500.0);
  CHECK(read("1.5e3x").length == 5);
  CHECK(read("-.25,").value == -0.25);
  CHECK(read("2e").length == 1);
  CHECK(read("3.").length == 2);
  CHECK(read("-INF").value < -1e300);
  CHECK(read("4e-320").value > 0);
}

TEST_CASE("text that is no number leaves the value unchanged", "[number]") {
  for (const std::string_view text : {"", "+1", " 1", "x", "-", ".", "0x10"}) {
    CAPTURE(text);
    const Read got = read(text);
    const bool zero = text == "0x10";  // read as 0 with x10 left over
    CHECK(got.value == (zero ? 0.0 : 7.0));
    CHECK(got.length == (zero ? 1u : 0u));
  }
  CHECK(read("1e999").error == std::errc::result_out_of_range);
  CHECK(read("1e999").value == 7.0);
}

TEST_CASE("a NaN is written without a sign, whatever its bits are", "[number]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double each : {nan, -nan}) {
    CHECK(formatted("%.2f", each) == "nan");
    CHECK(shortest(each) == "nan");
  }
}
