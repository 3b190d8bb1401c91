#include "core/figure/cell_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/figure/ticks.h"

namespace headlight {
namespace {

constexpr float padding = 3;  // on either side of a number

struct Format {
  float size;
  int decimals;
  bool leading_zero;
};

/// From the most telling to the tersest.
constexpr Format formats[] = {{13, 3, true}, {11, 2, true}, {11, 2, false}, {10, 1, true},
                              {9, 2, false}, {9, 1, false}, {9, 0, true}};

/// Each panel as the figure shows it; calls visit(row, col, kind) for all its cells.
template <typename Visit>
void each_cell(const FigureSpec& spec, const FigurePanel& panel, Visit visit) {
  const CellMasks masks = effective_masks(spec, panel);
  for (Index row = 0; row < panel.matrix.rows; ++row) {
    for (Index col = 0; col < panel.matrix.cols; ++col) visit(row, col, classify(panel.matrix, masks, row, col));
  }
}

bool all_whole(const FigureSpec& spec) {
  bool whole = true;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      const float v = panel.matrix(row, col);
      whole = whole && (kind != CellKind::value || v == std::round(v));
    });
  }
  return whole;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t longest_value(const FigureSpec& spec, const Format& format) {
  std::size_t longest = 0;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      if (kind != CellKind::value) return;
      longest =
          std::max(longest, characters(format_value(panel.matrix(row, col), format.decimals, format.leading_zero)));
    });
  }
  return longest;
}

std::optional<Format> choose_format(const FigureSpec& spec, const FigureLayout& layout, Typesetter& typesetter) {
  const bool whole = all_whole(spec);
  for (Format format : formats) {
    if (whole) format.decimals = 0;
    const float character = typesetter.width("0", FontRole::mono, format.size);
    const float width = static_cast<float>(longest_value(spec, format)) * character;
    if (width + 2 * padding <= layout.cell_width && format.size + 4 <= layout.cell_height) return format;
  }
  return {};
}

struct Special {
  const char* text;
  Rgba ink, plate;
};

/// What stands in a cell of this kind: a masked weight is 0, a masked score −∞; of a finite fill, nothing.
Special special(CellKind kind, float value, const ThemeColours& theme) {
  switch (kind) {
    case CellKind::masked:
      if (std::isfinite(value)) return {value == 0 ? "0" : "", theme.muted, theme.hatch_ground};
      [[fallthrough]];
    case CellKind::neg_inf:
      return {"−∞", theme.muted, theme.hatch_ground};
    case CellKind::pos_inf:
      return {"+∞", theme.ink, theme.mark_ground};
    case CellKind::nan:
      return {"NaN", theme.ink, theme.mark_ground};
    default:
      return {"", {}, {}};
  }
}

/// Writes one panel's cells.
class Writer {
 public:
  Writer(const FigureSpec& spec, const Colormap& map, const Format& format, Typesetter& typesetter,
         FigureLayout& layout)
      : map_(map), theme_(colours(spec.theme)), format_(format), typesetter_(typesetter), layout_(layout) {}

  /// `shown` is what the cell's colour stands for; it differs from `value` where each row has its own range.
  void number(Point centre, float value, float shown, ValueRange range) {
    const Rgba ink = ink_on(map_.at(normalise(shown, range)));
    put(format_value(value, format_.decimals, format_.leading_zero), FontRole::mono, format_.size, ink, centre);
  }

  void mark(Point centre, CellKind kind, float value) {
    const Special mark = special(kind, value, theme_);
    const float size = std::min(format_.size, 11.0f), width = typesetter_.width(mark.text, FontRole::text, size);
    if (width == 0 || width + 2 * padding > layout_.cell_width) return;
    layout_.boxes.push_back({{centre.x - width / 2 - 2, centre.y - size / 2 - 1, width + 4, size + 2}, mark.plate});
    put(mark.text, FontRole::text, size, mark.ink, centre);
  }

 private:
  void put(std::string text, FontRole role, float size, Rgba ink, Point centre) {
    centre.y += typesetter_.half_height(role, size);
    layout_.inside.push_back({std::move(text), role, size, ink, centre, Anchor::middle});
  }

  const Colormap& map_;
  const ThemeColours& theme_;
  const Format& format_;
  Typesetter& typesetter_;
  FigureLayout& layout_;
};

}  // namespace

void write_values(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter, FigureLayout& layout) {
  if (!spec.values || layout.cell_width < 12) return;
  const std::optional<Format> format = choose_format(spec, layout, typesetter);
  if (!format) return;
  Writer writer(spec, map, *format, typesetter, layout);
  for (const PanelBox& box : layout.panels) {
    const FigurePanel& panel = spec.panels[box.panel];
    Buffer by_row;
    if (spec.range_mode == RangeMode::row) {
      by_row = normalise_rows(panel.matrix, effective_masks(spec, panel), map.kind());
    }
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      const Point centre{box.heatmap.x + (static_cast<float>(col) + 0.5f) * layout.cell_width,
                         box.heatmap.y + (static_cast<float>(row) + 0.5f) * layout.cell_height};
      const float value = panel.matrix(row, col);
      if (kind != CellKind::value) return writer.mark(centre, kind, value);
      const std::size_t at = static_cast<std::size_t>(row * panel.matrix.cols + col);
      writer.number(centre, value, by_row.empty() ? value : by_row[at], box.range);
    });
  }
}

}  // namespace headlight
