// The largest matrices that a given size allows. Every way to arrange what stands around them is tried: how many
// columns of panels, which labels at which slant and size, where the bar, names, title and legend go or whether they
// go. Each way's worth is the share of the picture that is matrix, less for each thing that it leaves out.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/figure/figure_frame.h"
#include "core/stage/pool.h"

namespace headlight {
namespace {

constexpr Index most_thinned = 3;  // every third word at the least; then indices say more

// Words in two tiers, of the text's size: the least cell, so that a far word's line passes between near ones; between
// the tiers.
constexpr float tier_cell = 0.56f, tier_gap = 0.3f;

enum class TickWords : std::uint8_t { tokens, indices, none };

/// One way, before any string is made.
struct Choice {
  Index columns = 1;
  int text = 0;     // into tick_texts
  int longest = 0;  // into longest_words
  TickWords rows = TickWords::none, cols = TickWords::none;
  float angle = 0;
  bool row_tiers = false, col_tiers = false;
  BarPlace bar = BarPlace::none;
  NamePlace row_name = NamePlace::none, col_name = NamePlace::none;
  NamePlace head_names = NamePlace::none, legend = NamePlace::none;
  bool title = false, subtitle = false;
};

struct Slant {
  float angle;
  bool row_tiers, col_tiers;
};
constexpr Slant slants[]{{0, false, false}, {-45, false, false}, {-90, false, false}, {-90, false, true},
                         {0, true, false},  {-45, true, false},  {-90, true, false},  {-90, true, true}};

struct Outcome {
  float worth = -1;
  Index row_step = 1, col_step = 1;
};

constexpr std::array longest_words{1000.0f, 8.0f, 5.0f};  // in ems

/// Of the widest word of an axis, and of those with an even and an odd index, in ems, by the longest that is let stand.
struct WordWidths {
  std::array<float, longest_words.size()> all{}, even{}, odd{};
  float depth(std::size_t longest, bool tiers) const {
    return tiers ? even[longest] + tier_gap + odd[longest] : all[longest];
  }
};

class Searcher : FrameMaker {
 public:
  explicit Searcher(const FrameMaker& maker)
      : FrameMaker(maker),
        named_(spec_.letters ||
               std::any_of(spec_.panels.begin(), spec_.panels.end(), [](auto& p) { return !p.title.empty(); })),
        entries_(legend_entries(spec_, spec_.on_paper)),
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
    for (const LegendEntry& entry : entries_) legend_widest_ = std::max(legend_widest_, em(entry.text, FontRole::text));
  }

  FigureFrame best() {
    Choice chosen;
    Outcome outcome;
    for (const Index columns : grids()) search(columns, chosen, outcome);
    return outcome.worth > 0 ? settle(chosen, outcome) : matrices_alone();
  }

 private:
  WordWidths widths(const std::vector<std::string>& tokens, Index count) {
    WordWidths out;
    for (Index i = 0; i < count && i < static_cast<Index>(tokens.size()); ++i) {
      const float own = typesetter_.width(tokens[static_cast<std::size_t>(i)], FontRole::text, 1);
      auto& tier = i % 2 == 0 ? out.even : out.odd;
      for (std::size_t k = 0; k < tier.size(); ++k) tier[k] = std::max(tier[k], std::min(own, longest_words[k]));
    }
    for (std::size_t k = 0; k < out.all.size(); ++k) out.all[k] = std::max(out.even[k], out.odd[k]);
    return out;
  }

  /// Whether no number lies in the upper right corner, where a name may stand inside.
  bool has_free_corner(const FigurePanel& panel) const {
    const auto corner = [&](const MatrixView& m) {
      return MatrixView{m.data + cols_ / 2 * m.col_stride, rows_ / 6 + 1, cols_ - cols_ / 2, m.row_stride,
                        m.col_stride};
    };
    CellMasks masks = effective_masks(spec_, panel);
    for (std::optional<MatrixView>* over : {&masks.allowed, &masks.kept}) {
      if (*over) *over = corner(**over);
    }
    const CellKind kind =
        pool(corner(panel.matrix), masks, 1, 1).kinds.front();  // at any length, which reading each cell is not
    return kind == CellKind::masked || kind == CellKind::dropped || kind == CellKind::neg_inf;
  }

  /// Of every number of lines the fewest columns.
  std::vector<Index> grids() const {
    if (spec_.columns) return {std::min(*spec_.columns, count_)};
    std::vector<Index> out;
    for (Index columns = 1; columns <= count_; ++columns) {
      const auto lines = [&](Index n) { return (count_ + n - 1) / n; };
      if (columns == 1 || lines(columns) != lines(columns - 1)) out.push_back(columns);
    }
    return out;
  }

