#include "core/figure/cell_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/figure/ticks.h"

namespace headlight {
namespace {

constexpr Rgba dark_ink = rgb("171B21"), light_ink = rgb("FFFFFF");
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
      longest = std::max(longest, characters(format_value(panel.matrix(row, col), format.decimals, format.leading_zero)));
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

std::string special_text(CellKind kind) {
  switch (kind) {
    case CellKind::masked:
    case CellKind::neg_inf: return "−∞";
    case CellKind::pos_inf: return "+∞";
    case CellKind::nan: return "NaN";
    default: return "";
  }
}

}  // namespace

Rgba ink_on(Rgba ground) { return contrast(ground, dark_ink) >= contrast(ground, light_ink) ? dark_ink : light_ink; }

std::vector<Label> cell_values(const FigureSpec& spec, const FigureLayout& layout, const Colormap& map,
                               Typesetter& typesetter) {
  std::vector<Label> labels;
  if (!spec.values || layout.cell_width < 12) return labels;
  const std::optional<Format> format = choose_format(spec, layout, typesetter);
  if (!format) return labels;
  const ThemeColours& theme = colours(spec.theme);
  const float drop = typesetter.half_height(FontRole::mono, format->size);
  for (const PanelBox& box : layout.panels) {
    const FigurePanel& panel = spec.panels[box.panel];
    const Buffer by_row = spec.range_mode == RangeMode::row
                              ? normalise_rows(panel.matrix, effective_masks(spec, panel), map.kind())
                              : Buffer{};
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      const float value = panel.matrix(row, col);
      const float shown = by_row.empty() ? value : by_row[static_cast<std::size_t>(row * panel.matrix.cols + col)];
      const bool number = kind == CellKind::value;
      const std::string text =
          number ? format_value(value, format->decimals, format->leading_zero) : special_text(kind);
      const float size = number ? format->size : std::min(format->size, 11.0f);
      if (text.empty() || typesetter.width(text, FontRole::mono, size) + 2 > layout.cell_width) return;
      const Rgba colour = number                   ? ink_on(map.at(normalise(shown, box.range)))
                          : kind == CellKind::nan  ? theme.ink
                          : kind == CellKind::pos_inf ? theme.ink
                                                      : theme.muted;
      const Point at{box.heatmap.x + (static_cast<float>(col) + 0.5f) * layout.cell_width,
                     box.heatmap.y + (static_cast<float>(row) + 0.5f) * layout.cell_height + drop};
      labels.push_back({text, FontRole::mono, size, colour, at, Anchor::middle});
    });
  }
  return labels;
}

}  // namespace headlight
