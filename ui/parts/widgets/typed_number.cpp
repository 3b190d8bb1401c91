#include "ui/parts/widgets/typed_number.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {

std::optional<double> typed_number(std::string text) {
  text = replaced(text, "−", "-");
  std::ranges::replace(text, ',', '.');
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  const bool percent = text.ends_with("%");
  if (percent) text.pop_back();
  const std::optional<double> typed = number_of_text<double>(without_plus(text));
  if (!typed || !std::isfinite(*typed)) return {};
  return percent ? *typed / 100 : *typed;
}

}  // namespace headlight
