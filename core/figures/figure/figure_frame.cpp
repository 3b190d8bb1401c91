#include "core/figures/figure/figure_frame.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"

namespace headlight {
namespace {

float cells(Index n) { return static_cast<float>(n); }

std::string share(Index part, Index all) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(all);
  if (percent < 0.1) return "<0.1 %";
  if (percent < 1) return "0." + std::to_string(std::clamp(std::lround(10 * percent), 1L, 9L)) + " %";
  return std::to_string(part < all ? std::min(99L, std::lround(percent)) : 100L) + " %";
}

std::string in_two_digits(float value) {
  const float size = std::fabs(value);
  if (size > 0 && (size < 1e-4f || size >= 1e5f)) return format_scientific(value);
  const int exponent = size > 0 ? static_cast<int>(std::floor(std::log10(size))) : 0;
  return format_value(value, value == std::round(value) ? 0 : std::max(0, 1 - exponent));
}

float base_text(const FigureSpec& spec) {
  return spec.font_size.value_or(spec.on_paper ? 8.0f : 9.0f) * units_to_a_point;
}

class ContentFrame : FrameMaker {
 public:
  explicit ContentFrame(const FrameMaker& maker) : FrameMaker(maker) {}

  FigureFrame frame_for_content() {
    Frame frame;
    frame.metrics = roomy_metrics(spec_);
    frame.columns = best_grid();
    frame.lines = (count_ + frame.columns - 1) / frame.columns;
    const auto [wide, high] = automatic_cell();
    set_cells(frame, spec_, wide, high);
    add_ticks(frame);
    frame.content_width = content_width(frame);
    const FigureMetrics& m = frame.metrics;
    const float title =
        width(spec_.title, FontRole::strong, m.title_text) + 8 + width(spec_.shape, FontRole::text, m.label_text) + 1;
    const float subtitle = width(spec_.subtitle, FontRole::text, m.label_text);
    frame.inner_width = std::max(frame.content_width, std::min(30 * m.label_text, std::max(title, subtitle)));
    const std::vector<LegendEntry> entries = legend_entries(spec_, ranges_, false);
    for (const LegendEntry& entry : entries) {
      const float own = m.swatch + 0.5f * m.label_text + width(entry.text, FontRole::text, m.label_text);
      frame.inner_width = std::max(frame.inner_width, own);
    }
    break_legend(frame, entries, frame.inner_width, typesetter_);
    if (frame.title) frame.title_lines = title_lines(spec_, m.title_text, frame.inner_width, typesetter_);
    frame.top += more_title_room(frame.title_lines.size(), m);
    frame.width = std::ceil(frame.inner_width + 2 * m.margin);
    frame.height = std::ceil(content_height(frame));
    return frame;
  }

  /// Only the cells: a given size is filled exactly, and several panels have small gaps.
  FigureFrame bare() {
    Frame frame;
    frame.metrics = roomy_metrics(spec_);
    frame.metrics.margin = 0;
    frame.title = frame.subtitle = false;
    frame.row_name = frame.col_name = frame.head_names = frame.legend_place = NamePlace::none;
    frame.columns = best_grid();
    frame.lines = (count_ + frame.columns - 1) / frame.columns;
    frame.gap = 8;
    const float gaps_x = cells(frame.columns - 1) * frame.gap, gaps_y = cells(frame.lines - 1) * frame.gap;
    std::pair<float, float> cell = automatic_cell();
    if (spec_.size) {
      const float wide = std::max(1.0f, (spec_.size->width - gaps_x) / cells(frame.columns));
      const float square = wide / cells(cols_) * cells(rows_);
      const float high =
          spec_.size->height > 0 ? std::max(1.0f, (spec_.size->height - gaps_y) / cells(frame.lines)) : square;
      cell = {wide / cells(cols_), high / cells(rows_)};
    }
    set_cells(frame, spec_, cell.first, cell.second);
    frame.content_width = content_width(frame);
    frame.inner_width = frame.content_width;
    frame.width = spec_.size ? spec_.size->width : frame.content_width;
    frame.height =
        spec_.size && spec_.size->height > 0 ? spec_.size->height : cells(frame.lines) * frame.panel_height + gaps_y;
    return frame;
  }

 private:
  using Frame = FigureFrame;

  float width(const std::string& text, FontRole role, float size) { return typesetter_.width(text, role, size); }

