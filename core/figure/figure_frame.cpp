#include "core/figure/figure_frame.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr float thin_side = 96;  // a matrix of few rows is stretched to this height, its cells to at most thin_cell
constexpr float thin_cell = 24;
constexpr float large_share = 0.55f;  // of its part of the figure, that a panel's room should have
constexpr float least_panel = 56;  // with less room than this, a figure leaves out detail

float cells(Index n) {
  return static_cast<float>(n);
}
/// Whole units where the loss does not matter, so that cells are equal.
float whole(float cell) {
  return cell >= 4 ? std::floor(cell) : cell;
}

std::string share(Index part, Index all) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(all);
  if (percent < 1) return "<1 %";
  return std::to_string(part < all ? std::min(99L, std::lround(percent)) : 100L) + " %";
}

std::vector<LegendEntry> legend_entries(const FigureSpec& spec) {
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
  for (const auto& [kind, name] : names) {
    const Index n = counts[static_cast<std::size_t>(kind)];
    if (n == 0 || (kind == CellKind::value && spec.palette != Palette::boolean)) continue;
    entries.push_back(
        {kind, name + "  " + std::to_string(n) + " " + w.of + " " + std::to_string(all) + " (" + share(n, all) + ")"});
  }
  return entries;
}

class Fitter {
 public:
  Fitter(const FigureSpec& spec, const std::vector<ValueRange>& ranges, ColormapKind kind, Typesetter& typesetter)
      : spec_(spec),
        ranges_(ranges),
        kind_(kind),
        typesetter_(typesetter),
        rows_(spec.panels[0].matrix.rows),
        cols_(spec.panels[0].matrix.cols),
        count_(static_cast<Index>(spec.panels.size())),
        entries_(spec.bare ? std::vector<LegendEntry>{} : legend_entries(spec)) {}

  FigureFrame grown() {
    Frame frame;
    frame.columns = best_grid();
    frame.lines = (count_ + frame.columns - 1) / frame.columns;
    set_cells(frame, automatic_cell());
    surround(frame);
    size_content(frame);
    const float title = title_width(), subtitle = width(spec_.subtitle, FontRole::text, label_size);
    frame.inner_width = std::max(frame.content_width, std::min(360.0f, std::max(title, subtitle)));
    for (const LegendEntry& entry : entries_) frame.inner_width = std::max(frame.inner_width, entry_width(entry));
    break_legend(frame);
    frame.width = std::ceil(frame.inner_width + 2 * frame.margin);
    frame.height = std::ceil(content_height(frame));
    return frame;
  }

  /// The cells alone: a given size is filled exactly, several panels stand a little apart.
  FigureFrame bare() {
    Frame frame;
    frame.detail = {false, false, false, false, false, false};
    frame.columns = best_grid();
    frame.lines = (count_ + frame.columns - 1) / frame.columns;
    frame.gap = 8;
    const float gaps_x = cells(frame.columns - 1) * frame.gap, gaps_y = cells(frame.lines - 1) * frame.gap;
    std::pair<float, float> cell = automatic_cell();
    if (spec_.size) {
      const float wide = std::max(1.0f, (spec_.size->width - gaps_x) / cells(frame.columns));
      const float high = std::max(1.0f, (spec_.size->height - gaps_y) / cells(frame.lines));
      cell = {wide / cells(cols_), high / cells(rows_)};
    }
    set_cells(frame, cell);
    size_content(frame);
    frame.inner_width = frame.content_width;
    frame.width = spec_.size ? spec_.size->width : frame.content_width;
    frame.height = spec_.size ? spec_.size->height : cells(frame.lines) * frame.panel_height + gaps_y;
    return frame;
  }

  FigureFrame fitted(FigureSize size) {
    constexpr FigureDetail levels[] = {{},
                                       {false},
                                       {false, false},
                                       {false, false, false},
                                       {false, false, false, false},
                                       {false, false, false, false, false},
                                       {false, false, false, false, false, false}};
    Frame best;
    for (std::size_t i = 0; i < std::size(levels); ++i) {
      best = best_fit(size, levels[i]);
      // What a caption says as well goes first, for the sake of the cells; axes only where nothing would be left.
      const float wanted = i < 2 ? large_share * std::min(size.width / cells(best.columns), size.height / cells(best.lines)) : 0;
      if (roomy(best, size, std::max(least_panel, wanted))) break;
    }
    return best;
  }

 private:
  using Frame = FigureFrame;

  float width(const std::string& text, FontRole role, float size) { return typesetter_.width(text, role, size); }
  float title_width() {
    return width(spec_.title, FontRole::strong, title_size) + 8 + width(spec_.shape, FontRole::text, label_size) + 1;
  }
  float entry_width(const LegendEntry& entry) {
    return swatch_size + swatch_gap + width(entry.text, FontRole::text, label_size);
  }

  /// Square cells, but for matrices of very few rows or columns; whole units from one unit on.
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

  /// What a grid's empty places cost.
  float raggedness(Index columns, Index lines) const {
    const Index empty = columns * lines - count_;
    return empty == 0 ? 0 : 0.35f + 2 * cells(empty) / cells(count_);
  }

