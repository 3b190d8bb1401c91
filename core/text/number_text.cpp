#include "core/text/number_text.h"

#include <charconv>
#include <cmath>

namespace headlight {
namespace {

template <typename Number>
std::string shortest_of(Number value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  return std::string(text, end);
}

}  // namespace

std::string shortest(float value) { return shortest_of(value); }
std::string shortest(double value) { return shortest_of(value); }

}  // namespace headlight
