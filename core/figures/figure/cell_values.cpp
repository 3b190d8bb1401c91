#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/unicode.h"
#include "core/figures/figure/figure_frame.h"
#include "core/figures/figure/figure_layout.h"
#include "core/figures/figure/ticks.h"

namespace headlight {
namespace {

constexpr float padding = 3;  // on each side of a number

/// The width of a word in a cell.
float word_room(const FigureLayout& layout) { return layout.cell_width - (layout.cell_width < 60 ? 2 : 2 * padding); }

constexpr float sizes[] = {13, 11, 10, 9, 8};

struct Format {
  float size;
  NumberFormat number;
};

NumberSpan span_of(const FigureSpec& spec) {
  NumberSpan span;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      if (kind == CellKind::value) span.add(panel.matrix(row, col));
    });
  }
  return span;
}

/// The largest format that writes all numbers in full, else the largest that writes them at all.
std::optional<Format> choose_format(const FigureSpec& spec, const FigureLayout& layout, Typesetter& typesetter) {
  const NumberSpan span = span_of(spec);
  std::optional<Format> chosen;
  for (const float size : sizes) {
    if (size + 2 > layout.cell_height) continue;
    const float free_width = layout.cell_width - (layout.cell_width < 40 ? 4 : 2 * padding);
    const auto most = static_cast<int>(free_width / typesetter.width("0", FontRole::mono, size));
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

/// The text of a cell of this kind: 0 for a masked weight, −∞ for a masked score, nothing if the fill is finite.
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

  /// `shown`: the value that the cell's colour shows. It differs from `value` if each row has its own range.
  void number(Point centre, float value, float shown, ValueRange range) {
    const Rgba ink = ink_on(map_.at(normalise(shown, range)));
    char buffer[48];
    put(std::string(format_.number.write(value, buffer)), FontRole::mono, format_.size, ink, centre);
  }

  /// Writes a word, cut to the width of the cell.
  void word(Point centre, std::string text, float shown, ValueRange range) {
    const float free_width = word_room(layout_);
    bool cut = false;
    while (!text.empty() && typesetter_.width(text + (cut ? "…" : ""), FontRole::text, format_.size) > free_width) {
      text.resize(character_start(text, text.size() - 1));
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
  bool cut = false;  // words
  if (!spec.cell_words.empty() && layout.cell_height >= least_text) {
    format = Format{std::clamp(layout.cell_height / 4, 8.0f, 11.0f), {}};
    const auto widest = [&] {
      float most = 0;
      for (const std::string& word : spec.cell_words)
        most = std::max(most, typesetter.width(word, FontRole::text, format->size));
      return most;
    };
    while (format->size > least_text && widest() > word_room(layout))
      format->size = std::max(least_text, format->size - 0.5f);
    const auto is_cut = [&](const std::string& word) {
      return typesetter.width(word, FontRole::text, format->size) > word_room(layout);
    };
    const auto cuts = static_cast<std::size_t>(std::ranges::count_if(spec.cell_words, is_cut));
    cut = cuts > 0;
    if (3 * cuts > spec.cell_words.size()) {  // "…" in most cells says nothing
      layout.left_out.emplace_back("the words in the cells, which are too narrow");
      return;
    }
  }
  if (!format) {
    layout.left_out.emplace_back(spec.cell_words.empty() ? "values (the cells are too small for two significant digits)"
                                                         : "the words in the cells, which are too small");
    return;
  }
  if (cut) layout.left_out.emplace_back("the ends of words in the cells");
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

// The ranges of the colours: the range of each panel, and the cells beyond it.
namespace {

CellsBeyond beyond_of(const FigureSpec& spec, const FigurePanel& panel, ValueRange range) {
  const MatrixView& matrix = panel.matrix;
  const bool is_fixed = spec.range_mode == RangeMode::fixed, has_log_limit = spec.norm == Norm::log && range.lo > 0;
  CellsBeyond out;
  if (matrix.rows * matrix.cols > most_read_twice) {
    out.sampled = is_fixed || matrix.source != nullptr;
    return out;
  }
  if (!is_fixed && !has_log_limit) return out;
  each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
    if (kind != CellKind::value) return;
    const float value = matrix(row, col);
    ++out.all;
    out.below += value < range.lo;
    out.above += value > range.hi;
  });
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
  if (shared && spec.range && spec.range->lo < 0)
    throw SettingError("--range", Message("begins at {0}, where log has no place", shortest(spec.range->lo)),
                       "expected 0 or more, or --norm linear");
  constexpr float none = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < count; ++i) {
    ValueRange& own = ranges[i];
    if (!(own.hi > 0))
      throw SettingError("--norm", "log has no place for values that are not above zero",
                         "expected linear or sqrt here");
    if (own.lo > 0) continue;
    if (!shared) {
      own.lo = log_low(spec.panels[i].matrix, spec.panels[i].masks, own, none);
      continue;
    }
    float low = none;
    for (const FigurePanel& panel : spec.panels) low = std::min(low, log_low(panel.matrix, panel.masks, own, low));
    for (ValueRange& range : ranges) range.lo = low;
    break;
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

void add_outline(const Box& r, float width, Rgba colour, FigureLayout& layout) {
  const float w = width;
  for (const Box& side : {Box{r.x - w, r.y - w, r.w + 2 * w, w},
                          {r.x - w, r.bottom(), r.w + 2 * w, w},
                          {r.x - w, r.y, w, r.h},
                          {r.right(), r.y, w, r.h}}) {
    layout.boxes.push_back({side, colour});
  }
}

namespace {

/// Marks the largest cells that together hold `share` of the sum of cells [from, to).
void mark_mass(const std::vector<float>& values, std::size_t from, std::size_t to, float share,
               std::vector<bool>& marked) {
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (values[i] > 0) order.push_back(i), all += static_cast<double>(values[i]);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return values[i]; });
  double held = 0;
  for (const std::size_t i : order) {
    if (held >= static_cast<double>(share) * all) break;
    held += static_cast<double>(values[i]);
    marked[i] = true;
  }
}

/// The cells inside the frame.
std::vector<bool> mass_of(const FigureSpec& spec, const FigurePanel& panel) {
  std::vector<float> values;
  each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
    values.push_back(kind == CellKind::value ? panel.matrix(row, col) : 0);
  });
  std::vector<bool> marked(values.size(), false);
  const auto step = panel.under ? values.size() : static_cast<std::size_t>(panel.matrix.cols);
  for (std::size_t from = 0; from < values.size(); from += step)
    mark_mass(values, from, from + step, *spec.mass, marked);
  return marked;
}

}  // namespace

