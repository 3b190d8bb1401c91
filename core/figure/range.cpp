#include "core/figure/range.h"

#include <charconv>
#include <cmath>

#include "core/tensor/error.h"

namespace headlight {
namespace {

std::optional<float> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

RangeSetting parse_range(std::string_view text) {
  if (text == "row") return {RangeMode::row};
  if (text == "head") return {RangeMode::head};
  if (text == "stage") return {RangeMode::stage};
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto lo = parse_number(text.substr(0, colon)), hi = parse_number(text.substr(colon + 1));
    if (lo && hi && *lo < *hi) return {RangeMode::fixed, {*lo, *hi}};
  }
  throw SettingError("--range", "\"" + std::string(text) + "\" is not a range",
                     "expected row, head, stage or LO:HI with LO below HI, such as -2:2");
}

float normalise(float value, ValueRange range) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  return width > 0 ? static_cast<float>((value - lo) / width) : 0.5f;
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