  /// Square cells, except in matrices of very few rows or columns; whole units if they are at least one unit.
  std::pair<float, float> automatic_cell() const {
    if (spec_.cell) return {*spec_.cell, *spec_.cell};
    const float longest = cells(std::max(rows_, cols_));
    const float many = std::clamp(800 / std::sqrt(cells(count_)), 96.0f, 320.0f);
    const float extent = count_ == 1 ? 480 : many, most_extent = count_ == 1 ? 720 : many;
    const float cap = longest <= 2 ? 72 : spec_.values ? 48 : 40;
    float cell = std::min(cap, extent / longest);
    if (spec_.values && longest <= 48) cell = std::max(cell, 44.0f);
    cell = cell >= 1 ? std::floor(cell) : std::min(1.0f, most_extent / longest);
    const auto stretched = [&](Index n) {
      return std::max(cell, std::floor(std::min(thin_cell, thin_side / cells(n))));
    };
    return {cols_ * 8 < rows_ ? stretched(cols_) : cell, rows_ * 8 < cols_ ? stretched(rows_) : cell};
  }

  /// The number of columns for a grid about 1.5 times as wide as high, with few empty places.
  Index best_grid() const {
    if (spec_.columns) return std::min(*spec_.columns, count_);
    const auto [cell_width, cell_height] = automatic_cell();
    const float panel = cells(cols_) * cell_width / (cells(rows_) * cell_height);
    Index best = 1;
    float least = 1e9f;
    for (Index columns = 1; columns <= count_; ++columns) {
      const Index lines = (count_ + columns - 1) / columns;
      const float cost =
          std::fabs(std::log(panel * cells(columns) / cells(lines) / 1.5f)) + raggedness(count_, columns);
      if (cost < least) least = cost, best = columns;
    }
    return best;
  }

  /// Sets everything that depends on the cell's size: ticks and their space.
  void add_ticks(Frame& frame) {
    const FigureMetrics& m = frame.metrics;
    frame.mark_room = highlight_room(spec_, m.tick_text);
    frame.panel_top = frame.mark_room + (named_ ? m.head_room : 0.0f) + (has_strips(spec_) ? m.strip_room : 0.0f);
    frame.gap = m.panel_gap;
    frame.title = !spec_.title.empty();
    frame.subtitle = !spec_.subtitle.empty();
    if (spec_.row_label.empty()) frame.row_name = NamePlace::none;
    if (spec_.col_label.empty()) frame.col_name = NamePlace::none;
    if (has_bar_) {
      const bool own = has_own_bars(spec_, ranges_);
      frame.bar = own ? BarPlace::own : BarPlace::right;
      (own ? frame.own_bar : frame.right) =
          m.bar_gap + m.bar_width + m.bar_text_gap +
          bar_label_width(spec_, kind_, ranges_, std::min(frame.panel_height, 240.0f), m, typesetter_);
    }
    // Above an empty place of the grid, slanted labels would run into the next panel of the line below.
    const bool complete = frame.columns * frame.lines == count_;
    frame.row_ticks = row_ticks({spec_.row_ticks, rows_, spec_.first_row}, frame.cell_height, m.tick_text, typesetter_);
    frame.col_ticks =
        column_ticks({spec_.col_ticks, cols_, spec_.first_col}, frame.cell_width, complete, m.tick_text, typesetter_);
    const float row_room =
        frame.row_ticks.depth + m.tick_gap + (frame.row_name == NamePlace::outside ? m.name_room : 0);
    frame.left = std::max(row_room, frame.col_ticks.overhang);
    frame.ticks_below = m.tick_gap + frame.col_ticks.depth;
    frame.below = frame.ticks_below + (frame.col_name == NamePlace::outside ? m.name_room : 0);
    frame.top = m.margin + frame.panel_top + (frame.title ? m.title_room : 0) + (frame.subtitle ? m.subtitle_room : 0);
  }
};

}  // namespace

FigureMetrics roomy_metrics(const FigureSpec& spec) {
  const float s = base_text(spec) / 12;  // the numbers below are for text of 9 points
  const float strip = spec.on_paper || spec.print ? 0 : 6;
  return {16 * s, 12 * s, 12 * s, std::max(11 * s, least_text),
          24,     32 * s, 20 * s, 24 * s,
          22 * s, strip,  8 * s,  16 * s,
          12 * s, 6 * s,  14 * s, 24 * s,
          24 * s, 24 * s};
}

