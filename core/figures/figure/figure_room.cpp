#include <algorithm>
#include <cmath>

#include "core/figures/figure/figure_frame.h"
#include "core/rules/stage/pool.h"

namespace headlight {
float FigureRoom::across(const FigureFrame& frame) {
  return number(frame.lines) * frame.panel_height + number(frame.lines - 1) * (frame.gap + frame.panel_top);
}

FigureRoom::FigureRoom(const FrameMaker& maker)
    : FrameMaker(maker),
      entries_(legend_entries(spec_, ranges_, spec_.on_paper)),
      width_(spec_.size->width),
      height_(spec_.size->height > 0 ? spec_.size->height : 0) {
  const float base = tight_metrics(spec_, 12).label_text;
  for (const float share : {1.0f, 0.875f, 0.75f}) {
    const float text = std::max(least_text, base * share);
    if (texts_.empty() || text < texts_.back()) texts_.push_back(text);
  }
  for (const float text : texts_) {
    FigureFrame measured;
    measured.metrics = tight_metrics(spec_, text);
    break_legend(measured, entries_, width_ - 2 * measured.metrics.margin, typesetter_);
    metrics_.push_back(measured.metrics);
    legend_lines_.push_back(measured.legend.size());
    const float title = measured.metrics.title_text, room = width_ - 2 * measured.metrics.margin;
    title_lines_.push_back(spec_.keep_title
                               ? title_lines(spec_, title, room, typesetter_)
                               : std::vector{typesetter_.elide(spec_.title, FontRole::strong, title, room)});
    legend_widths_.push_back(measured.legend_width);
  }
  row_width_ = widths(spec_.row_ticks, rows_);
  col_width_ = widths(spec_.col_ticks, cols_);
  const auto em = [&](const std::string& text, FontRole role) { return typesetter_.width(text, role, 1); };
  const auto widest = [&](Index last) {
    return em(std::string(std::to_string(last).size(), '0'), FontRole::text);
  };  // "500" is wider than "511"
  row_index_ = widest(spec_.first_row + rows_ - 1);
  col_index_ = widest(spec_.first_col + cols_ - 1);
  col_label_ = em(spec_.col_label, FontRole::text);
  row_label_ = em(spec_.row_label, FontRole::text);
  bar_label_ = bar_label_width(spec_, kind_, ranges_, 120, metrics_.back(), typesetter_) / metrics_.back().bar_text;
  free_corner_ = std::all_of(spec_.panels.begin(), spec_.panels.end(),
                             [&](const FigurePanel& panel) { return has_free_corner(panel); });
  for (const std::string& name : spec_.line_names) line_name_ = std::max(line_name_, em(name, FontRole::strong));
  for (const std::string& name : spec_.column_names) column_name_ = std::max(column_name_, em(name, FontRole::strong));
  for (std::size_t i = 0; i < spec_.panels.size(); ++i)
    panel_name_ = std::max(panel_name_, em(panel_name(spec_, i, true), FontRole::strong));
  for (const LegendEntry& entry : entries_) legend_widest_ = std::max(legend_widest_, em(entry.text, FontRole::text));
}

WordWidths FigureRoom::widths(const std::vector<std::string>& tokens, Index count) {
  WordWidths out;
  for (Index i = 0; i < count && i < static_cast<Index>(tokens.size()); ++i) {
    const float own = typesetter_.width(tokens[static_cast<std::size_t>(i)], FontRole::text, 1);
    auto& tier = i % 2 == 0 ? out.even : out.odd;
    for (std::size_t k = 0; k < tier.size(); ++k) tier[k] = std::max(tier[k], std::min(own, longest_words[k]));
  }
  for (std::size_t k = 0; k < out.all.size(); ++k) out.all[k] = std::max(out.even[k], out.odd[k]);
  return out;
}

bool FigureRoom::has_free_corner(const FigurePanel& panel) const {
  const auto corner = [&](const MatrixView& m) { return m.part(0, rows_ / 6 + 1, cols_ / 2, cols_ - cols_ / 2); };
  const CellMasks masks = effective_masks(spec_, panel).with_each(corner);
  // Pooling finds the kind in a mask of any size without reading each cell.
  const CellKind kind = pool(corner(panel.matrix), masks, 1, 1).kinds.front();
  return kind == CellKind::masked || kind == CellKind::dropped || kind == CellKind::neg_inf;
}

void FigureRoom::fit_cells(FigureFrame& frame) const {
  const float wide = (frame.inner_width - content_width(frame)) / number(frame.columns) / number(cols_);
  const float most_high = height_ > 0 ? height_ : 1.25f * width_;
  const float high = (most_high - content_height(frame)) / number(frame.lines) / number(rows_);
  const float square = std::min(wide, high);
  const auto stretched = [&](float all, Index n) {
    return std::max(square, std::min({all, thin_cell, thin_side / number(n)}));
  };
  float w = cols_ * 8 < rows_ ? stretched(wide, cols_) : square,
        h = rows_ * 8 < cols_ ? stretched(high, rows_) : square;
  if (!spec_.on_paper && w == h && w >= 8) w = h = std::floor(w);  // whole pixels, so that cells are equal
  frame.cell_width = w, frame.cell_height = h;
  if (square <= 0) return;
  frame.panel_width = w * number(cols_), frame.panel_height = h * number(rows_);
  frame.height = height_ > 0 ? height_ : content_height(frame);
}

FigureFrame FigureRoom::room(const FigureChoice& c) const {
  FigureFrame frame;
  const FigureMetrics& m = frame.metrics = metrics_[static_cast<std::size_t>(c.text)];
  frame.title = c.title, frame.subtitle = c.subtitle;
  if (c.title) frame.title_lines = title_lines_[static_cast<std::size_t>(c.text)];
  frame.bar = c.bar, frame.row_name = c.row_name, frame.col_name = c.col_name;
  frame.head_names = c.head_names, frame.legend_place = c.legend;
  frame.columns = c.columns;
  frame.lines = (count_ + c.columns - 1) / c.columns;
  frame.width = width_;
  frame.inner_width = width_ - 2 * m.margin;
  frame.mark_room = highlight_room(spec_, m.tick_text);
  frame.panel_top = frame.mark_room + (c.head_names == NamePlace::outside ? m.head_room : 0);
  frame.gap = m.panel_gap;
  const auto k = static_cast<std::size_t>(c.longest);
  const float t = m.tick_text;
  // The last word of a panel and the first of the next one are then in the same tier.
  if (c.row_tiers && rows_ % 2 == 1) frame.gap = std::max(frame.gap, line_of(m) - tier_cell * t);
  const float row_depth =
      c.rows == TickWords::none
          ? 0
          : (c.rows == TickWords::tokens ? row_width_.depth(k, c.row_tiers) : row_index_) * t + m.tick_gap;
  const float line_names = c.head_names == NamePlace::edges ? (line_name_ + 0.5f) * m.label_text : 0;
  frame.left = line_names + row_depth + (c.row_name == NamePlace::outside ? m.name_room : 0);
  float col_depth = t;
  if (c.angle == -90) col_depth = col_width_.depth(k, c.col_tiers) * t;
  if (c.angle == -45) {
    const float along = 0.70710678f * (col_width_.all[k] + 0.5f) * t;
    col_depth = along + 0.5f * t;
    frame.left = std::max(frame.left, along);
  }
  frame.ticks_below = c.cols == TickWords::none ? 0 : col_depth + m.tick_gap;
  frame.below = frame.ticks_below + (c.col_name == NamePlace::outside ? m.name_room : 0);
  const float bar = m.bar_gap + m.bar_width + m.bar_text_gap;
  if (c.bar == BarPlace::own) frame.own_bar = bar + bar_label_ * m.bar_text;
  if (c.bar == BarPlace::right) frame.right = bar + bar_label_ * m.bar_text;
  // Half of the bar's last label is below the matrices.
  if (c.bar == BarPlace::right || c.bar == BarPlace::own) frame.below = std::max(frame.below, 0.5f * m.bar_text);
  if (c.bar == BarPlace::below) frame.below += bar + m.bar_text;
  if (c.col_name == NamePlace::beside)
    frame.right = std::max(frame.right, 0.8f * m.label_text + col_label_ * m.label_text);
  if (c.legend == NamePlace::beside) { frame.right = std::max(frame.right, m.bar_gap + legend_width(m)); }
  if (c.cols == TickWords::indices || c.angle == 0)
    frame.right = std::max(frame.right, c.cols == TickWords::indices ? col_index_ * t / 2 : 0.0f);
  const float tick_over = c.rows == TickWords::none ? 0 : 0.5f * t;  // a label can be higher than its row
  frame.top = m.margin + frame.panel_top + (c.title ? m.title_room + more_title_room(frame.title_lines.size(), m) : 0) +
              (c.subtitle ? m.subtitle_room : 0) + (c.head_names == NamePlace::edges ? m.head_room : 0);
  if (frame.top < m.margin + tick_over) frame.top = m.margin + tick_over;
  if (c.legend == NamePlace::corner) frame.left = std::max(frame.left, legend_width(m));
  if (c.legend == NamePlace::outside) {
    frame.legend.resize(legend_lines_[static_cast<std::size_t>(c.text)]);
    frame.legend_width = legend_widths_[static_cast<std::size_t>(c.text)];
  }
  fit_cells(frame);
  return frame;
}

float FigureRoom::line_of(const FigureMetrics& m) const {
  return (m.tick_text <= metrics_.back().tick_text ? 0.94f : 1.02f) * m.tick_text;
}

float FigureRoom::in_corner(const FigureChoice& c, const FigureMetrics& m) const {
  const float name = c.row_name == NamePlace::corner ? m.tick_gap + m.label_text : 0;
  return name +
         (c.legend == NamePlace::corner ? m.tick_gap + number(static_cast<Index>(entries_.size())) * m.legend_line : 0);
}

bool FigureRoom::has_room(const FigureChoice& c, const FigureFrame& frame) const {
  const FigureMetrics& m = frame.metrics;
  const float t = m.tick_text;
  if (c.rows == TickWords::tokens && c.row_tiers && frame.cell_height < tier_cell * t) return false;
  if (c.cols == TickWords::tokens) {
    if (c.col_tiers && frame.cell_width < tier_cell * t) return false;
    const bool into_the_next =
        c.angle == 0 && col_width_.all[static_cast<std::size_t>(c.longest)] * t > frame.panel_width + frame.gap - 1;
    const bool over_the_line_below = c.angle == -45 && frame.columns * frame.lines != count_;
    if (into_the_next || over_the_line_below) return false;
  }
  const float panel = frame.panel_width + frame.own_bar;
  if (c.head_names == NamePlace::outside && panel < panel_name_ * m.label_text) return false;
  if (c.head_names == NamePlace::edges && frame.panel_width < column_name_ * m.label_text) return false;
  if (c.head_names == NamePlace::edges && frame.panel_height < m.label_text) return false;
  if (c.head_names == NamePlace::beside && frame.panel_width < 5 * m.label_text) return false;
  const bool bar_beside = c.bar == BarPlace::right || c.bar == BarPlace::own;
  if (bar_beside && frame.panel_height < 2.2f * m.bar_text) return false;
  if (c.row_name == NamePlace::corner && row_label_ * m.label_text > frame.left) return false;
  if (c.row_name == NamePlace::outside && row_label_ * m.label_text > across(frame)) return false;
  if (c.col_name == NamePlace::outside && col_label_ * m.label_text > frame.inner_width) return false;
  if (in_corner(c, m) > frame.ticks_below) return false;
  if (c.legend == NamePlace::outside && legend_width(m) > frame.inner_width) return false;
  const float beside = number(static_cast<Index>(entries_.size())) * m.legend_line + 5 * m.bar_text;
  return c.legend != NamePlace::beside || frame.panel_height >= beside;
}

}  // namespace headlight