void add_mass(const FigureSpec& spec, FigureLayout& layout) {
  if (!spec.mass) return;
  const ThemeColours& theme = colours(spec.theme);
  const Rgba ink = spec.print ? theme.ink : rgb("D9480F");
  const float line = 1.1f * units_to_a_point, w = layout.cell_width, h = layout.cell_height;
  for (const PanelBox& box : layout.panels) {
    const FigurePanel& panel = spec.panels[box.panel];
    if (panel.under && panel.opacity == 0) continue;  // the picture alone
    const std::vector<bool> marked = mass_of(spec, panel);
    const Index rows = panel.matrix.rows, cols = panel.matrix.cols;
    const auto is_in = [&](Index row, Index col) {
      return row >= 0 && row < rows && col >= 0 && col < cols && marked[static_cast<std::size_t>(row * cols + col)];
    };
    for (const auto& [width, colour] : {std::pair{line + 1.2f, theme.card}, {line, ink}}) {
      for (Index row = 0; row <= rows; ++row) {
        for (Index col = 0; col <= cols; ++col) {
          const float x = box.heatmap.x + static_cast<float>(col) * w, y = box.heatmap.y + static_cast<float>(row) * h;
          const float d = width / 2;
          const bool across = panel.under && is_in(row - 1, col) != is_in(row, col);
          const bool own = !panel.under && col < cols && (is_in(row, col) || is_in(row - 1, col));
          if (across || own) layout.boxes.push_back({{x - d, y - d, w + width, width}, colour});
          if (is_in(row, col - 1) != is_in(row, col))
            layout.boxes.push_back({{x - d, y - d, width, h + width}, colour});
        }
      }
    }
  }
}

namespace {

float highlight_text(float tick_text) { return std::max(least_text, 0.9f * tick_text); }

/// The highlights with a label, from left to right.
std::vector<Highlight> labelled_highlights(const FigureSpec& spec) {
  std::vector<Highlight> out;
  std::ranges::copy_if(spec.highlights, std::back_inserter(out),
                       [](const Highlight& mark) { return !mark.label.empty(); });
  std::ranges::stable_sort(out, {}, &Highlight::first_col);
  return out;
}

}  // namespace

float highlight_room(const FigureSpec& spec, float tick_text) {
  const auto labels = static_cast<float>(labelled_highlights(spec).size());
  return spec.bare || labels == 0 ? 0 : (1.2f * labels + 0.4f) * highlight_text(tick_text);
}

void add_highlights(const FigureSpec& spec, float room, float tick_text, Typesetter& typesetter, FigureLayout& layout) {
  const ThemeColours& theme = colours(spec.theme);
  const Rgba ink = spec.print ? theme.ink : rgb("D9480F");
  const float line = 1.1f * units_to_a_point, size = highlight_text(tick_text);
  for (const PanelBox& panel : layout.panels) {
    const Box& all = panel.heatmap;
    const auto box_of = [&](const Highlight& mark) {
      const auto wide = [&](Index cols) { return static_cast<float>(cols) * layout.cell_width; };
      const auto high = [&](Index rows) { return static_cast<float>(rows) * layout.cell_height; };
      return Box{all.x + wide(mark.first_col - spec.first_col), all.y + high(mark.first_row - spec.first_row),
                 wide(mark.last_col - mark.first_col), high(mark.last_row - mark.first_row)};
    };
    for (const Highlight& mark : spec.highlights) {
      add_outline(box_of(mark), line + 0.6f, theme.card, layout);
      add_outline(box_of(mark), line, ink, layout);
    }
    float y = all.y - room;
    for (const Highlight& mark : room > 0 ? labelled_highlights(spec) : std::vector<Highlight>()) {
      const Box box = box_of(mark);
      const float most = spec.panels.size() == 1 ? layout.width - all.x : all.w;
      const std::string label = typesetter.elide(mark.label, FontRole::strong, size, most - size);
      const float wide = typesetter.width(label, FontRole::strong, size) + 0.5f * size;
      const float x = std::clamp(box.x, all.x, std::max(all.x, all.right() - wide));
      layout.boxes.push_back({{box.x - line, y, line, box.y - line - y}, ink});
      layout.boxes.push_back({{x, y, wide, 1.15f * size}, theme.card});
      const Point at{x + 0.3f * size, y + 0.92f * size};
      layout.inside.push_back({label, FontRole::strong, size, theme.ink, at});
      y += 1.2f * size;
    }
  }
}

}  // namespace headlight
