#include "core/figures/figure/figure_layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/figures/figure/figure_frame.h"

namespace headlight {
namespace {

constexpr float strip_height = 3;

/// The start of a line's baseline, so that its capitals are centred on `centre`, at any angle.
Point on_centre(Point centre, float angle, float half_height) {
  const float radians = angle * 3.14159265f / 180;
  return {centre.x - half_height * std::sin(radians), centre.y + half_height * std::cos(radians)};
}

class Placer {
 public:
  Placer(const FigureSpec& spec, const FigureFrame& frame, const std::vector<ValueRange>& ranges, const Colormap& map,
         Typesetter& typesetter)
      : spec_(spec),
        frame_(frame),
        ranges_(ranges),
        map_(map),
        typesetter_(typesetter),
        theme_(colours(spec.theme)),
        m_(frame.metrics) {}

  FigureLayout place() {
    out_.width = frame_.width;
    out_.height = frame_.height;
    out_.cell_width = frame_.cell_width;
    out_.cell_height = frame_.cell_height;
    out_.left_out = frame_.left_out;
    // With a given size the figure is centred; otherwise the size comes from the content.
    edge_ = spec_.bare ? 0 : spec_.size ? (frame_.width - frame_.content_width) / 2 : m_.margin;
    if (!spec_.on_paper) edge_ = std::round(edge_);
    title_edge_ = spec_.size && frame_.content_width > 0.6f * frame_.inner_width
                      ? edge_
                      : (frame_.width - frame_.inner_width) / 2;
    room_ = frame_.width - title_edge_ - (frame_.width - frame_.inner_width) / 2;
    if (spec_.size && !spec_.bare) top_ = std::max(0.0f, (frame_.height - content_height(frame_)) / 2);
    if (!spec_.on_paper) top_ = std::round(top_);
    panels();
    titles();
    axes();
    bars();
    legend();
    add_mass(spec_, out_);
    add_highlights(spec_, frame_.mark_room, m_.tick_text, typesetter_, out_);
    write_values(spec_, map_, typesetter_, out_);
    return std::move(out_);
  }

 private:
  void label(std::string text, FontRole role, float size, Rgba colour, Point at, Anchor anchor = Anchor::start,
             float angle = 0) {
    if (!text.empty()) out_.labels.push_back({std::move(text), role, size, colour, at, anchor, angle});
  }
  /// The same with capitals centred on a point, at any angle.
  void centred_label(const std::string& text, float size, Rgba colour, Point centre, Anchor anchor = Anchor::start,
                     float angle = 0) {
    const Point at = on_centre(centre, angle, typesetter_.half_height(FontRole::text, size));
    label(text, FontRole::text, size, colour, at, anchor, angle);
  }

  Box last_of_first_line() const {
    return out_.panels[std::min(static_cast<std::size_t>(frame_.columns), out_.panels.size()) - 1].heatmap;
  }
  float bottom() const { return out_.panels.back().heatmap.bottom(); }

  void outline(const Box& box, float width, Rgba colour) { add_outline(box, width, colour, out_); }
  static constexpr float thin = 0.5f * units_to_a_point;

  /// If the name of one panel would be cut, all panels use short names.
  bool shortens_names() {
    for (std::size_t i = 0; i < spec_.panels.size(); ++i) {
      const float room = frame_.head_names == NamePlace::beside ? frame_.panel_width - 0.8f * m_.label_text
                                                                : frame_.panel_width + frame_.own_bar;
      if (typesetter_.width(panel_name(spec_, i, false), FontRole::strong, m_.label_text) > room) return true;
    }
    return false;
  }

  /// The names of a grid's columns above it, and those of its lines on its left.
  void edge_names() {
    const float size = m_.label_text;
    for (std::size_t i = 0; i < spec_.column_names.size() && i < out_.panels.size(); ++i) {
      const Box& at = out_.panels[i].heatmap;
      label(spec_.column_names[i], FontRole::strong, size, theme_.ink,
            {at.x + at.w / 2, at.y - frame_.mark_room - 0.36f * m_.head_room}, Anchor::middle);
    }
    const float x = edge_ + (frame_.row_name == NamePlace::outside ? m_.name_room : 0);
    for (std::size_t line = 0; line < spec_.line_names.size(); ++line) {
      const std::size_t first = line * static_cast<std::size_t>(frame_.columns);
      if (first >= out_.panels.size()) break;
      const Box& at = out_.panels[first].heatmap;
      label(spec_.line_names[line], FontRole::strong, size, theme_.ink,
            on_centre({x, at.y + at.h / 2}, 0, typesetter_.half_height(FontRole::strong, size)));
    }
  }