FigureMetrics tight_metrics(const FigureSpec& spec, float tick_text) {
  const float t = tick_text,
              f = std::min(std::max(base_text(spec), least_text), 1.15f * t);  // neighbouring words have similar sizes
  const float least_side = spec.size->height > 0 ? std::min(spec.size->width, spec.size->height) : spec.size->width;
  if (spec.on_paper) {
    const float apart = spec.panels.size() <= 4 ? 0.5f : spec.panels.size() <= 8 ? 0.35f : 0.18f;
    // A figure in a text has the text's margins around it; a slide or a poster is the whole page.
    const float margin = base_text(spec) >= 14 * units_to_a_point ? f : 0.25f * f;
    return {1.2f * f, f,         t,         t,        margin,    1.6f * f, 1.35f * f, 1.0f * f, 1.3f * f,
            0,        0.35f * t, 0.45f * f, 0.5f * f, 0.28f * f, 0.9f * f, 1.45f * f, 1.2f * f, apart * f};
  }
  const float margin = std::round(std::clamp(0.03f * least_side, 6.0f, 24.0f));
  return {1.2f * f, f,        t,        t,        margin,   1.65f * f, 1.35f * f, 1.3f * f, 1.35f * f,
          0,        0.4f * t, 0.8f * f, 0.7f * f, 0.4f * f, 0.9f * f,  1.45f * f, 1.2f * f, 0.6f * f};
}

std::vector<std::string> title_lines(const FigureSpec& spec, float size, float width, Typesetter& typesetter) {
  constexpr std::size_t most = 3;
  const auto wide = [&](const std::string& text) { return typesetter.width(text, FontRole::strong, size); };
  std::vector<std::string> lines;
  std::string rest = spec.title;
  while (lines.size() + 1 < most && wide(rest) > width) {
    std::size_t cut = std::string::npos;
    for (std::size_t at = rest.find(' '); at != std::string::npos; at = rest.find(' ', at + 1)) {
      if (wide(rest.substr(0, at)) > width) break;
      cut = at;
    }
    if (cut == std::string::npos) break;
    lines.push_back(rest.substr(0, cut));
    rest.erase(0, cut + 1);
  }
  lines.push_back(typesetter.elide(rest, FontRole::strong, size, width));
  return lines;
}

bool has_strips(const FigureSpec& spec) {
  return std::ranges::count_if(spec.panels, [](const FigurePanel& panel) { return panel.hue.has_value(); }) > 1;
}