  void search(Index columns, Choice& best, Outcome& outcome) const {
    Choice c;
    c.columns = columns;
    const bool own = has_own_bars(spec_, ranges_), bars = spec_.bar && spec_.palette != Palette::boolean;
    const std::vector<BarPlace> bar_places = !bars ? std::vector{BarPlace::none}
                                             : own ? std::vector{BarPlace::own, BarPlace::none}
                                                   : std::vector{BarPlace::right, BarPlace::below, BarPlace::none};
    const auto places = [](bool any, bool beside, bool corner = false) {
      std::vector<NamePlace> out;
      if (any) out.push_back(NamePlace::outside);
      if (any && beside) out.push_back(NamePlace::beside);
      if (any && corner) out.push_back(NamePlace::corner);
      out.push_back(NamePlace::none);
      return out;
    };
    const auto tick_words = [](const std::vector<std::string>& tokens) {
      return tokens.empty() ? std::vector{TickWords::indices, TickWords::none}
                            : std::vector{TickWords::tokens, TickWords::indices, TickWords::none};
    };
    for (std::size_t text = 0; text < texts_.size(); ++text)
      for (std::size_t longest = 0; longest < longest_words.size(); ++longest) {
        const auto shortens = [&](const auto& width) { return width.all[longest] < width.all[0]; };
        if (longest > 0 && !shortens(row_width_) && !shortens(col_width_)) continue;
        c.text = static_cast<int>(text);
        c.longest = static_cast<int>(longest);
        for (const TickWords rows : tick_words(spec_.row_ticks))
          for (const TickWords cols : tick_words(spec_.col_ticks))
            for (const auto& [angle, row_tiers, col_tiers] : slants) {
              if ((angle != 0 && cols != TickWords::tokens) || (row_tiers && rows != TickWords::tokens)) continue;
              if ((row_tiers || col_tiers) && text + 1 < texts_.size()) continue;  // smaller words come first
              c.rows = rows, c.cols = cols, c.angle = angle, c.row_tiers = row_tiers, c.col_tiers = col_tiers;
              for (const BarPlace bar : bar_places)
                for (const NamePlace row_name : places(!spec_.row_label.empty(), false, angle == -90))
                  for (const NamePlace col_name : places(!spec_.col_label.empty(), cols != TickWords::none))
                    for (const NamePlace legend : places(!entries_.empty(), bar == BarPlace::right, angle == -90))
                      for (const NamePlace heads : places(named_, true))
                        for (const int titles : {2, 1, 0}) {
                          if (titles > 1 && (spec_.subtitle.empty() || spec_.on_paper)) continue;
                          if (titles > 0 && spec_.title.empty()) continue;
                          c.bar = bar, c.row_name = row_name, c.col_name = col_name, c.legend = legend,
                          c.head_names = heads;
                          c.title = titles > 0, c.subtitle = titles > 1;
                          const Outcome got = worth(c);
                          if (got.worth > outcome.worth) outcome = got, best = c;
                        }
            }
      }
  }

  /// Room around the matrices and the cells that it leaves.
  FigureFrame room(const Choice& c) const {
    FigureFrame frame;
    const FigureMetrics& m = frame.metrics = metrics_[static_cast<std::size_t>(c.text)];
    frame.title = c.title, frame.subtitle = c.subtitle;
    frame.bar = c.bar, frame.row_name = c.row_name, frame.col_name = c.col_name;
    frame.head_names = c.head_names, frame.legend_place = c.legend;
    frame.columns = c.columns;
    frame.lines = (count_ + c.columns - 1) / c.columns;
    frame.width = width_;
    frame.inner_width = width_ - 2 * m.margin;
    frame.panel_top = c.head_names == NamePlace::outside ? m.head_room : 0;
    frame.gap = m.panel_gap;
    const auto k = static_cast<std::size_t>(c.longest);
    const float t = m.tick_text;
    const float row_depth =
        c.rows == TickWords::none
            ? 0
            : (c.rows == TickWords::tokens ? row_width_.depth(k, c.row_tiers) : row_index_) * t + m.tick_gap;
    frame.left = row_depth + (c.row_name == NamePlace::outside ? m.name_room : 0);
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
    if (c.bar == BarPlace::below) frame.below += bar + m.bar_text;
    if (c.col_name == NamePlace::beside)
      frame.right = std::max(frame.right, 0.8f * m.label_text + col_label_ * m.label_text);
    if (c.legend == NamePlace::beside) { frame.right = std::max(frame.right, m.bar_gap + legend_width(m)); }
    if (c.cols == TickWords::indices || c.angle == 0)
      frame.right = std::max(frame.right, c.cols == TickWords::indices ? col_index_ * t / 2 : 0.0f);
    const float tick_over = c.rows == TickWords::none ? 0 : 0.5f * t;  // a label reaches beyond a thin row
    frame.top = m.margin + frame.panel_top + (c.title ? m.title_room : 0) + (c.subtitle ? m.subtitle_room : 0);
    if (frame.top < m.margin + tick_over) frame.top = m.margin + tick_over;
    if (c.legend == NamePlace::corner) frame.left = std::max(frame.left, legend_width(m));
    if (c.legend == NamePlace::outside) {
      frame.legend.resize(legend_lines_[static_cast<std::size_t>(c.text)]);
      frame.legend_width = legend_widths_[static_cast<std::size_t>(c.text)];
    }
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
    if (square <= 0) return frame;
    frame.panel_width = w * number(cols_), frame.panel_height = h * number(rows_);
    frame.height = height_ > 0 ? height_ : content_height(frame);
    return frame;
  }