  void panels() {
    const auto step_x = frame_.panel_width + frame_.own_bar + frame_.gap;
    const auto step_y = frame_.panel_height + frame_.panel_top + frame_.gap;
    const auto whole = [&](float x) { return spec_.on_paper ? x : std::round(x); };
    const bool strip = m_.strip_room > 0 && !spec_.bare && has_strips(spec_), shortened = shortens_names();
    for (std::size_t i = 0; i < spec_.panels.size(); ++i) {
      const auto column = static_cast<float>(static_cast<Index>(i) % frame_.columns);
      const auto line = static_cast<float>(static_cast<Index>(i) / frame_.columns);
      const Box at{whole(edge_ + frame_.left + column * step_x), whole(top_ + frame_.top + line * step_y),
                   frame_.panel_width, frame_.panel_height};
      out_.panels.push_back({i, at, ranges_[i]});
      const FigurePanel& panel = spec_.panels[i];
      const float top = at.y - frame_.mark_room;
      if (panel.hue && strip) out_.boxes.push_back({{at.x, top - strip_height - 3, at.w, strip_height}, *panel.hue});
      if (framed()) outline(at, thin, theme_.muted);
      const std::string title = panel_name(spec_, i, shortened);
      if (title.empty() || frame_.head_names == NamePlace::none || frame_.head_names == NamePlace::edges) continue;
      if (frame_.head_names == NamePlace::beside) {
        name_inside(title, at);
        continue;
      }
      const float y = top - (panel.hue && strip ? m_.strip_room : 0) - 0.36f * m_.head_room;
      label(typesetter_.elide(title, FontRole::strong, m_.label_text, at.w + frame_.own_bar), FontRole::strong,
            m_.label_text, theme_.ink, {at.x, y});
    }
    if (frame_.head_names == NamePlace::edges) edge_names();
  }

  bool framed() const { return spec_.on_paper && !spec_.bare; }

  /// On a label in the upper right corner, where a causal mask has no values.
  void name_inside(const std::string& title, const Box& matrix) {
    const float size = std::max(least_text, 0.9f * m_.label_text), pad = 0.2f * size;
    const std::string shown = typesetter_.elide(title, FontRole::strong, size, matrix.w - 4 * pad);
    const float wide = typesetter_.width(shown, FontRole::strong, size);
    Rgba plate = theme_.card;
    plate.a = 215;
    if (shown.empty()) return;
    out_.boxes.push_back({{matrix.right() - wide - 3 * pad, matrix.y, wide + 3 * pad, 1.15f * size}, plate});
    const Point at{matrix.right() - 1.5f * pad, matrix.y + 0.92f * size};
    out_.inside.push_back({shown, FontRole::strong, size, theme_.ink, at, Anchor::end, 0});
  }

  void titles() {
    if (!frame_.title || spec_.title.empty()) return;
    const float size = m_.title_text, space = 0.67f * m_.label_text;
    const auto wide = [&](const std::string& text) { return typesetter_.width(text, FontRole::strong, size); };
    const float shape = typesetter_.width(spec_.shape, FontRole::text, m_.label_text) + space;
    std::vector<std::string> lines = frame_.title_lines;
    const bool one = lines.size() < 2, beside = one && !spec_.shape.empty() && room_ - shape >= wide(spec_.title);
    if (one) lines = {typesetter_.elide(spec_.title, FontRole::strong, size, beside ? room_ - shape : room_)};
    const float left = one ? title_edge_ : (frame_.width - frame_.inner_width) / 2;
    float baseline = top_ + m_.margin + 0.75f * size;
    for (const std::string& line : lines) {
      if (&line != &lines.front()) baseline += 1.15f * size;
      label(line, FontRole::strong, size, theme_.ink, {left, baseline});
    }
    if (!spec_.title.ends_with(lines.back())) out_.left_out.emplace_back("the end of the title");
    if (beside)
      label(spec_.shape, FontRole::text, m_.label_text, theme_.muted, {left + wide(lines[0]) + space, baseline});
    if (!frame_.subtitle) return;
    const std::string shown = typesetter_.elide(spec_.subtitle, FontRole::text, m_.label_text, room_);
    label(shown, FontRole::text, m_.label_text, theme_.muted, {title_edge_, baseline + 1.1f * m_.subtitle_room});
    if (shown != spec_.subtitle) out_.left_out.emplace_back("the end of the formula");
  }