  /// Columns for a grid about half again as wide as high, with few empty places.
  Index best_grid() const {
    const auto [cell_width, cell_height] = automatic_cell();
    const float panel = cells(cols_) * cell_width / (cells(rows_) * cell_height);
    Index best = 1;
    float least = 1e9f;
    for (Index columns = 1; columns <= count_; ++columns) {
      const Index lines = (count_ + columns - 1) / columns;
      const float cost = std::fabs(std::log(panel * cells(columns) / cells(lines) / 1.5f)) + raggedness(columns, lines);
      if (cost < least) least = cost, best = columns;
    }
    return best;
  }

  void set_cells(Frame& frame, std::pair<float, float> cell) const {
    frame.cell_width = cell.first;
    frame.cell_height = cell.second;
    frame.panel_width = std::max(1.0f, cells(cols_) * cell.first);
    frame.panel_height = std::max(1.0f, cells(rows_) * cell.second);
  }

  /// Everything that depends on the size of a cell: ticks and the room that they take.
  void surround(Frame& frame) {
    const FigureDetail& show = frame.detail;
    const bool titled = std::any_of(spec_.panels.begin(), spec_.panels.end(), [](auto& p) { return !p.title.empty(); });
    const bool hued = std::any_of(spec_.panels.begin(), spec_.panels.end(), [](auto& p) { return p.hue.has_value(); });
    frame.panel_top = (titled && show.title ? 22.0f : 0.0f) + (hued ? strip_height + 3 : 0.0f);
    frame.gap = show.ticks ? 24 : show.title ? 12 : 4;
    measure_bars(frame);
    if (show.ticks) {
      // Over an empty place of the grid, slanted labels would lean into the next panel of the line below.
      const bool complete = frame.columns * frame.lines == count_;
      frame.row_ticks = row_ticks(spec_.row_ticks, rows_, frame.cell_height, typesetter_);
      frame.col_ticks = column_ticks(spec_.col_ticks, cols_, frame.cell_width, complete, typesetter_);
    }
    const float row_room = (show.ticks ? frame.row_ticks.depth + tick_gap : 0) + (named_rows(frame) ? 24 : 0);
    frame.left = std::max(row_room, frame.col_ticks.overhang);
    frame.below = (show.ticks ? tick_gap + frame.col_ticks.depth : 0) + (named_cols(frame) ? 24 : 0);
    frame.top =
        margin_of(frame) + frame.panel_top + (titles(frame) ? 32 : 0) + (subtitled(frame) ? 20 : 0);
  }

  void measure_bars(Frame& frame) {
    if (!frame.detail.bar || !spec_.bar || spec_.palette == Palette::boolean) return;
    frame.bar_text = 0;
    for (const ValueRange& range : ranges_) {
      for (const BarTick& tick : labelled_bar(spec_, kind_, range, frame.panel_height)) {
        frame.bar_text = std::max(frame.bar_text, width(tick.text, FontRole::text, bar_text_size));
      }
    }
    (has_own_bars(spec_, ranges_) ? frame.own_bar : frame.right) = bar_gap + bar_width + 6 + frame.bar_text;
  }

  static float margin_of(const Frame& frame) { return frame.detail.title ? frame.margin : std::min(frame.margin, 8.0f); }
  bool titles(const Frame& frame) const { return frame.detail.title && !spec_.title.empty(); }
  bool subtitled(const Frame& frame) const { return frame.detail.subtitle && !spec_.subtitle.empty(); }
  bool named_rows(const Frame& frame) const { return frame.detail.words && !spec_.row_label.empty(); }
  bool named_cols(const Frame& frame) const { return frame.detail.words && !spec_.col_label.empty(); }

  void size_content(Frame& frame) const {
    frame.content_width = frame.left + cells(frame.columns) * (frame.panel_width + frame.own_bar) +
                          cells(frame.columns - 1) * frame.gap + frame.right;
  }

  float content_height(const Frame& frame) const {
    const float panels =
        cells(frame.lines) * frame.panel_height + cells(frame.lines - 1) * (frame.gap + frame.panel_top);
    const float legend = frame.legend.empty() ? 0 : cells(static_cast<Index>(frame.legend.size())) * legend_line;
    return frame.top + panels + frame.below + legend + margin_of(frame) - (legend > 0 ? 4 : 0);
  }

  void break_legend(Frame& frame) {
    frame.legend.clear();
    if (!frame.detail.legend) return;
    float used = 0;
    for (const LegendEntry& entry : entries_) {
      const float own = entry_width(entry);
      if (frame.legend.empty() || used + legend_gap + own > frame.inner_width) {
        frame.legend.emplace_back();
        used = -legend_gap;
      }
      frame.legend.back().push_back(entry);
      used += legend_gap + own;
    }
  }