std::string panel_name(const FigureSpec& spec, std::size_t panel, bool shortened) {
  const std::string& title = spec.panels[panel].title;
  const std::size_t colon = title.find(": ");
  const std::string brief = colon == std::string::npos ? title.substr(title.rfind(' ') + 1) : title.substr(0, colon);
  if (!spec.letters) return shortened ? brief : title;
  std::string letters;  // a, …, z, aa, …
  for (std::size_t left = panel + 1; left > 0; left = (left - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('a' + (left - 1) % 26));
  return "(" + letters + ")" + (title.empty() || shortened ? "" : " " + title);
}

std::vector<LegendEntry> legend_entries(const FigureSpec& spec, const std::vector<ValueRange>& ranges, bool brief) {
  KindCounts counts{};
  Index all = 0;
  for (const FigurePanel& panel : spec.panels) {
    const KindCounts own = count_kinds(panel.matrix, effective_masks(spec, panel));
    for (std::size_t k = 0; k < own.size(); ++k) counts[k] += own[k], all += own[k];
  }
  const FigureWords& w = spec.words;
  const std::pair<CellKind, std::string> names[] = {{CellKind::value, w.may_attend}, {CellKind::masked, w.masked},
                                                    {CellKind::neg_inf, "−∞"},       {CellKind::pos_inf, "+∞"},
                                                    {CellKind::nan, "NaN"},          {CellKind::dropped, w.dropped}};
  std::vector<LegendEntry> entries;
  for (const auto& [shade, name] : spec.categories) entries.push_back({CellKind::value, name, shade});
  brief = brief || !spec.categories.empty();
  for (const auto& [kind, name] : names) {
    const Index n = counts[static_cast<std::size_t>(kind)];
    if (n == 0 || (kind == CellKind::value && spec.palette != Palette::boolean)) continue;
    const std::string counted =
        "  " + std::to_string(n) + " " + w.of + " " + std::to_string(all) + " (" + share(n, all) + ")";
    entries.push_back({kind, brief ? name : name + counted});
  }
  if (!spec.bar || has_own_bars(spec, ranges)) return entries;
  const CellsBeyond beyond = cells_beyond(spec, ranges);
  const auto add = [&](Index n, const std::string& side, float end, float shade) {
    const std::string number = formatted("%.3g", static_cast<double>(end));
    if (n > 0) entries.push_back({CellKind::value, share(n, beyond.all) + " " + side + " " + number, shade});
  };
  add(beyond.above, w.above, ranges.front().hi, 1);
  add(beyond.below, w.below, ranges.front().lo, 0);
  return entries;
}

void set_cells(FigureFrame& frame, const FigureSpec& spec, float cell_width, float cell_height) {
  frame.cell_width = cell_width;
  frame.cell_height = cell_height;
  frame.panel_width = std::max(1.0f, cells(spec.panels[0].matrix.cols) * cell_width);
  frame.panel_height = std::max(1.0f, cells(spec.panels[0].matrix.rows) * cell_height);
}

float content_width(const FigureFrame& frame) {
  return frame.left + cells(frame.columns) * (frame.panel_width + frame.own_bar) +
         cells(frame.columns - 1) * frame.gap + frame.right;
}

bool shares_line(const FigureFrame& frame) {
  return frame.bar == BarPlace::below && frame.legend_place == NamePlace::outside && frame.legend.size() == 1 &&
         frame.legend_width < 0.45f * frame.inner_width;
}

float content_height(const FigureFrame& frame) {
  const float panels = cells(frame.lines) * frame.panel_height + cells(frame.lines - 1) * (frame.gap + frame.panel_top);
  const bool under = frame.legend_place == NamePlace::outside && !frame.legend.empty() && !shares_line(frame);
  const float legend = under ? cells(static_cast<Index>(frame.legend.size())) * frame.metrics.legend_line : 0;
  return frame.top + panels + frame.below + legend + frame.metrics.margin -
         (legend > 0 ? frame.metrics.legend_line / 6 : 0);
}

float raggedness(Index count, Index columns) {
  const Index empty = (count + columns - 1) / columns * columns - count;
  return empty == 0 ? 0 : 0.35f + 2 * cells(empty) / cells(count);
}

void break_legend(FigureFrame& frame, const std::vector<LegendEntry>& entries, float width, Typesetter& typesetter) {
  frame.legend.clear();
  frame.legend_width = 0;
  const FigureMetrics& m = frame.metrics;
  float used = 0;
  for (const LegendEntry& entry : entries) {
    const float own = m.swatch + 0.5f * m.label_text + typesetter.width(entry.text, FontRole::text, m.label_text);
    if (frame.legend.empty() || used + m.legend_gap + own > width) {
      frame.legend.emplace_back();
      used = -m.legend_gap;
    }
    frame.legend.back().push_back(entry);
    used += m.legend_gap + own;
    frame.legend_width = std::max(frame.legend_width, used);
  }
}

float bar_label_width(const FigureSpec& spec, ColormapKind kind, const std::vector<ValueRange>& ranges, float length,
                      const FigureMetrics& metrics, Typesetter& typesetter) {
  float widest = 0;
  for (const ValueRange& range : ranges) {
    for (const BarTick& tick : labelled_bar(spec, kind, range, length, metrics.bar_text + 2)) {
      widest = std::max(widest, typesetter.width(tick.text, FontRole::text, metrics.bar_text));
    }
  }
  return widest;
}

bool has_own_bars(const FigureSpec& spec, const std::vector<ValueRange>& ranges) {
  const auto other = [&](ValueRange range) { return !(range == ranges.front()); };
  return spec.range_mode == RangeMode::head && std::any_of(ranges.begin(), ranges.end(), other);
}

std::vector<BarTick> labelled_bar(const FigureSpec& spec, ColormapKind kind, ValueRange range, float length,
                                  float apart) {
  const auto is_apart = [&](const std::vector<BarTick>& ticks) {
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      if ((ticks[i].at - ticks[i - 1].at) * length < apart) return false;
    }
    return true;
  };
  if (spec.range_mode == RangeMode::row) {
    std::vector<BarTick> ticks{{0, "0"}, {1, spec.words.row_maximum}};
    if (kind == ColormapKind::diverging) ticks = {{0, "−" + spec.words.row_maximum}, {0.5f, "0"}, ticks[1]};
    return is_apart(ticks) ? ticks : std::vector{ticks.back()};
  }
  if (spec.norm != Norm::linear) return spread_ticks(range, kind, spec.norm, apart / length);
  const int most = std::clamp(static_cast<int>(length / std::max(spec.on_paper ? 20.0f : 32.0f, apart)) + 1, 2, 7);
  for (const int tried : {most, most + 1, most + 2, most + 3, most - 1, most - 2, 2}) {
    if (std::vector<BarTick> ticks = bar_ticks(range, std::max(2, tried)); ticks.size() >= 2 && is_apart(ticks))
      return ticks;
  }
  // Of a short bar, its ends; of one that is shorter still, what the strongest colour is.
  std::vector<BarTick> ends{{0, in_two_digits(range.lo)}, {1, in_two_digits(range.hi)}};
  if (!is_apart(ends)) ends.erase(ends.begin());
  return ends;
}

FigureFrame fit_frame(const FigureSpec& spec, const std::vector<ValueRange>& ranges, ColormapKind kind,
                      Typesetter& typesetter) {
  const FrameMaker maker(spec, ranges, kind, typesetter);
  if (!spec.bare && spec.size) return search_frame(maker);
  ContentFrame content(maker);
  return spec.bare ? content.bare() : content.frame_for_content();
}

}  // namespace headlight
