#include <algorithm>
#include <cmath>
#include <optional>

#include "core/figures/figure/ticks.h"
#include "core/rules/stage/extent.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heatmap.h"

namespace headlight {
namespace {

CellMasks masks_of(const HeatPicture& heat) {
  CellMasks masks;
  if (heat.quad.mask.defined()) masks.allowed = heat.quad.mask.matrix(heat.batch, heat.head);
  if (heat.quad.kept.defined()) masks.kept = heat.quad.kept.matrix(heat.batch, heat.head);
  masks.show_leaks = heat.quad.show_leaks;
  return masks;
}

/// Calls each(row, column) for the cells within the clip rectangle.
void for_cells_in_sight(const ImDrawList& list, const HeatPicture& heat, Rect rect, auto each) {
  const ImVec2 cell = cell_size(heat, rect), min = list.GetClipRectMin(), max = list.GetClipRectMax();
  const auto [first_row, last_row] = indices_between(rect.min.y, cell.y, heat.rows, min.y, max.y);
  const auto [first_col, last_col] = indices_between(rect.min.x, cell.x, heat.cols, min.x, max.x);
  for (Index r = first_row; r < last_row; ++r) {
    for (Index c = first_col; c < last_col; ++c) each(r, c);
  }
}
constexpr float largest_number = 40, number_margin = 7;  // points; with room for the frame of a selected cell

/// Writes the numbers of one heatmap into its cells.
struct NumberWriter {
  const Frame& frame;
  ImDrawList& list;
  const HeatPicture& heat;
  Rect rect;
  const ImVec2 cell = cell_size(heat, rect);
  float pixels = std::clamp(std::min(cell.y * 0.5f, cell.x * 0.3f), least(), largest());
  float digit = text_size(frame.fonts, Face::mono, pixels, "0").x;
  const MatrixView matrix = heat.quad.values.matrix(heat.batch, heat.head),
                   shades = heat.shades.defined() ? heat.shades.matrix() : matrix;
  const CellMasks masks = masks_of(heat);

  void write(const Shown& shown, bool squeeze) {
    if (cell.y < LeastCell::numbers * frame.u || cell.x < digit + margin()) return;
    const NumberSpan span = span_in_sight();
    std::optional<NumberFormat> format = format_of(span);
    while (squeeze && !format && pixels > least()) {
      pixels = std::max(pixels * 0.85f, least());
      digit = text_size(frame.fonts, Face::mono, pixels, "0").x;
      format = format_of(span);
    }
    for_cells_in_sight(list, heat, rect, [&](Index r, Index c) {
      if (shown.has(r, c)) write_cell(r, c, format);
    });
  }

  float margin() const { return number_margin * frame.u; }
  float largest() const { return largest_number * frame.u; }
  float least() const { return TypeSize::note * frame.u; }

  NumberSpan span_in_sight() const {
    NumberSpan span;
    for_cells_in_sight(list, heat, rect, [&](Index r, Index c) {
      if (classify(matrix, masks, r, c) == CellKind::value) span.add(matrix(r, c));
    });
    return span;
  }

  /// One format for all visible numbers. If it does not fit, no number is written, since an empty cell among numbers
  /// would look like a missing number.
  std::optional<NumberFormat> format_of(const NumberSpan& span) const {
    return number_format(span, static_cast<int>((cell.x - margin()) / digit));
  }

  void write_cell(Index r, Index c, const std::optional<NumberFormat>& format) {
    const ImVec2 centre{middle_of(rect.min.x, cell.x, c), middle_of(rect.min.y, cell.y, r)};
    const float value = matrix(r, c);
    switch (classify(matrix, masks, r, c)) {
      case CellKind::value: {
        if (!format) return;
        char buffer[48];
        const Rgba ground =
            heat.colormap->at(spread(shades(r, c), heat.quad.range, heat.colormap->kind(), heat.quad.norm));
        return write_text(format->write(value, buffer), centre, to_imgui(ink_on(ground)));
      }
      case CellKind::masked:
      case CellKind::neg_inf:
        if (std::isfinite(value) && heat.stage == Stage::masked_scores) return;  // a finite fill
        if (!format) return;  // if no numbers are written, the hatching is enough
        return write_mark(heat.quad.show_leaks ? "0" : "−∞", centre, frame.look.muted);
      case CellKind::nan: return write_mark("NaN", centre, frame.look.ink);
      case CellKind::pos_inf: return write_mark("+∞", centre, frame.look.ink);
      default: return;
    }
  }

  void write_text(std::string_view text, ImVec2 centre, ImU32 ink) {
    const ImVec2 size = text_size(frame.fonts, Face::mono, pixels, text);
    draw_text(list, frame.fonts, Face::mono, pixels, {centre.x - size.x / 2, centre.y - size.y / 2}, ink, text);
  }

  /// On a plate, since the cell has a pattern.
  void write_mark(std::string_view mark, ImVec2 centre, ImU32 ink) {
    const ImVec2 size = text_size(frame.fonts, Face::mono, pixels, mark);
    if (size.x > cell.x - 2) return;
    const Rect plate = around(centre, size.x / 2 + 1, size.y / 2);
    list.AddRectFilled(plate.min, plate.max, fade(frame.look.card, 0.8f));
    write_text(mark, centre, ink);
  }
};

}  // namespace

void write_numbers(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Shown& shown,
                   bool squeeze) {
  NumberWriter{frame, list, heat, rect}.write(shown, squeeze);
}

}  // namespace headlight
