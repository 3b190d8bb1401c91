#include "core/figure/figure_layout.h"

#include <algorithm>
#include <cmath>

#include "core/figure/cell_values.h"
#include "core/figure/figure_frame.h"

namespace headlight {
namespace {

/// Where a line's baseline starts so that its capitals are centred on `centre`, at any slant.
Point on_centre(Point centre, float angle, float half_height) {
  const float radians = angle * 3.14159265f / 180;
  return {centre.x - half_height * std::sin(radians), centre.y + half_height * std::cos(radians)};
}

class Placer {
 public:
  Placer(const FigureSpec& spec, const FigureFrame& frame, const std::vector<ValueRange>& ranges, const Colormap& map,
         Typesetter& typesetter)
      : spec_(spec), frame_(frame), ranges_(ranges), map_(map), typesetter_(typesetter), theme_(colours(spec.theme)) {}

  FigureLayout place() {
    out_.width = frame_.width;
    out_.height = frame_.height;
    out_.cell_width = frame_.cell_width;
    out_.cell_height = frame_.cell_height;
    // Of a given size, the figure stands in the middle; else the content is what the size came from.
    edge_ = spec_.bare ? 0 : std::round(spec_.size ? (frame_.width - frame_.content_width) / 2 : frame_.margin);
    title_edge_ = std::max(edge_, (frame_.width - frame_.inner_width) / 2);
    room_ = frame_.width - title_edge_ - (frame_.width - frame_.inner_width) / 2;
    panels();
    titles();
    axes();
    bars();
    legend();
    write_values(spec_, map_, typesetter_, out_);
    return std::move(out_);
  }

 private:
  void label(std::string text, FontRole role, float size, Rgba colour, Point at, Anchor anchor = Anchor::start,
             float angle = 0) {
    if (!text.empty()) out_.labels.push_back({std::move(text), role, size, colour, at, anchor, angle});
  }
  float half(float size) { return typesetter_.half_height(FontRole::text, size); }

  Box last_of_first_line() const {
    return out_.panels[std::min(static_cast<std::size_t>(frame_.columns), out_.panels.size()) - 1].heatmap;
  }

  void panels() {
    const auto step_x = frame_.panel_width + frame_.own_bar + frame_.gap;
    const auto step_y = frame_.panel_height + frame_.panel_top + frame_.gap;
    for (std::size_t i = 0; i < spec_.panels.size(); ++i) {
      const auto column = static_cast<float>(static_cast<Index>(i) % frame_.columns);
      const auto line = static_cast<float>(static_cast<Index>(i) / frame_.columns);
      const Box at{std::round(edge_ + frame_.left + column * step_x), std::round(frame_.top + line * step_y),
                    frame_.panel_width, frame_.panel_height};
      out_.panels.push_back({i, at, ranges_[i]});
      const FigurePanel& panel = spec_.panels[i];
      if (panel.hue && !spec_.bare)
        out_.boxes.push_back({{at.x, at.y - strip_height - 3, at.w, strip_height}, *panel.hue});
      if (frame_.detail.title && !panel.title.empty()) {
        const float y = at.y - (frame_.panel_top > 22 ? strip_height + 3 : 0) - 8;
        label(typesetter_.elide(panel.title, FontRole::strong, label_size, at.w + frame_.own_bar), FontRole::strong,
              label_size, theme_.ink, {at.x, y});
      }
    }
  }

  void titles() {
    if (!frame_.detail.title || spec_.title.empty()) return;
    const float baseline = frame_.margin + 12;
    const float shape = typesetter_.width(spec_.shape, FontRole::text, label_size) + 8;
    const float whole = typesetter_.width(spec_.title, FontRole::strong, title_size);
    const bool beside = !spec_.shape.empty() && room_ - shape >= whole;
    const std::string title =
        typesetter_.elide(spec_.title, FontRole::strong, title_size, beside ? room_ - shape : room_);
    label(title, FontRole::strong, title_size, theme_.ink, {title_edge_, baseline});
    const float end = title_edge_ + typesetter_.width(title, FontRole::strong, title_size);
    if (beside) label(spec_.shape, FontRole::text, label_size, theme_.muted, {end + 8, baseline});
    if (frame_.detail.subtitle) {
      label(typesetter_.elide(spec_.subtitle, FontRole::text, label_size, room_), FontRole::text, label_size,
            theme_.muted, {title_edge_, baseline + 22});
    }
  }

  void axes() {
    const Box& first = out_.panels.front().heatmap;
    const float bottom = frame_.top + static_cast<float>(frame_.lines) * frame_.panel_height +
                         static_cast<float>(frame_.lines - 1) * (frame_.panel_top + frame_.gap);
    for (std::size_t i = 0; i < out_.panels.size(); ++i) {
      if (static_cast<Index>(i) % frame_.columns == 0) rows_of(out_.panels[i].heatmap);
      if (i + static_cast<std::size_t>(frame_.columns) >= out_.panels.size()) columns_of(out_.panels[i].heatmap);
    }
    if (!frame_.detail.words) return;
    if (typesetter_.width(spec_.row_label, FontRole::text, label_size) <= bottom - first.y) {
      label(spec_.row_label, FontRole::text, label_size, theme_.muted,
            on_centre({edge_ + 8, (first.y + bottom) / 2}, -90, half(label_size)), Anchor::middle, -90);
    }
    const Box last = last_of_first_line();
    const std::string name = typesetter_.elide(spec_.col_label, FontRole::text, label_size, frame_.inner_width);
    const float reach = typesetter_.width(name, FontRole::text, label_size) / 2;
    const float low = (frame_.width - frame_.inner_width) / 2 + reach;
    const float middle = std::clamp((first.x + last.right()) / 2, low, std::max(low, frame_.width - low));
    label(name, FontRole::text, label_size, theme_.muted,
          on_centre({middle, bottom + frame_.below - 8}, 0, half(label_size)), Anchor::middle);
  }

