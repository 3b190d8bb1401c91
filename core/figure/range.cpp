#include "core/figure/range.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr float largest = std::numeric_limits<float>::max();

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

void Extent::add_plain(const MatrixView& matrix) {
  constexpr Index lanes = 16;  // side by side, for vector instructions
  float low[lanes], high[lanes];
  std::fill_n(low, lanes, lo_);
  std::fill_n(high, lanes, hi_);
  for (Index row = 0; row < matrix.rows; ++row) {
    const float* values = matrix.data + row * matrix.row_stride;
    Index col = 0;
    for (; col + lanes <= matrix.cols; col += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) {
        const float v = values[col + lane];
        const float finite_low = v >= -largest ? v : largest, finite_high = v <= largest ? v : -largest;
        low[lane] = finite_low < low[lane] ? finite_low : low[lane];
        high[lane] = finite_high > high[lane] ? finite_high : high[lane];
      }
    }
    for (; col < matrix.cols; ++col) {
      if (std::isfinite(values[col])) add(values[col]);
    }
  }
  for (Index lane = 0; lane < lanes; ++lane) {
    lo_ = std::min(lo_, low[lane]);
    hi_ = std::max(hi_, high[lane]);
  }
}

void Extent::add(const MatrixView& matrix, const CellMasks& masks) {
  if (!masks.any() && matrix.col_stride == 1) return add_plain(matrix);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (classify(matrix, masks, row, col) == CellKind::value) add(matrix(row, col));
    }
  }
}

ValueRange Extent::range(ColormapKind kind) const {
  if (kind == ColormapKind::diverging) {
    const float reach = empty() ? 0.0f : std::max(std::fabs(lo_), std::fabs(hi_));
    return reach > 0 ? ValueRange{-reach, reach} : ValueRange{-1, 1};
  }
  if (empty() || (lo_ == 0 && hi_ == 0)) return {0, 1};
  return {std::min(lo_, 0.0f), std::max(hi_, 0.0f)};
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
