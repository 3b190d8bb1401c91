#include "core/figures/figure/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

constexpr float longest_label = 104;
// For text of 12 units:
constexpr float row_line = 13;    // the smallest pitch with a label for every row
constexpr float slant_line = 18;  // the same for columns at 45°
constexpr float root_half = 0.70710678f;

float widest(const std::vector<AxisTick>& ticks, float size, Typesetter& typesetter) {
  float width = 0;
  for (const AxisTick& tick : ticks) width = std::max(width, typesetter.width(tick.text, FontRole::text, size));
  return width;
}

/// Labels at 45° end under their cell and extend to the left.
void slant(AxisTicks& out, float pitch, float size, Typesetter& typesetter) {
  out.angle = -45;
  for (const AxisTick& tick : out.ticks) {
    const float along = root_half * (typesetter.width(tick.text, FontRole::text, size) + 0.5f * size);
    out.depth = std::max(out.depth, along + 0.5f * size);
    out.overhang = std::max(out.overhang, along - (static_cast<float>(tick.index) + 0.5f) * pitch);
  }
}

int decimals_for(double step) { return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-6)), 0, 9); }

std::string scientific(double value) {
  const std::string whole = formatted("%.3e", value);
  const std::size_t e = whole.find('e');
  std::string digits = whole.substr(0, e);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits + "e" + std::to_string(std::stoi(whole.substr(e + 1)));
}

std::string with_minus(std::string text) { return replaced(std::move(text), "-", "−"); }

}  // namespace

Index round_step(float least) {
  constexpr Index largest = 1'000'000'000'000;
  for (Index ten = 1; ten < largest; ten *= 10) {
    for (const Index step : {ten, 2 * ten, 5 * ten}) {
      if (static_cast<float>(step) >= least) return step;
    }
  }
  return largest;  // if cells have no size or the pitch is not a number, only the first has a label
}

std::vector<AxisTick> word_ticks(const AxisWords& axis, Index step, float size, float longest, Typesetter& typesetter) {
  std::vector<AxisTick> ticks;
  for (Index i = 0; i < axis.count && i < static_cast<Index>(axis.tokens.size()); i += step) {
    ticks.push_back({i, typesetter.shorten(axis.tokens[static_cast<std::size_t>(i)], FontRole::text, size, longest)});
  }
  return ticks;
}

std::vector<AxisTick> index_ticks(const AxisWords& axis, Index step) {
  std::vector<AxisTick> ticks;
  for (Index i = (step - axis.first % step) % step; i < axis.count; i += step)
    ticks.push_back({i, std::to_string(i + axis.first)});
  if (ticks.empty()) ticks.push_back({0, std::to_string(axis.first)});
  return ticks;
}

AxisTicks row_ticks(const AxisWords& axis, float pitch, float size, Typesetter& typesetter) {
  AxisTicks out;
  if (!axis.tokens.empty() && pitch >= row_line * size / 12) {
    out.ticks = word_ticks(axis, 1, size, longest_label * size / 12, typesetter);
  } else {
    out.ticks = index_ticks(axis, round_step(2 * size / pitch));
    out.marks = out.ticks.size() < static_cast<std::size_t>(axis.count);
  }
  out.depth = widest(out.ticks, size, typesetter);
  return out;
}

AxisTicks column_ticks(const AxisWords& axis, float pitch, bool may_lean, float size, Typesetter& typesetter) {
  AxisTicks out;
  out.depth = size;
  if (!axis.tokens.empty() && pitch >= row_line * size / 12) {
    out.ticks = word_ticks(axis, 1, size, longest_label * size / 12, typesetter);
    const float width = widest(out.ticks, size, typesetter);
    if (width <= pitch - 6) return out;
    if (may_lean && pitch >= slant_line * size / 12) {
      slant(out, pitch, size, typesetter);
    } else {
      out.angle = -90;
      out.depth = width;
    }
    return out;
  }
  const float width = typesetter.width(std::to_string(axis.first + axis.count - 1), FontRole::text, size);
  out.ticks = index_ticks(axis, round_step((width + 8) / pitch));
  out.marks = out.ticks.size() < static_cast<std::size_t>(axis.count);
  out.overhang = std::max(0.0f, width / 2 - pitch / 2);
  return out;
}

std::vector<BarTick> bar_ticks(ValueRange range, int most) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  const double approximate_step = width / std::max(1, most - 1);
  const double ten = std::pow(10.0, std::floor(std::log10(approximate_step)));
  double step = 10 * ten;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * ten >= approximate_step * (1 - 1e-9)) step = factor * ten;
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