  void rows_of(const Box& matrix) {
    for (const AxisTick& tick : frame_.row_ticks.ticks) {
      const float y = matrix.y + (static_cast<float>(tick.index) + 0.5f) * frame_.cell_height;
      if (frame_.row_ticks.marks) out_.boxes.push_back({{matrix.x - 5, y - 0.5f, 4, 1}, theme_.muted});
      label(tick.text, FontRole::text, tick_size, theme_.muted, on_centre({matrix.x - tick_gap, y}, 0, half(tick_size)),
            Anchor::end);
    }
  }

  void columns_of(const Box& matrix) {
    const AxisTicks& ticks = frame_.col_ticks;
    for (const AxisTick& tick : ticks.ticks) {
      const float x = matrix.x + (static_cast<float>(tick.index) + 0.5f) * frame_.cell_width;
      if (ticks.marks) out_.boxes.push_back({{x - 0.5f, matrix.bottom() + 1, 1, 4}, theme_.muted});
      if (ticks.angle == 0) {
        label(tick.text, FontRole::text, tick_size, theme_.muted,
              on_centre({x, matrix.bottom() + tick_gap + tick_size / 2}, 0, half(tick_size)), Anchor::middle);
      } else {
        label(tick.text, FontRole::text, tick_size, theme_.muted,
              on_centre({x, matrix.bottom() + tick_gap}, ticks.angle, half(tick_size)), Anchor::end, ticks.angle);
      }
    }
  }

  void bars() {
    if (frame_.bar_text == 0) return;
    const bool own = has_own_bars(spec_, ranges_);
    const Box corner = last_of_first_line();
    for (std::size_t i = 0; i < (own ? out_.panels.size() : 1); ++i) {
      const Box& beside = own ? out_.panels[i].heatmap : corner;
      const Box bar{beside.right() + bar_gap, beside.y, bar_width, std::min(beside.h, 240.0f)};
      out_.bars.push_back({bar, ranges_[i]});
      for (const BarTick& tick : labelled_bar(spec_, map_.kind(), ranges_[i], bar.h)) {
        const float y = bar.bottom() - tick.at * bar.h;
        label(tick.text, FontRole::text, bar_text_size, theme_.muted,
              on_centre({bar.right() + 6, y}, 0, half(bar_text_size)));
      }
    }
  }

  void legend() {
    const float all = static_cast<float>(frame_.legend.size()) * legend_line;
    float y = frame_.height - frame_.margin - all + 4;
    for (const std::vector<LegendEntry>& line : frame_.legend) {
      float x = title_edge_;
      y += legend_line;
      for (const LegendEntry& entry : line) {
        const Box swatch{std::round(x), std::round(y) - swatch_size, swatch_size, swatch_size};
        out_.swatches.push_back({swatch, entry.kind});
        const float text_x = swatch.right() + swatch_gap, room = title_edge_ + room_ - text_x;
        const std::string text = typesetter_.elide(entry.text, FontRole::text, label_size, room);
        label(text, FontRole::text, label_size, theme_.muted,
              on_centre({text_x, swatch.y + swatch_size / 2}, 0, half(label_size)));
        x = text_x + typesetter_.width(text, FontRole::text, label_size) + legend_gap;
      }
    }
  }

  const FigureSpec& spec_;
  const FigureFrame& frame_;
  const std::vector<ValueRange>& ranges_;
  const Colormap& map_;
  Typesetter& typesetter_;
  const ThemeColours& theme_;
  FigureLayout out_;
  float edge_ = 0;        // of the content
  float title_edge_ = 0;  // of titles and legend, and the room from there
  float room_ = 0;
};

}  // namespace

CellMasks effective_masks(const FigureSpec& spec, const FigurePanel& panel) {
  CellMasks masks = panel.masks;
  if (spec.palette == Palette::boolean) masks.allowed = panel.matrix;
  return masks;
}

std::vector<ValueRange> panel_ranges(const FigureSpec& spec, ColormapKind kind) {
  const std::size_t count = spec.panels.size();
  if (spec.palette == Palette::boolean) return std::vector<ValueRange>(count, ValueRange{0, 2});
  if (spec.range_mode == RangeMode::row) {
    return std::vector<ValueRange>(count, kind == ColormapKind::diverging ? ValueRange{-1, 1} : ValueRange{0, 1});
  }
  const bool shared = spec.range_mode != RangeMode::head;
  if (shared && spec.range) return std::vector<ValueRange>(count, *spec.range);
  std::vector<ValueRange> ranges;
  Extent all;
  for (const FigurePanel& panel : spec.panels) {
    Extent own;
    (shared ? all : own).add(panel.matrix, panel.masks);
    ranges.push_back(own.range(kind));
  }
  if (shared) std::fill(ranges.begin(), ranges.end(), all.range(kind));
  return ranges;
}

FigureLayout lay_out(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter) {
  FigureSpec full = spec;
  const MatrixView& first = spec.panels.front().matrix;
  if (spec.shape.empty()) full.shape = std::to_string(first.rows) + " × " + std::to_string(first.cols);
  const std::vector<ValueRange> ranges = panel_ranges(full, map.kind());
  const FigureFrame frame = fit_frame(full, ranges, map.kind(), typesetter);
  return Placer(full, frame, ranges, map, typesetter).place();
}

}  // namespace headlight