  /// The cells that fill what the frame's surroundings leave of the figure.
  std::pair<float, float> remaining_cell(const Frame& frame, FigureSize size) const {
    Frame empty = frame;
    empty.panel_width = empty.panel_height = 0;
    size_content(empty);
    const float wide = (frame.inner_width - empty.content_width) / cells(frame.columns) / cells(cols_);
    const float high = (size.height - content_height(empty)) / cells(frame.lines) / cells(rows_);
    const float square = std::max(0.01f, std::min(wide, high));
    const auto stretched = [&](float room, Index n) {
      return std::max(square, std::min({room, thin_cell, thin_side / cells(n)}));
    };
    return {whole(cols_ * 8 < rows_ ? stretched(wide, cols_) : square),
            whole(rows_ * 8 < cols_ ? stretched(high, rows_) : square)};
  }

  /// Ticks depend on the size of cells and cells on the room that ticks leave: the room taken only grows, so this ends.
  Frame solve(FigureSize size, const FigureDetail& detail, Index columns) {
    Frame frame;
    frame.detail = detail;
    frame.columns = columns;
    frame.lines = (count_ + columns - 1) / columns;
    frame.width = size.width;
    frame.height = size.height;
    frame.margin = std::round(std::clamp(0.04f * std::min(size.width, size.height), 6.0f, figure_margin));
    frame.inner_width = size.width - 2 * margin_of(frame);
    break_legend(frame);
    Frame room = frame;
    for (int round = 0; round < 12; ++round) {
      set_cells(frame, remaining_cell(room, size));
      surround(frame);
      const bool fits = frame.left <= room.left && frame.right <= room.right && frame.below <= room.below &&
                        frame.top <= room.top && frame.own_bar <= room.own_bar && frame.gap <= room.gap &&
                        frame.panel_top <= room.panel_top;
      if (fits) break;
      const auto widen = [](float& taken, float needed) { taken = std::max(taken, needed); };
      widen(room.left, frame.left), widen(room.right, frame.right), widen(room.below, frame.below);
      widen(room.top, frame.top), widen(room.own_bar, frame.own_bar), widen(room.gap, frame.gap);
      widen(room.panel_top, frame.panel_top);
    }
    size_content(frame);
    return frame;
  }

  Frame best_fit(FigureSize size, const FigureDetail& detail) {
    Frame best;
    float most = -1;
    for (Index columns = 1; columns <= count_; ++columns) {
      Frame frame = solve(size, detail, columns);
      const float worth = frame.panel_width * frame.panel_height / (1 + 0.3f * raggedness(columns, frame.lines));
      const bool inside =
          frame.content_width <= frame.inner_width + 0.5f && content_height(frame) <= size.height + 0.5f;
      if (columns == 1 || (inside && worth > most)) most = inside ? worth : 0, best = std::move(frame);
    }
    return best;
  }

  bool roomy(const Frame& frame, FigureSize size, float side) const {
    Frame empty = frame;
    empty.panel_width = empty.panel_height = 0;
    size_content(empty);
    const float wide = (frame.inner_width - empty.content_width) / cells(frame.columns);
    const float high = (size.height - content_height(empty)) / cells(frame.lines);
    return std::min(wide, high) >= side;
  }

  const FigureSpec& spec_;
  const std::vector<ValueRange>& ranges_;
  ColormapKind kind_;
  Typesetter& typesetter_;
  Index rows_, cols_, count_;
  std::vector<LegendEntry> entries_;
};

}  // namespace

bool has_own_bars(const FigureSpec& spec, const std::vector<ValueRange>& ranges) {
  const auto other = [&](ValueRange range) { return !(range == ranges.front()); };
  return spec.range_mode == RangeMode::head && std::any_of(ranges.begin(), ranges.end(), other);
}

std::vector<BarTick> labelled_bar(const FigureSpec& spec, ColormapKind kind, ValueRange range, float height) {
  const auto apart = [&](const std::vector<BarTick>& ticks) {
    return ticks.size() < 2 || (ticks[1].at - ticks[0].at) * height >= bar_text_size + 2;
  };
  if (spec.range_mode == RangeMode::row) {
    std::vector<BarTick> ticks{{0, "0"}, {1, spec.words.row_maximum}};
    if (kind == ColormapKind::diverging) ticks = {{0, "−" + spec.words.row_maximum}, {0.5f, "0"}, ticks[1]};
    return apart(ticks) ? ticks : std::vector{ticks.back()};
  }
  const int most = std::clamp(static_cast<int>(height / 32) + 1, 2, 7);
  for (const int tried : {most, most + 1, most + 2, most + 3, most - 1, most - 2, 2}) {
    if (std::vector<BarTick> ticks = bar_ticks(range, std::max(2, tried)); ticks.size() >= 2 && apart(ticks))
      return ticks;
  }
  std::vector<BarTick> ticks = bar_ticks(range, 2);
  if (ticks.size() > 1) ticks.erase(ticks.begin(), ticks.end() - 1);
  return ticks;
}

FigureFrame fit_frame(const FigureSpec& spec, const std::vector<ValueRange>& ranges, ColormapKind kind,
                      Typesetter& typesetter) {
  Fitter fitter(spec, ranges, kind, typesetter);
  return spec.bare ? fitter.bare() : spec.size ? fitter.fitted(*spec.size) : fitter.grown();
}

}  // namespace headlight
