#include <algorithm>
#include <cmath>
#include <optional>

#include "core/figure/figure_layout.h"
#include "core/figure/number_format.h"

namespace headlight {
namespace {

constexpr float padding = 3;  // on either side of a number

constexpr float sizes[] = {13, 11, 10, 9, 8};

struct Format {
  float size;
  NumberFormat number;
};

/// Each panel as the figure shows it; calls visit(row, col, kind) for all its cells.
template <typename Visit>
void each_cell(const FigureSpec& spec, const FigurePanel& panel, Visit visit) {
  const CellMasks masks = effective_masks(spec, panel);
  for (Index row = 0; row < panel.matrix.rows; ++row) {
    for (Index col = 0; col < panel.matrix.cols; ++col) visit(row, col, classify(panel.matrix, masks, row, col));
  }
}

NumberSpan span_of(const FigureSpec& spec) {
  NumberSpan span;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      if (kind == CellKind::value) span.add(panel.matrix(row, col));
    });
  }
  return span;
}

/// The largest that writes all numbers in full, else the largest that writes them at all.
std::optional<Format> choose_format(const FigureSpec& spec, const FigureLayout& layout, Typesetter& typesetter) {
  const NumberSpan span = span_of(spec);
  std::optional<Format> chosen;
  for (const float size : sizes) {
    if (size + 2 > layout.cell_height) continue;
    const float room = layout.cell_width - (layout.cell_width < 40 ? 4 : 2 * padding);
    const auto most = static_cast<int>(room / typesetter.width("0", FontRole::mono, size));
    const std::optional<NumberFormat> number = number_format(span, most);
    if (number && (!chosen || (chosen->number.least > 0 && number->least < chosen->number.least)))
      chosen = Format{size, *number};
    if (chosen && chosen->number.least == 0) break;
  }
  return chosen;
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
    case CellKind::neg_inf: return {"−∞", theme.muted, theme.hatch_ground};
    case CellKind::pos_inf: return {"+∞", theme.ink, theme.mark_ground};
    case CellKind::nan: return {"NaN", theme.ink, theme.mark_ground};
    default: return {"", {}, {}};
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
    char buffer[48];
    put(std::string(format_.number.write(value, buffer)), FontRole::mono, format_.size, ink, centre);
  }

  /// As much of a word as there is room for.
  void word(Point centre, std::string text, float shown, ValueRange range) {
    const float room = layout_.cell_width - 2 * padding;
    bool cut = false;
    while (!text.empty() && typesetter_.width(text + (cut ? "…" : ""), FontRole::text, format_.size) > room) {
      std::size_t end = text.size() - 1;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
      text.resize(end);
      cut = true;
    }
    put(text + (cut ? "…" : ""), FontRole::text, format_.size, ink_on(map_.at(normalise(shown, range))), centre);
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
  if (!spec.values) return;
  std::optional<Format> format = layout.cell_width < 12 ? std::nullopt : choose_format(spec, layout, typesetter);
  if (format && !spec.cell_words.empty()) format = Format{std::clamp(layout.cell_height / 4, 8.0f, 11.0f), {}};
  if (!format) {
    layout.left_out.emplace_back("values (the cells are too small for two significant digits)");
    return;
  }
  if (format->number.hides)
    layout.left_out.emplace_back("digits of values that are small beside the largest (written ≈0)");
  Writer writer(spec, map, *format, typesetter, layout);
  for (const PanelBox& box : layout.panels) {
    const FigurePanel& panel = spec.panels[box.panel];
    const ColourValues colour = colour_values(spec, panel, box.range, map.kind());
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      const Point centre{box.heatmap.x + (static_cast<float>(col) + 0.5f) * layout.cell_width,
                         box.heatmap.y + (static_cast<float>(row) + 0.5f) * layout.cell_height};
      const float value = panel.matrix(row, col);
      if (kind != CellKind::value) return writer.mark(centre, kind, value);
      if (!spec.cell_words.empty()) {
        const auto at = static_cast<std::size_t>(row * panel.matrix.cols + col);
        return writer.word(centre, spec.cell_words[at], colour.view(panel.matrix)(row, col), colour.range);
      }
      writer.number(centre, value, colour.view(panel.matrix)(row, col), colour.range);
    });
  }
}

}  // namespace headlight
