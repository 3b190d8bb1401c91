#include "core/figure/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headlight {
namespace {

constexpr float longest_label = 104;
constexpr float row_line = 13;    // the least pitch at which every row has a label
constexpr float slant_line = 18;  // the same for columns at 45°
constexpr float root_half = 0.70710678f;

/// The smallest of 1, 2, 5, 10, 20 … that is at least `least`.
Index round_step(float least) {
  for (Index ten = 1;; ten *= 10) {
    for (const Index step : {ten, 2 * ten, 5 * ten}) {
      if (static_cast<float>(step) >= least) return step;
    }
  }
}

std::vector<AxisTick> indices(Index count, Index step) {
  std::vector<AxisTick> ticks;
  for (Index i = 0; i < count; i += step) ticks.push_back({i, std::to_string(i)});
  return ticks;
}

std::vector<AxisTick> elided(const std::vector<std::string>& tokens, Index count, Typesetter& typesetter) {
  std::vector<AxisTick> ticks;
  for (Index i = 0; i < count && i < static_cast<Index>(tokens.size()); ++i) {
    ticks.push_back(
        {i, typesetter.elide(tokens[static_cast<std::size_t>(i)], FontRole::text, tick_size, longest_label)});
  }
  return ticks;
}

float widest(const std::vector<AxisTick>& ticks, Typesetter& typesetter) {
  float width = 0;
  for (const AxisTick& tick : ticks) width = std::max(width, typesetter.width(tick.text, FontRole::text, tick_size));
  return width;
}

/// Labels at 45° end under their cell and lean out to the left.
void slant(AxisTicks& out, float pitch, Typesetter& typesetter) {
  out.angle = -45;
  for (const AxisTick& tick : out.ticks) {
    const float along = root_half * (typesetter.width(tick.text, FontRole::text, tick_size) + 0.5f * tick_size);
    out.depth = std::max(out.depth, along + 0.5f * tick_size);
    out.overhang = std::max(out.overhang, along - (static_cast<float>(tick.index) + 0.5f) * pitch);
  }
}

int decimals_for(double step) {
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-6)), 0, 9);
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3e", value);
  const std::string whole = text;
  const std::size_t e = whole.find('e');
  std::string digits = whole.substr(0, e);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits + "e" + std::to_string(std::stoi(whole.substr(e + 1)));
}

std::string with_minus(std::string text) {
  for (std::size_t at; (at = text.find('-')) != std::string::npos;) text.replace(at, 1, "−");
  return text;
}

}  // namespace

AxisTicks row_ticks(const std::vector<std::string>& tokens, Index count, float pitch, Typesetter& typesetter) {
  AxisTicks out;
  if (!tokens.empty() && pitch >= row_line) {
    out.ticks = elided(tokens, count, typesetter);
  } else {
    out.ticks = indices(count, round_step(2 * tick_size / pitch));
    out.marks = out.ticks.size() < static_cast<std::size_t>(count);
  }
  out.depth = widest(out.ticks, typesetter);
  return out;
}

AxisTicks column_ticks(const std::vector<std::string>& tokens, Index count, float pitch, bool may_lean,
                       Typesetter& typesetter) {
  AxisTicks out;
  out.depth = tick_size;
  if (!tokens.empty() && pitch >= row_line) {
    out.ticks = elided(tokens, count, typesetter);
    const float width = widest(out.ticks, typesetter);
    if (width <= pitch - 6) return out;
    if (may_lean && pitch >= slant_line) {
      slant(out, pitch, typesetter);
    } else {
      out.angle = -90;
      out.depth = width;
    }
    return out;
  }
  const float width = typesetter.width(std::to_string(count - 1), FontRole::text, tick_size);
  out.ticks = indices(count, round_step((width + 8) / pitch));
  out.marks = out.ticks.size() < static_cast<std::size_t>(count);
  out.overhang = std::max(0.0f, width / 2 - pitch / 2);
  return out;
}

std::vector<BarTick> bar_ticks(ValueRange range, int most) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  const double rough = width / std::max(1, most - 1);
  const double ten = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * ten;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * ten >= rough * (1 - 1e-9)) step = factor * ten;
  }
  const double reach = std::max(std::fabs(lo), std::fabs(lo + width));
  const bool plain = reach < 1e5 && step > 1e-5;
  std::vector<BarTick> ticks;
  for (double k = std::ceil(lo / step - 1e-6); k * step <= lo + width * (1 + 1e-6); ++k) {
    const double value = k * step;
    const auto at = static_cast<float>(std::clamp((value - lo) / width, 0.0, 1.0));
    const bool exponent = !plain && k != 0;
    ticks.push_back({at, exponent ? with_minus(scientific(value))
                                  : format_value(static_cast<float>(value), plain ? decimals_for(step) : 0)});
  }
  return ticks;
}

std::string format_value(float value, int decimals, bool leading_zero) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, static_cast<double>(value));
  std::string out = text;
  if (out.find_first_not_of("-0.") == std::string::npos && out[0] == '-') out.erase(0, 1);
  if (!leading_zero && decimals > 0) {
    const std::size_t digit = out[0] == '-' ? 1 : 0;
    if (out[digit] == '0' && out[digit + 1] == '.') out.erase(digit, 1);
  }
  return with_minus(std::move(out));
}

}  // namespace headlight