std::vector<BarTick> spread_ticks(ValueRange range, ColormapKind kind, Norm norm, float apart) {
  const bool diverging = kind == ColormapKind::diverging;
  const float most = diverging ? std::max(std::fabs(range.lo), std::fabs(range.hi)) : range.hi;
  const float least = diverging ? most * 1e-3f : range.lo;
  std::vector<BarTick> ticks;
  const auto offer = [&](float value) {
    const float at = spread(value, range, kind, norm);
    const bool clamped = norm == Norm::log && std::fabs(value) > 0 && std::fabs(value) < least * (1 - 1e-5f);
    const auto near = [&](const BarTick& tick) { return std::fabs(tick.at - at) < apart; };
    if (clamped || at < 0 || at > 1 || std::any_of(ticks.begin(), ticks.end(), near)) return;
    const double size = std::fabs(static_cast<double>(value));
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e5);
    std::string text = plain ? format_value(value, size == 0 ? 0 : decimals_for(size))
                             : with_minus(scientific(static_cast<double>(value)));
    ticks.push_back({at, std::move(text)});
  };
  if (diverging || norm == Norm::sqrt) offer(0);
  const int high = static_cast<int>(std::floor(std::log10(static_cast<double>(most)) + 1e-6)), low = high - 6;
  for (const double factor : {1.0, 5.0, 2.0}) {
    for (int exponent = high; exponent >= low; --exponent) {
      const auto value = static_cast<float>(factor * std::pow(10.0, exponent));
      if (value > most * (1 + 1e-6f) || (!diverging && value < range.lo * (1 - 1e-5f))) continue;
      offer(value);
      if (diverging) offer(-value);
    }
  }
  std::sort(ticks.begin(), ticks.end(), [](const BarTick& a, const BarTick& b) { return a.at < b.at; });
  return ticks;
}

std::string format_scientific(float value) { return with_minus(scientific(static_cast<double>(value))); }

std::string format_value(float value, int decimals) {
  std::string out = formatted("%.*f", decimals, static_cast<double>(value));
  if (out.find_first_not_of("-0.") == std::string::npos && out[0] == '-') out.erase(0, 1);
  return with_minus(std::move(out));
}

namespace {

constexpr int most_decimals = 7;

/// The number of decimals that shows two significant digits.
int decimals_of(float size) {
  const int exponent = static_cast<int>(std::floor(std::log10(static_cast<double>(size)) + 1e-9));
  return std::max(0, 1 - exponent);
}

int whole_digits(float size, int decimals) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "%.*f", decimals, static_cast<double>(size));
  return decimals == 0 ? length : length - decimals - 1;
}

}  // namespace

void NumberSpan::add(float value) {
  const float size = std::fabs(value);
  largest_ = std::max(largest_, size);
  if (size > 0) least_ = std::min(least_, size);
  negative_ = negative_ || value < 0;
  whole_ = whole_ && value == std::round(value);
}

std::optional<NumberFormat> number_format(const NumberSpan& span, int most) {
  const auto fits = [&](int decimals, bool leading_zero) {
    const int digits = whole_digits(span.largest_, decimals) - (leading_zero || span.largest_ >= 1 ? 0 : 1);
    return digits + (decimals > 0 ? decimals + 1 : 0) + span.negative_ <= most;
  };
  if (span.whole_) {
    if (span.largest_ < 1e7f && fits(0, true)) return NumberFormat{};
    return {};
  }
  const float wanted[] = {span.least_, span.largest_ / 100, span.largest_ / 10};
  for (const float least : wanted) {
    const int decimals = decimals_of(std::max(least, span.least_));
    if (decimals > most_decimals || most < 2) continue;
    // More digits are shown if they need no more space: at least two decimals, and three if a hundredth of the largest
    // value has fewer.
    for (const int shown : {std::max(decimals, 3), std::max(decimals, 2), decimals}) {
      for (const bool leading_zero : {true, false}) {
        if (!fits(shown, leading_zero)) continue;
        // A smaller number would have one digit or none, or an error above 5 %.
        const float rounds_away = 0.9525f * static_cast<float>(std::pow(10.0, 1 - shown));
        NumberFormat format{shown, leading_zero, span.least_ < rounds_away ? rounds_away : 0, most};
        char text[48];
        format.hides = format.write(span.negative_ ? -span.least_ : span.least_, text) == "≈0";
        return format;
      }
    }
  }
  return {};
}

std::string_view NumberFormat::write(float value, char (&buffer)[48]) const {
  if (value == 0) return "0";
  const float size = std::fabs(value);
  const int sign = value < 0 ? 1 : 0;
  int places = decimals;
  bool zero = leading_zero;
  if (size < least) {
    places = decimals_of(size);
    zero = zero && sign + 2 + places <= most;
    if (places > most_decimals || sign + 1 + places > most) return "≈0";
  }
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.*f", places, static_cast<double>(size));
  const char* from = !zero && places > 0 && digits[0] == '0' ? digits + 1 : digits;
  const int length = std::snprintf(buffer, sizeof buffer, "%s%s", sign ? "−" : "", from);
  return {buffer, static_cast<std::size_t>(std::min<int>(length, sizeof buffer - 1))};
}

}  // namespace headlight