  void axes() {
    const Box& first = out_.panels.front().heatmap;
    for (std::size_t i = 0; i < out_.panels.size(); ++i) {
      if (static_cast<Index>(i) % frame_.columns == 0) rows_of(out_.panels[i].heatmap);
      if (i + static_cast<std::size_t>(frame_.columns) >= out_.panels.size()) columns_of(out_.panels[i].heatmap);
    }
    const float size = m_.label_text;
    if (frame_.row_name == NamePlace::outside &&
        typesetter_.width(spec_.row_label, FontRole::text, size) <= bottom() - first.y) {
      centred_label(spec_.row_label, size, theme_.muted, {edge_ + m_.name_room / 3, (first.y + bottom()) / 2},
                    Anchor::middle, -90);
    }
    if (frame_.row_name == NamePlace::corner) {
      const float right = edge_ + frame_.left - m_.tick_gap;
      centred_label(spec_.row_label, size, theme_.muted, {right, bottom() + m_.tick_gap + 0.5f * size}, Anchor::end);
    }
    const Box last = last_of_first_line();
    if (frame_.col_name == NamePlace::beside) {
      const float y = bottom() + m_.tick_gap + 0.5f * m_.tick_text;
      centred_label(spec_.col_label, size, theme_.muted, {last.right() + 0.8f * size, y});
    }
    if (frame_.col_name != NamePlace::outside) return;
    const std::string name = typesetter_.elide(spec_.col_label, FontRole::text, size, frame_.inner_width);
    const float reach = typesetter_.width(name, FontRole::text, size) / 2;
    const float low = (frame_.width - frame_.inner_width) / 2 + reach;
    const float middle = std::clamp((first.x + last.right()) / 2, low, std::max(low, frame_.width - low));
    centred_label(name, size, theme_.muted, {middle, bottom() + frame_.ticks_below + 2 * m_.name_room / 3},
                  Anchor::middle);
  }

  float mark_length() const { return std::min(4.0f, 0.6f * m_.tick_gap); }

  /// The side of the pictures along an axis, in the space for words; 0 if there are no pictures or too little space.
  static float picture_side(const std::vector<std::shared_ptr<const Image>>& pictures, float pitch, float depth) {
    constexpr float least = 5;
    const float side = std::min(pitch, depth);
    return pictures.empty() || side < least ? 0 : side;
  }
  static bool has_picture(const std::vector<std::shared_ptr<const Image>>& pictures, Index i) {
    return i < std::ssize(pictures) && pictures[static_cast<std::size_t>(i)];
  }

  template <typename Corner>
  void add_pictures(const std::vector<std::shared_ptr<const Image>>& pictures, float side, Corner corner) {
    for (Index i = 0; side > 0 && i < std::ssize(pictures); ++i) {
      const Point at = corner(i);
      if (has_picture(pictures, i))
        out_.pictures.push_back({{at.x, at.y, side, side}, pictures[static_cast<std::size_t>(i)]});
    }
  }

  void rows_of(const Box& matrix) {
    const float side = picture_side(spec_.row_pictures, frame_.cell_height, frame_.row_ticks.depth);
    const auto middle = [&](Index i) { return matrix.y + (static_cast<float>(i) + 0.5f) * frame_.cell_height; };
    add_pictures(spec_.row_pictures, side, [&](Index i) {
      return Point{matrix.x - m_.tick_gap - side, middle(i) - side / 2};
    });
    for (const AxisTick& tick : frame_.row_ticks.ticks) {
      if (side > 0 && has_picture(spec_.row_pictures, tick.index)) continue;
      const float y = middle(tick.index), mark = mark_length();
      const bool ends = &tick == &frame_.row_ticks.ticks.back() && frame_.row_ticks.ticks.size() > 1;
      const float next = matrix.y + frame_.panel_height + frame_.panel_top + frame_.gap + 0.5f * frame_.cell_height;
      const bool touches = ends && !tick.far && next - y < 0.94f * m_.tick_text;
      if (touches && matrix.y < out_.panels.back().heatmap.y) continue;
      if (frame_.row_ticks.marks)
        out_.boxes.push_back({{matrix.x - mark - 1, y - stroke() / 2, mark, stroke()}, theme_.muted});
      const float out = m_.tick_gap + (tick.far ? frame_.row_ticks.far : 0);
      if (tick.far)
        out_.boxes.push_back(
            {{matrix.x - out + m_.tick_gap / 2, y - hair() / 2, out - m_.tick_gap / 2, hair()}, theme_.muted});
      centred_label(tick.text, m_.tick_text, tick_ink(), {matrix.x - out, y}, Anchor::end);
    }
  }

