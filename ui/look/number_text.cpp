#include "ui/look/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headlight {

std::string number_text(float value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  char text[48];
  const float size = std::abs(value);
  if (size != 0 && (size < 1e-3f || size >= 1e5f)) {
    std::snprintf(text, sizeof text, "%.*e", std::max(digits - 1, 0), static_cast<double>(value));
  } else {
    std::snprintf(text, sizeof text, "%.*f", digits, static_cast<double>(value));
  }
  std::string result(text);
  for (std::size_t at = result.find('-'); at != std::string::npos; at = result.find('-', at + 3))
    result.replace(at, 1, "−");
  return result;
}

std::string bound_text(float value) {
  const float size = std::abs(value);
  return number_text(value, size >= 9.95f || size == 0 ? 0 : size >= 0.995f ? 1 : 2);
}

std::string grouped(long long count) {
  std::string text = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace headlight