  Outcome worth(const Choice& c) const {
    const FigureFrame frame = room(c);
    Outcome out;
    if (frame.cell_width <= 0 || frame.panel_width < 2 || frame.panel_height < 2) return out;
    const FigureMetrics& m = frame.metrics;
    const auto k = static_cast<std::size_t>(c.longest);
    const float t = m.tick_text;
    float worth = number(count_) * frame.panel_width * frame.panel_height / (frame.width * frame.height);
    if (height_ <= 0) worth *= std::pow(frame.width / frame.height, 0.25f);
    worth /= 1 + 0.3f * raggedness(count_, c.columns);

    // Words: all of them, in text as large as can be; every other; indices; nothing.
    constexpr float indices_for_words = 0.45f, no_ticks = 0.3f;
    const auto thinned = [&](Index step, Index count) {
      return step >= count ? 0.9f : step == 1 ? 1.0f : step == 2 ? 0.62f : 0.52f;
    };
    // From line to line; the smallest text may stand as near as its capitals and descenders let it, before a word goes.
    const float line = (t <= metrics_.back().tick_text ? 0.94f : 1.02f) * t;
    constexpr float two_tiers = 0.97f;
    if (c.rows == TickWords::tokens && c.row_tiers) {
      if (frame.cell_height < tier_cell * t) return out;
      worth *= two_tiers;
    } else if (c.rows == TickWords::tokens) {
      out.row_step = static_cast<Index>(std::ceil(line / frame.cell_height));
      if (out.row_step > most_thinned) return out;
      worth *= thinned(out.row_step, rows_);
    } else if (c.rows == TickWords::indices) {
      out.row_step = round_step(1.6f * t / frame.cell_height);
      worth *= spec_.row_ticks.empty() ? 1 : indices_for_words;
    } else {
      worth *= no_ticks;
    }
    if (c.cols == TickWords::tokens && c.col_tiers) {
      if (frame.cell_width < tier_cell * t) return out;
      worth *= two_tiers;
    } else if (c.cols == TickWords::tokens) {
      const float pitch = c.angle == 0 ? (col_width_.all[k] + 0.5f) * t : c.angle == -45 ? 1.4f * t : line;
      out.col_step = static_cast<Index>(std::ceil(pitch / frame.cell_width));
      if (out.col_step > most_thinned) return out;
      if (c.angle == 0 && col_width_.all[k] * t > frame.panel_width + frame.gap - 1)
        return out;                                                             // into the next panel's
      if (c.angle == -45 && frame.columns * frame.lines != count_) return out;  // they would lean over the line below
      worth *= thinned(out.col_step, cols_) * (c.angle == 0 ? 1.06f : 1);
    } else if (c.cols == TickWords::indices) {
      out.col_step = round_step((col_index_ + 0.7f) * t / frame.cell_width);
      if (number(out.col_step) * frame.cell_width < 1 || col_index_ * t > frame.panel_width + frame.gap - 2)
        worth *= 0.5f;
      worth *= spec_.col_ticks.empty() ? 1 : indices_for_words;
    } else {
      worth *= no_ticks;
    }
    const bool cut = c.longest > 0;
    worth *= (cut ? c.longest == 1 ? 0.88f : 0.78f : 1) * std::pow(t / texts_.front(), 0.7f);

    // Names of heads stand above, else inside their matrix where only masked cells lie under them.
    if (named_)
      worth *= c.head_names == NamePlace::outside  ? 1
               : c.head_names == NamePlace::beside ? (free_corner_ ? 0.72f : 0.5f)
                                                   : 0.45f;
    if (c.head_names == NamePlace::beside && frame.panel_width < 5 * m.label_text) return out;
    if (c.head_names == NamePlace::outside && frame.panel_width + frame.own_bar < 2.2f * m.label_text) return out;

    const bool bars = spec_.bar && spec_.palette != Palette::boolean;
    if (bars && c.bar == BarPlace::none) worth *= 0.5f;
    if ((c.bar == BarPlace::right || c.bar == BarPlace::own) && frame.panel_height < 2.2f * m.bar_text) return out;
    if (c.bar == BarPlace::below) worth *= 0.985f;
    if (!spec_.row_label.empty() && c.row_name != NamePlace::outside)
      worth *= c.row_name == NamePlace::corner ? 0.985f : 0.86f;
    if (c.row_name == NamePlace::corner && row_label_ * m.label_text > frame.left) return out;
    if (in_corner(c, m) > frame.ticks_below) return out;
    if (c.row_name == NamePlace::outside && row_label_ * m.label_text > across(frame)) return out;
    if (!spec_.col_label.empty() && c.col_name != NamePlace::outside)
      worth *= c.col_name == NamePlace::beside ? 0.985f : 0.86f;
    if (c.col_name == NamePlace::outside && col_label_ * m.label_text > frame.inner_width) return out;
    if (!entries_.empty() && c.legend == NamePlace::none) worth *= 0.82f;
    if (c.legend == NamePlace::outside && legend_width(m) > frame.inner_width) return out;
    if (c.legend == NamePlace::beside &&
        frame.panel_height < number(static_cast<Index>(entries_.size())) * m.legend_line + 5 * m.bar_text)
      return out;
    if (!spec_.title.empty() && !c.title) worth *= spec_.keep_title ? 0.3f : spec_.on_paper ? 0.94f : 0.92f;
    if (!spec_.subtitle.empty() && !c.subtitle && !spec_.on_paper) worth *= 0.97f;
    out.worth = worth;
    return out;
  }