  float stroke() const { return spec_.on_paper ? thin : 1; }
  float hair() const { return 0.6f * stroke(); }  // of a line to a far word, which passes between near words
  Rgba tick_ink() const { return spec_.on_paper || spec_.print ? theme_.ink : theme_.muted; }

  void columns_of(const Box& matrix) {
    const AxisTicks& ticks = frame_.col_ticks;
    const float size = m_.tick_text, mark = mark_length();
    const float side = picture_side(spec_.col_pictures, frame_.cell_width, std::max(ticks.depth, size));
    const auto middle = [&](Index i) { return matrix.x + (static_cast<float>(i) + 0.5f) * frame_.cell_width; };
    add_pictures(spec_.col_pictures, side, [&](Index i) {
      return Point{middle(i) - side / 2, matrix.bottom() + m_.tick_gap};
    });
    for (const AxisTick& tick : ticks.ticks) {
      if (side > 0 && has_picture(spec_.col_pictures, tick.index)) continue;
      const float x = middle(tick.index);
      if (ticks.marks) out_.boxes.push_back({{x - stroke() / 2, matrix.bottom() + 1, stroke(), mark}, theme_.muted});
      if (ticks.angle == 0) {
        if (meets_next_panel(tick, x, matrix) || !has_room(tick.text, x, matrix)) continue;
        centred_label(tick.text, size, tick_ink(), {x, matrix.bottom() + m_.tick_gap + size / 2}, Anchor::middle);
      } else {
        const float out = m_.tick_gap + (tick.far ? ticks.far : 0);
        if (tick.far)
          out_.boxes.push_back({{x - hair() / 2, matrix.bottom(), hair(), out - m_.tick_gap / 2}, theme_.muted});
        centred_label(tick.text, size, tick_ink(), {x, matrix.bottom() + out}, Anchor::end, ticks.angle);
      }
    }
  }

  float blank() { return 0.5f * m_.tick_text; }

  /// Whether the last label of a panel is closer than a blank to the first label of the next one.
  bool meets_next_panel(const AxisTick& tick, float x, const Box& matrix) {
    const std::vector<AxisTick>& ticks = frame_.col_ticks.ticks;
    const Box& last = out_.panels.back().heatmap;
    const bool has_next = std::ranges::any_of(
        out_.panels, [&](const PanelBox& panel) { return panel.heatmap.x > matrix.x && panel.heatmap.y == matrix.y; });
    if (&tick != &ticks.back() || ticks.size() < 2 || !has_next || (matrix.x == last.x && matrix.y == last.y))
      return false;
    const auto reach = [&](const AxisTick& t) { return typesetter_.width(t.text, FontRole::text, m_.tick_text) / 2; };
    const float next = matrix.x + frame_.panel_width + frame_.own_bar + frame_.gap +
                       (static_cast<float>(ticks.front().index) + 0.5f) * frame_.cell_width - reach(ticks.front());
    return x + reach(tick) + blank() > next;
  }

  /// Whether a word under a column stays clear of the panel before and of the page's edge. If not, it is left out
  /// instead of cut.
  bool has_room(const std::string& text, float x, const Box& matrix) {
    const float reach = typesetter_.width(text, FontRole::text, m_.tick_text) / 2;
    if (matrix.y != labelled_line_) labelled_to_ = 0;
    labelled_line_ = matrix.y;
    if (x - reach < labelled_to_ || x + reach > out_.width) return false;
    labelled_to_ = x + reach + 0.5f * blank();
    return true;
  }

