#include "core/teaching/diagnosis/fitted_number.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"

namespace headlight::mistakes {
namespace {

constexpr double rounding = 2e-6;  // of a relative misfit: that of two float32 computations of the same
constexpr int grid_points = 24, golden_steps = 28;

struct Fit {
  double value, misfit;
};

class Fitting {
 public:
  Fitting(const Suspect& suspect, const Number& number) : suspect_(suspect), number_(number) {}

  double misfit(double value) const { return suspect_.misfit(number_.with(value)); }

  /// The lowest on the grid, made more precise between its neighbours (Kiefer 1953).
  Fit best() const {
    const double low = std::log(number_.low), high = std::log(number_.high), step = (high - low) / grid_points;
    Fit best{number_.low, INFINITY};
    if (number_.seen) take(*number_.seen, best);
    if (best.misfit <= rounding) return best;
    for (int i = 0; i <= grid_points; ++i) take(std::exp(low + i * step), best);
    for (const double value : number_.usual) take(value, best);
    double a = std::log(best.value) - step, b = std::log(best.value) + step;
    const double share = (std::sqrt(5.0) - 1) / 2;
    for (int i = 0; i < golden_steps && best.misfit > rounding; ++i) {
      const double left = b - share * (b - a), right = a + share * (b - a);
      const double at_left = take(std::exp(left), best), at_right = take(std::exp(right), best);
      (at_left < at_right ? b : a) = at_left < at_right ? right : left;
    }
    return best;
  }

  /// The shortest number that fits no worse.
  Fit shortened(Fit best) const {
    for (int digits = 1; digits <= 5; ++digits) {
      const double unit = std::pow(10.0, std::floor(std::log10(best.value)) - digits + 1);
      const double value = std::round(best.value / unit) * unit;
      const double here = misfit(value);
      if (here <= 1.2 * best.misfit + rounding / 2) return {value, std::min(here, best.misfit)};
    }
    return best;
  }

 private:
  double take(double value, Fit& best) const {
    const double here = misfit(value);
    if (here < best.misfit) best = {value, here};
    return here;
  }

  const Suspect& suspect_;
  const Number& number_;
};

/// "500000", not "5e+05".
std::string text_of(double value) {
  const bool whole = value >= 1e5 && value < 1e8 && value == std::round(value);
  return formatted(whole ? "%.0f" : "%.5g", value);
}

Variant with_words(const Number& number, double value, const std::string& text) {
  Variant variant = number.with(value);
  variant.explanation = number.words(text);
  variant.yours = text;
  variant.here = text_of(number.now);
  return variant;
}

}  // namespace

Variants fitted(const Suspect& suspect, const Number& number) {
  Variants variants;
  if (!suspect.misfit) {
    for (const double value : number.usual) {
      if (value != number.now) variants.push_back(with_words(number, value, text_of(value)));
    }
    return variants;
  }
  const Fitting fitting(suspect, number);
  const double as_it_is = fitting.misfit(number.now);
  Fit best = fitting.best();
  if (!(best.misfit < 0.5 * as_it_is)) return {};
  best = fitting.shortened(best);
  std::string others;
  for (const double value : number.usual) {
    if (value == number.now || std::abs(value / best.value - 1) < 1e-3) continue;
    if (fitting.misfit(value) <= 1.2 * best.misfit + rounding) others += " (or " + text_of(value) + ")";
  }
  variants.push_back(with_words(number, best.value, text_of(best.value) + others));
  return variants;
}

}  // namespace headlight::mistakes