  float legend_width(const FigureMetrics& m) const { return m.swatch + (0.5f + legend_widest_) * m.label_text; }

  /// The height of what stands below the rows' words.
  float in_corner(const Choice& c, const FigureMetrics& m) const {
    const float name = c.row_name == NamePlace::corner ? m.tick_gap + m.label_text : 0;
    return name + (c.legend == NamePlace::corner
                       ? m.tick_gap + number(static_cast<Index>(entries_.size())) * m.legend_line
                       : 0);
  }

  /// From the first matrix's top to the last one's bottom.
  static float across(const FigureFrame& frame) {
    return number(frame.lines) * frame.panel_height + number(frame.lines - 1) * (frame.gap + frame.panel_top);
  }

  FigureFrame settle(const Choice& c, const Outcome& outcome) {
    FigureFrame frame = room(c);
    const float t = frame.metrics.tick_text, longest = longest_words[static_cast<std::size_t>(c.longest)] * t;
    const auto ticks = [&](TickWords words, const AxisWords& axis, Index step, bool tiers) {
      AxisTicks out;
      if (words == TickWords::tokens) out.ticks = word_ticks(axis, step, t, longest, typesetter_);
      if (words == TickWords::indices) out.ticks = index_ticks(axis, step);
      out.marks = step > 1;
      const auto depth = [&](bool far) {
        float widest = 0;
        for (const AxisTick& tick : out.ticks)
          widest = std::max(widest, tick.far == far ? typesetter_.width(tick.text, FontRole::text, t) : 0.0f);
        return widest;
      };
      for (AxisTick& tick : out.ticks) tick.far = tiers && tick.index % 2 == 1;
      if (tiers) out.far = depth(false) + tier_gap * t;
      out.depth = out.far + depth(tiers);
      return out;
    };
    frame.row_ticks = ticks(c.rows, {spec_.row_ticks, rows_, spec_.first_row}, outcome.row_step, c.row_tiers);
    frame.col_ticks = ticks(c.cols, {spec_.col_ticks, cols_, spec_.first_col}, outcome.col_step, c.col_tiers);
    frame.col_ticks.angle = c.angle;
    draw_near(frame);
    if (c.legend != NamePlace::none) {
      break_legend(frame, entries_, c.legend == NamePlace::outside ? frame.inner_width : 0.0f, typesetter_);
    } else {
      frame.legend.clear();
    }
    frame.content_width = content_width(frame);
    set_cells(frame, spec_, frame.cell_width, frame.cell_height);
    say(c, outcome, frame.left_out);
    return frame;
  }