  /// If cells have values beyond the bar's range, that end of the bar is pointed. Returns the bar between the points.
  Box pointed(Box bar, ValueRange range) {
    if (range_beyond_.empty()) range_beyond_ = pointed_ends(spec_, ranges_);
    const auto [low, high] =
        range_beyond_[static_cast<std::size_t>(std::ranges::find(ranges_, range) - ranges_.begin())];
    const bool upright = bar.h >= bar.w;
    const float point = std::min(upright ? bar.w : bar.h, (upright ? bar.h : bar.w) / 6);
    const auto add = [&](Point a, Point b, Point tip, float shade) {
      out_.paths.push_back({through({a, b, tip}), 0, map_.at(shade), true});
      if (framed()) out_.paths.push_back({through({a, tip, b}), thin, theme_.muted, false});
    };
    if (high && upright) bar.y += point, bar.h -= point;
    if (high && !upright) bar.w -= point;
    if (low && upright) bar.h -= point;
    if (low && !upright) bar.x += point, bar.w -= point;
    const float x = bar.x + bar.w / 2, y = bar.y + bar.h / 2;
    if (high && upright) add({bar.x, bar.y}, {bar.right(), bar.y}, {x, bar.y - point}, 1);
    if (low && upright) add({bar.x, bar.bottom()}, {bar.right(), bar.bottom()}, {x, bar.bottom() + point}, 0);
    if (high && !upright) add({bar.right(), bar.y}, {bar.right(), bar.bottom()}, {bar.right() + point, y}, 1);
    if (low && !upright) add({bar.x, bar.y}, {bar.x, bar.bottom()}, {bar.x - point, y}, 0);
    return bar;
  }

  /// Says on a bar that its scale is broken there.
  void break_mark(Point at) {
    at.y += typesetter_.half_height(FontRole::strong, m_.bar_text);
    out_.inside.push_back({"≈", FontRole::strong, m_.bar_text, theme_.card, at, Anchor::middle, 0});
  }

  void bars() {
    if (frame_.bar == BarPlace::none) return;
    const bool own = frame_.bar == BarPlace::own;
    const Box corner = last_of_first_line();
    if (frame_.bar == BarPlace::below) return bar_below(corner);
    for (std::size_t i = 0; i < (own ? out_.panels.size() : 1); ++i) {
      const Box& beside = own ? out_.panels[i].heatmap : corner;
      // A bar for all panels is beside all of them.
      const float whole = own || spec_.size == std::nullopt ? std::min(beside.h, 240.0f) : bottom() - beside.y;
      float height = whole;
      if (frame_.legend_place == NamePlace::beside) {
        height = std::min(height, bottom() - beside.y - static_cast<float>(frame_.legend.size()) * m_.legend_line -
                                      0.9f * m_.label_text);
      }
      if (frame_.col_name == NamePlace::beside)
        height = std::min(height, whole - 0.45f * m_.label_text);  // its name is below
      const Box bar = pointed({beside.right() + m_.bar_gap, beside.y, m_.bar_width, height}, ranges_[i]);
      out_.bars.push_back({bar, ranges_[i]});
      if (spec_.broken_bar) break_mark({bar.x + bar.w / 2, bar.y + std::min(0.08f * bar.h, bar.w)});
      if (framed()) outline(bar, thin, theme_.muted);
      for (const BarTick& tick : labelled_bar(spec_, map_.kind(), ranges_[i], bar.h, m_.bar_text + 2)) {
        const float y = bar.bottom() - tick.at * bar.h;
        if (framed())
          out_.boxes.push_back({{bar.right() + thin, y - thin / 2, 0.5f * m_.bar_text_gap, thin}, theme_.muted});
        if (bar.right() + m_.bar_text_gap + typesetter_.width(tick.text, FontRole::text, m_.bar_text) > out_.width)
          continue;
        centred_label(tick.text, m_.bar_text, tick_ink(), {bar.right() + m_.bar_text_gap, y});
      }
    }
  }

