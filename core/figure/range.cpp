#include "core/figure/range.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/error.h"
#include "core/text/number_text.h"

namespace headlight {
namespace {

constexpr float sequential_least = 1e-4f, diverging_least = 1e-3f;  // of the largest value, on a logarithmic scale

std::optional<float> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, failed] = number_from(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

RangeSetting parse_range(std::string_view text) {
  if (text == "row") return {RangeMode::row, {}, false};
  if (text == "head") return {RangeMode::head, {}, false};
  if (text == "stage") return {RangeMode::stage, {}, false};
  if (text.ends_with('%') && text.find("%:") != std::string_view::npos) {
    const std::size_t colon = text.find("%:");
    const auto lo = parse_number(text.substr(0, colon)),
               hi = parse_number(text.substr(colon + 2, text.size() - colon - 3));
    if (lo && hi && 0 <= *lo && *lo < *hi && *hi <= 100) return {RangeMode::fixed, {*lo, *hi}, true};
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto lo = parse_number(text.substr(0, colon)), hi = parse_number(text.substr(colon + 1));
    if (lo && hi && *lo < *hi) return {RangeMode::fixed, {*lo, *hi}, false};
  }
  throw SettingError("--range", Message("\"{0}\" is not a range", std::string(text)),
                     "expected row, head, stage or LO:HI with LO below HI, such as -2:2 or 1%:99%");
}

float normalise(float value, ValueRange range) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  return width > 0 ? static_cast<float>((value - lo) / width) : 0.5f;
}

float spread(float value, ValueRange range, ColormapKind kind, Norm norm) {
  if (norm == Norm::linear) return normalise(value, range);
  const bool diverging = kind == ColormapKind::diverging;
  const float most = diverging ? std::max(std::fabs(range.lo), std::fabs(range.hi)) : range.hi;
  const float size = diverging ? std::fabs(value) : value;
  float t = 0;
  if (norm == Norm::sqrt) {
    const float low = diverging ? 0 : range.lo;
    t = std::sqrt(std::clamp(normalise(size, {low, most}), 0.0f, 1.0f));
  } else if (size > 0) {
    const auto low = static_cast<double>(diverging      ? most * diverging_least
                                         : range.lo > 0 ? range.lo
                                                        : most * sequential_least);
    t = static_cast<float>(
        std::clamp(std::log(static_cast<double>(size) / low) / std::log(static_cast<double>(most) / low), 0.0, 1.0));
  }
  return diverging ? 0.5f + std::copysign(t / 2, value) : t;
}

float log_low(const MatrixView& matrix, const CellMasks& masks, ValueRange range, float least) {
  const float floor = range.hi * sequential_least;
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const float value = matrix(row, col);
      if (value > 0 && value < least && classify(matrix, masks, row, col) == CellKind::value)
        least = std::max(value, floor);
    }
  }
  least = std::max(floor, std::min(least, range.hi / 2));
  // Down to a power of ten, which the bar names; a little more than the nearest float below it.
  return std::pow(10.0f, std::floor(std::log10(least) + 1e-4f));
}

Buffer normalise_rows(const MatrixView& matrix, const CellMasks& masks, ColormapKind kind) {
  Buffer out;
  out.reserve(static_cast<std::size_t>(matrix.rows * matrix.cols));
  for (Index row = 0; row < matrix.rows; ++row) {
    Extent extent;
    for (Index col = 0; col < matrix.cols; ++col) {
      if (classify(matrix, masks, row, col) == CellKind::value) extent.add(matrix(row, col));
    }
    const ValueRange range = extent.range(kind);
    for (Index col = 0; col < matrix.cols; ++col) {
      const float value = matrix(row, col);
      const float t = normalise(value, range);
      out.push_back(!std::isfinite(value) ? value : kind == ColormapKind::diverging ? 2 * t - 1 : t);
    }
  }
  return out;
}

}  // namespace headlight