  /// The name of the columns and the bar stand as near as the words that are left let them.
  void draw_near(FigureFrame& frame) {
    if (frame.col_ticks.angle == 0 || frame.col_ticks.ticks.empty()) return;
    const float t = frame.metrics.tick_text;
    const float longest = frame.col_ticks.depth;
    const float depth = frame.metrics.tick_gap +
                        (frame.col_ticks.angle == -90 ? longest : 0.70710678f * (longest + 0.5f * t) + 0.5f * t);
    const float less = std::max(0.0f, frame.ticks_below - depth);
    frame.ticks_below -= less;
    frame.below -= less;
    if (height_ <= 0) frame.height -= less;
  }

  void say(const Choice& c, const Outcome& outcome, std::vector<std::string>& out) const {
    if (!spec_.title.empty() && !c.title) out.emplace_back("title");
    if (!spec_.subtitle.empty() && !c.subtitle) out.emplace_back("formula");
    const auto axis = [&](const char* what, TickWords words, bool tokens, Index step, Index count) {
      const std::string name = std::string(what) + " words";
      if (words == TickWords::none) out.push_back(tokens ? name : std::string(what) + " indices");
      if (words == TickWords::indices && tokens) out.push_back(name + " (indices in their place)");
      if (words == TickWords::tokens && step > 1 && count > 1)
        out.push_back(step == 2 ? "every other of the " + name : "two of three of the " + name);
    };
    axis("row", c.rows, !spec_.row_ticks.empty(), outcome.row_step, rows_);
    axis("column", c.cols, !spec_.col_ticks.empty(), outcome.col_step, cols_);
    if (c.longest > 0) out.emplace_back("the middle of long words");
    if (!spec_.row_label.empty() && c.row_name == NamePlace::none) out.emplace_back("name of the rows");
    if (!spec_.col_label.empty() && c.col_name == NamePlace::none) out.emplace_back("name of the columns");
    if (named_ && c.head_names == NamePlace::none) out.emplace_back("names of the heads");
    if (spec_.bar && spec_.palette != Palette::boolean && c.bar == BarPlace::none) out.emplace_back("colour bar");
    if (!entries_.empty() && c.legend == NamePlace::none) out.emplace_back("legend");
  }

  FigureFrame matrices_alone() {
    FigureFrame frame;
    float most = -1;
    Choice c, chosen;
    for (const Index columns : grids()) {
      c.columns = columns;
      FigureFrame tried = room(c);
      const float gaps = number(tried.columns - 1), lines = number(tried.lines - 1);
      tried.metrics.margin = std::min({tried.metrics.margin, width_ / 16, height_ > 0 ? height_ / 16 : 8.0f});
      tried.gap =
          std::min({4.0f, width_ / number(4 * tried.columns), height_ > 0 ? height_ / number(4 * tried.lines) : 4.0f});
      tried.top = tried.metrics.margin;
      tried.left = tried.right = tried.below = 0;
      tried.inner_width = width_ - 2 * tried.metrics.margin;
      const float all = height_ > 0 ? height_ : width_;
      const float wide = (tried.inner_width - gaps * tried.gap) / number(columns) / number(cols_);
      const float high = (all - 2 * tried.metrics.margin - lines * tried.gap) / number(tried.lines) / number(rows_);
      const float cell = std::max(0.001f, std::min(wide, high));
      set_cells(tried, spec_, cols_ * 8 < rows_ ? std::min(wide, std::max(cell, thin_cell)) : cell,
                rows_ * 8 < cols_ ? std::min(high, std::max(cell, thin_cell)) : cell);
      tried.height = height_ > 0
                         ? height_
                         : tried.panel_height * number(tried.lines) + lines * tried.gap + 2 * tried.metrics.margin;
      tried.content_width = content_width(tried);
      if (const float worth = tried.panel_width * tried.panel_height; worth > most)
        most = worth, frame = tried, chosen = c;
    }
    say(chosen, {}, frame.left_out);
    return frame;
  }

  bool named_, free_corner_ = false;
  std::vector<LegendEntry> entries_;
  float width_, height_;
  std::vector<float> texts_;  // of ticks, from large to small
  std::vector<FigureMetrics> metrics_;
  std::vector<std::size_t> legend_lines_;
  std::vector<float> legend_widths_;
  WordWidths row_width_, col_width_;
  float row_index_ = 0, col_index_ = 0, row_label_ = 0, col_label_ = 0, bar_label_ = 0, legend_widest_ = 0;
};

}  // namespace

FigureFrame search_frame(const FrameMaker& maker) { return Searcher(maker).best(); }

}  // namespace headlight