  void bar_below(const Box& corner) {
    float from = out_.panels.front().heatmap.x;
    if (shares_line(frame_)) from = std::max(from, title_edge_ + frame_.legend_width + 1.5f * m_.legend_gap);
    const float wide = std::min(corner.right() - from, 24 * m_.label_text);
    const float widest = bar_label_width(spec_, map_.kind(), ranges_, wide, m_, typesetter_);
    const float length = std::max(4.0f, wide - widest),
                y = bottom() + frame_.below - m_.bar_text - m_.bar_text_gap - m_.bar_width;
    const Box bar = pointed({from + (corner.right() - from - length) / 2, y, length, m_.bar_width}, ranges_.front());
    out_.bars.push_back({bar, ranges_.front()});
    if (spec_.broken_bar) break_mark({bar.right() - std::min(0.08f * bar.w, bar.h), bar.y + bar.h / 2});
    if (framed()) outline(bar, thin, theme_.muted);
    for (const BarTick& tick : labelled_bar(spec_, map_.kind(), ranges_.front(), bar.w, widest + m_.bar_text)) {
      const float x = bar.x + tick.at * bar.w;
      if (framed())
        out_.boxes.push_back({{x - thin / 2, bar.bottom() + thin, thin, 0.5f * m_.bar_text_gap}, theme_.muted});
      centred_label(tick.text, m_.bar_text, tick_ink(), {x, bar.bottom() + m_.bar_text_gap + m_.bar_text / 2},
                    Anchor::middle);
    }
  }

  void legend() {
    if (frame_.legend.empty()) return;
    const auto lines = static_cast<float>(frame_.legend.size());
    float y =
        top_ + content_height(frame_) - m_.margin - lines * m_.legend_line + (spec_.size ? 0 : m_.legend_line / 6);
    float left = title_edge_;
    if (shares_line(frame_)) {
      const float bar = bottom() + frame_.below - m_.bar_text - m_.bar_text_gap - m_.bar_width / 2;
      y = bar + m_.swatch / 2 - m_.legend_line;
    }
    if (frame_.legend_place == NamePlace::beside) {
      y = bottom() - lines * m_.legend_line - 0.4f * m_.label_text;
      left = last_of_first_line().right() + m_.bar_gap;
    }
    if (frame_.legend_place == NamePlace::corner) {
      y = bottom() + frame_.ticks_below - lines * m_.legend_line;
      left = edge_;
    }
    for (const std::vector<LegendEntry>& line : frame_.legend) {
      float x = left;
      y += m_.legend_line;
      for (const LegendEntry& entry : line) {
        const Box swatch{spec_.on_paper ? x : std::round(x), (spec_.on_paper ? y : std::round(y)) - m_.swatch,
                         m_.swatch, m_.swatch};
        if (entry.shade) out_.boxes.push_back({swatch, map_.at(*entry.shade)});
        else out_.swatches.push_back({swatch, entry.kind});
        if (framed()) outline(swatch, thin, theme_.muted);
        const float text_x = swatch.right() + 0.5f * m_.label_text, room = title_edge_ + room_ - text_x;
        const std::string text = frame_.legend_place != NamePlace::outside
                                     ? entry.text
                                     : typesetter_.elide(entry.text, FontRole::text, m_.label_text, room);
        centred_label(text, m_.label_text, tick_ink(), {text_x, swatch.y + m_.swatch / 2});
        x = text_x + typesetter_.width(text, FontRole::text, m_.label_text) + m_.legend_gap;
      }
    }
  }

  const FigureSpec& spec_;
  const FigureFrame& frame_;
  const std::vector<ValueRange>& ranges_;
  const Colormap& map_;
  Typesetter& typesetter_;
  const ThemeColours& theme_;
  const FigureMetrics& m_;
  FigureLayout out_;
  std::vector<std::pair<bool, bool>> range_beyond_;  // for each panel: whether cells are below and above its range
  float top_ = 0;                                    // the free space at the top of a given height
  float edge_ = 0;                                   // of the content
  float title_edge_ = 0;                             // of titles and legend, and their width
  float room_ = 0;
  float labelled_to_ = 0, labelled_line_ = -1;  // how far words extend under the panels of a line
};

}  // namespace

FigureLayout lay_out(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter) {
  FigureSpec full = spec;
  const MatrixView& first = spec.panels.front().matrix;
  if (spec.shape.empty()) full.shape = std::to_string(first.rows) + " × " + std::to_string(first.cols);
  const std::vector<ValueRange> ranges = panel_ranges(full, map.kind());
  if (spec.kind == FigureKind::arcs) return lay_out_arcs(full, ranges, typesetter);
  const FigureFrame frame = fit_frame(full, ranges, map.kind(), typesetter);
  return Placer(full, frame, ranges, map, typesetter).place();
}

}  // namespace headlight
