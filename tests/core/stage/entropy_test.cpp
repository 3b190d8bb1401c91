#include "core/rules/stage/entropy.h"

#include <initializer_list>

#include "tests/catch.h"

using namespace headlight;

namespace {

double bits_of(std::initializer_list<double> weights) {
  RowEntropy entropy;
  for (const double weight : weights) entropy.add(weight);
  return entropy.bits();
}

}  // namespace

TEST_CASE("the entropy of a row is that of its shares, so that a sum other than one changes nothing") {
  CHECK(bits_of({0.5, 0.5}) == Approx(1));
  CHECK(bits_of({2, 2, 0}) == Approx(1));
  CHECK(bits_of({0.1, 0.1, 0.1, 0.1}) == Approx(2));
  CHECK(bits_of({0, 3}) == Approx(0).margin(1e-12));
  CHECK(bits_of({0, 0}) == 0);
  CHECK(std::isnan(bits_of({0.5, std::nan("")})));
}
