// What the colours of a figure span: the range of each panel, and the cells beyond it.
#include <cmath>
#include <limits>

#include "core/figure/figure_layout.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

CellsBeyond beyond_of(const FigureSpec& spec, const FigurePanel& panel, ValueRange range) {
  const MatrixView& matrix = panel.matrix;
  const bool given = spec.range_mode == RangeMode::fixed, raised = spec.norm == Norm::log && range.lo > 0;
  CellsBeyond out;
  if (matrix.rows * matrix.cols > most_read_twice) {
    out.sampled = given || matrix.source != nullptr;
    return out;
  }
  if (!given && !raised) return out;
  const CellMasks masks = effective_masks(spec, panel);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (classify(matrix, masks, row, col) != CellKind::value) continue;
      const float value = matrix(row, col);
      ++out.all;
      out.below += value < range.lo;
      out.above += value > range.hi;
    }
  }
  return out;
}

}  // namespace

std::vector<std::pair<bool, bool>> pointed_ends(const FigureSpec& spec, const std::vector<ValueRange>& ranges) {
  std::vector<std::pair<bool, bool>> out(ranges.size());
  if (spec.range_mode == RangeMode::row || spec.palette == Palette::boolean) return out;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const CellsBeyond beyond = beyond_of(spec, spec.panels[i], ranges[i]);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      if (!(ranges[k] == ranges[i])) continue;
      out[k].first = out[k].first || beyond.below > 0 || (beyond.sampled && ranges[i].lo < 0);
      out[k].second = out[k].second || beyond.above > 0 || beyond.sampled;
    }
  }
  return out;
}

CellMasks effective_masks(const FigureSpec& spec, const FigurePanel& panel) {
  CellMasks masks = panel.masks;
  if (spec.palette == Palette::boolean) masks.allowed = panel.matrix;
  return masks;
}

CellsBeyond cells_beyond(const FigureSpec& spec, const std::vector<ValueRange>& ranges) {
  CellsBeyond all;
  if (spec.range_mode == RangeMode::row || spec.palette == Palette::boolean) return all;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const CellsBeyond own = beyond_of(spec, spec.panels[i], ranges[i]);
    all.below += own.below, all.above += own.above, all.all += own.all;
    all.sampled = all.sampled || own.sampled;
  }
  return all;
}

std::vector<ValueRange> panel_ranges(const FigureSpec& spec, ColormapKind kind) {
  const std::size_t count = spec.panels.size();
  if (spec.palette == Palette::boolean) return std::vector<ValueRange>(count, ValueRange{0, 2});
  if (spec.range_mode == RangeMode::row) {
    return std::vector<ValueRange>(count, kind == ColormapKind::diverging ? ValueRange{-1, 1} : ValueRange{0, 1});
  }
  const bool shared = spec.range_mode != RangeMode::head;
  std::vector<ValueRange> ranges;
  if (shared && spec.range) {
    ranges.assign(count, *spec.range);
  } else {
    Extent all;
    for (const FigurePanel& panel : spec.panels) {
      Extent own;
      Extent& extent = shared ? all : own;
      if (panel.matrix.rows * panel.matrix.cols <= most_read_twice) extent.add_every_cell(panel.matrix, panel.masks);
      else extent.add(panel.matrix, panel.masks);
      ranges.push_back(own.range(kind));
    }
    if (shared) std::fill(ranges.begin(), ranges.end(), all.range(kind));
  }
  if (spec.norm != Norm::log || kind == ColormapKind::diverging) return ranges;
  float low = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < count; ++i) {
    if (!(ranges[i].hi > 0))
      throw SettingError("--norm", "log has no place for values that are not above zero",
                         "expected linear or sqrt here");
    if (ranges[i].lo > 0) continue;
    if (!shared) low = std::numeric_limits<float>::max();
    if (shared) {
      for (const FigurePanel& panel : spec.panels)
        low = std::min(low, log_low(panel.matrix, panel.masks, ranges[i], low));
      for (ValueRange& range : ranges) range.lo = low;
      break;
    }
    ranges[i].lo = log_low(spec.panels[i].matrix, spec.panels[i].masks, ranges[i], low);
  }
  return ranges;
}

ColourValues colour_values(const FigureSpec& spec, const FigurePanel& panel, ValueRange range, ColormapKind kind) {
  const bool by_row = spec.range_mode == RangeMode::row;
  if (spec.palette == Palette::boolean || (!by_row && spec.norm == Norm::linear)) return {{}, range};
  const MatrixView& matrix = panel.matrix;
  ColourValues out{{}, range};
  if (by_row) out.scaled = normalise_rows(matrix, effective_masks(spec, panel), kind);
  if (spec.norm == Norm::linear) return out;
  if (by_row && spec.norm == Norm::log && kind == ColormapKind::sequential) range.lo = 1e-4f;
  out.range = {0, 1};
  const MatrixView from = by_row ? MatrixView{out.scaled.data(), matrix.rows, matrix.cols, matrix.cols, 1} : matrix;
  Buffer spread_out;
  spread_out.reserve(static_cast<std::size_t>(matrix.rows * matrix.cols));
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const float value = from(row, col);
      spread_out.push_back(std::isfinite(value) ? spread(value, range, kind, spec.norm) : value);
    }
  }
  out.scaled = std::move(spread_out);
  return out;
}

}  // namespace headlight
