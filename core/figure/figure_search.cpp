// The largest matrices that a given size allows. What stands around them is a list of decisions (which words, at which
// slant, where the bar, names, title and legend go or whether they go), each with its options, from complete to bare.
// Every combination that fits is measured: the share of the picture that is matrix, times a factor below 1 for each
// thing that it leaves out or makes harder to read (`cost`). The largest product wins, of equal ones the first.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/figure/figure_frame.h"
#include "core/stage/pool.h"
#include "core/tensor/message.h"

namespace headlight {
namespace {

constexpr Index most_thinned = 3;  // every third word at the least; then indices say more

// Words in two tiers, of the text's size: the least cell, so that a far word's line passes between near ones; between
// the tiers.
constexpr float tier_cell = 0.56f, tier_gap = 0.3f;

/// What a reader loses, as a factor: 0.5 is worth as much as half of the matrices' area.
namespace cost {
constexpr float every_other_word = 0.62f;    // the words between are guessed from their neighbours
constexpr float two_of_three_words = 0.52f;  // hardly guessed
constexpr float single_word = 0.9f;          // one word stands for a short axis
constexpr float two_tiers = 0.94f;           // lines lead to the far words
constexpr float turned_words = 0.943f;       // are read with the head to one side
constexpr float words_of_eight_ems = 0.88f, words_of_five_ems = 0.78f;  // long words lose their middle
constexpr float indices_for_words = 0.36f;                              // a cell's words have to be looked up
constexpr float no_ticks = 0.3f;                                        // nobody can say which cell is which
constexpr float crowded_indices = 0.5f;                                 // fewer than two find room
constexpr float text_size = 0.7f;                             // an exponent: text of half the size costs 2^-0.7
constexpr float names_on_edges = 0.98f;                       // of layers and heads: two words are put together
constexpr float names_inside_free = 0.72f;                    // on masked cells, which they hide
constexpr float names_inside = 0.5f;                          // on cells that hold numbers
constexpr float no_panel_names = 0.45f;                       // panels are counted
constexpr float no_bar = 0.5f;                                // colours have no numbers
constexpr float bar_below = 0.985f;                           // beside is where one looks first
constexpr float axis_name_moved = 0.985f;                     // in a corner or at the line's end
constexpr float no_axis_name = 0.86f;                         // which axis is the query's?
constexpr float no_legend = 0.82f;                            // hatching is guessed
constexpr float no_title = 0.92f, no_title_on_paper = 0.94f;  // a caption has it
constexpr float no_title_of_ones_own = 0.3f;                  // somebody typed it
constexpr float no_formula = 0.97f;
constexpr float empty_places = 0.3f;   // of a grid's last line
constexpr float flat_picture = 0.25f;  // an exponent: of a free height, a wide picture is liked better than a high one
}  // namespace cost

enum class TickWords : std::uint8_t { tokens, indices, none };

/// One combination, before any string is made.
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

/// One thing to decide: its options, in the order of liking.
using Options = std::vector<std::function<void(Choice&)>>;

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
    for (const std::string& name : spec_.column_names)
      column_name_ = std::max(column_name_, em(name, FontRole::strong));
    for (std::size_t i = 0; i < spec_.panels.size(); ++i)
      panel_name_ = std::max(panel_name_, em(panel_name(spec_, i, true), FontRole::strong));
    for (const LegendEntry& entry : entries_) legend_widest_ = std::max(legend_widest_, em(entry.text, FontRole::text));
  }

  FigureFrame best() {
    Choice chosen;
    Outcome outcome;
    decisions_ = decisions();
    for (const Index columns : grids()) {
      Choice c;
      c.columns = columns;
      decide(0, c, chosen, outcome);
    }
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
    const auto corner = [&](const MatrixView& m) { return m.part(0, rows_ / 6 + 1, cols_ / 2, cols_ - cols_ / 2); };
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

  template <typename T>
  static Options options(T Choice::*what, const std::vector<T>& values) {
    Options all;
    for (const T& value : values) all.push_back([what, value](Choice& c) { c.*what = value; });
    return all;
  }

  std::vector<Options> decisions() const {
    const bool bars = spec_.bar && spec_.palette != Palette::boolean;
    const std::vector<BarPlace> bar_places = !bars ? std::vector{BarPlace::none}
                                             : has_own_bars(spec_, ranges_)
                                                 ? std::vector{BarPlace::own, BarPlace::none}
                                                 : std::vector{BarPlace::right, BarPlace::below, BarPlace::none};
    const auto names = [](bool any, std::vector<NamePlace> places) {
      places.push_back(NamePlace::none);
      return any ? places : std::vector{NamePlace::none};
    };
    const auto words = [](const std::vector<std::string>& tokens) {
      std::vector<TickWords> all{TickWords::tokens, TickWords::indices, TickWords::none};
      if (tokens.empty()) all.erase(all.begin());
      return all;
    };
    std::vector<int> texts, longest;
    for (std::size_t i = 0; i < texts_.size(); ++i) texts.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < longest_words.size(); ++i) longest.push_back(static_cast<int>(i));
    Options slanted, titles;
    for (const Slant& slant : slants)
      slanted.push_back(
          [slant](Choice& c) { c.angle = slant.angle, c.row_tiers = slant.row_tiers, c.col_tiers = slant.col_tiers; });
    const bool titled = !spec_.title.empty(), formula = titled && !spec_.subtitle.empty() && !spec_.on_paper;
    if (formula) titles.push_back([](Choice& c) { c.title = c.subtitle = true; });
    if (titled) titles.push_back([](Choice& c) { c.title = true, c.subtitle = false; });
    // A height that the program chooses has room for a title.
    if (!titled || height_ > 0) titles.push_back([](Choice& c) { c.title = c.subtitle = false; });
    return {
        options(&Choice::text, texts),
        options(&Choice::longest, longest),
        options(&Choice::rows, words(spec_.row_ticks)),
        options(&Choice::cols, words(spec_.col_ticks)),
        slanted,
        options(&Choice::bar, bar_places),
        options(&Choice::row_name, names(!spec_.row_label.empty(), {NamePlace::outside, NamePlace::corner})),
        options(&Choice::col_name, names(!spec_.col_label.empty(), {NamePlace::outside, NamePlace::beside})),
        options(&Choice::legend, names(!entries_.empty(), {NamePlace::outside, NamePlace::beside, NamePlace::corner})),
        options(&Choice::head_names, names(named_, {NamePlace::outside, NamePlace::edges, NamePlace::beside})),
        titles};
  }

  /// Whether what is decided so far goes together, whatever room there is.
  bool goes_together(const Choice& c) const {
    const auto k = static_cast<std::size_t>(c.longest);
    const auto shortens = [&](const WordWidths& width) { return width.all[k] < width.all[0]; };
    if (k > 0 && !shortens(row_width_) && !shortens(col_width_)) return false;
    if (c.angle != 0 && c.cols != TickWords::tokens) return false;
    if (c.row_tiers && c.rows != TickWords::tokens) return false;
    if ((c.row_tiers || c.col_tiers) && c.text + 1 < static_cast<int>(texts_.size()))
      return false;  // smaller words come first
    if ((c.row_name == NamePlace::corner || c.legend == NamePlace::corner) && c.angle != -90) return false;
    // Under a bar it would read as the bar's unit.
    const bool bar_beside = c.bar == BarPlace::right || c.bar == BarPlace::own;
    if (c.col_name == NamePlace::beside && (c.cols == TickWords::none || bar_beside)) return false;
    if (c.legend == NamePlace::beside && c.bar != BarPlace::right) return false;
    return c.head_names != NamePlace::edges || c.columns == std::ssize(spec_.column_names);
  }

  /// Takes each option of the decision `i` in turn, then decides what is left.
  void decide(std::size_t i, const Choice& so_far, Choice& best, Outcome& outcome) const {
    if (i == decisions_.size()) {
      if (const Outcome got = worth(so_far); got.worth > outcome.worth) outcome = got, best = so_far;
      return;
    }
    for (const auto& option : decisions_[i]) {
      Choice c = so_far;
      option(c);
      if (goes_together(c)) decide(i + 1, c, best, outcome);
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
    // The bar's last label reaches half its height below the matrices.
    if (c.bar == BarPlace::right || c.bar == BarPlace::own) frame.below = std::max(frame.below, 0.5f * m.bar_text);
    if (c.bar == BarPlace::below) frame.below += bar + m.bar_text;
    if (c.col_name == NamePlace::beside)
      frame.right = std::max(frame.right, 0.8f * m.label_text + col_label_ * m.label_text);
    if (c.legend == NamePlace::beside) { frame.right = std::max(frame.right, m.bar_gap + legend_width(m)); }
    if (c.cols == TickWords::indices || c.angle == 0)
      frame.right = std::max(frame.right, c.cols == TickWords::indices ? col_index_ * t / 2 : 0.0f);
    const float tick_over = c.rows == TickWords::none ? 0 : 0.5f * t;  // a label reaches beyond a thin row
    frame.top = m.margin + frame.panel_top + (c.title ? m.title_room : 0) + (c.subtitle ? m.subtitle_room : 0) +
                (c.head_names == NamePlace::edges ? m.head_room : 0);
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

  /// The share of the picture that is matrix, times the costs; below 0 where something has no room.
  Outcome worth(const Choice& c) const {
    const FigureFrame frame = room(c);
    Outcome out;
    if (frame.cell_width <= 0 || frame.panel_width < 2 || frame.panel_height < 2 || !has_room(c, frame)) return out;
    float worth = number(count_) * frame.panel_width * frame.panel_height / (frame.width * frame.height);
    if (height_ <= 0) worth *= std::pow(frame.width / frame.height, cost::flat_picture);
    worth /= 1 + cost::empty_places * raggedness(count_, c.columns);
    worth *= row_words(c, frame, out.row_step) * column_words(c, frame, out.col_step) * surroundings(c);
    if (out.row_step > most_thinned && c.rows == TickWords::tokens) return out;
    if (out.col_step > most_thinned && c.cols == TickWords::tokens) return out;
    out.worth = worth;
    return out;
  }

  /// From line to line; the smallest text may stand as near as its capitals and descenders let it, before a word goes.
  float line_of(const FigureMetrics& m) const {
    return (m.tick_text <= metrics_.back().tick_text ? 0.94f : 1.02f) * m.tick_text;
  }

  static float thinned(Index step, Index count) {
    if (step >= count) return cost::single_word;
    return step == 1 ? 1.0f : step == 2 ? cost::every_other_word : cost::two_of_three_words;
  }

  float row_words(const Choice& c, const FigureFrame& frame, Index& step) const {
    const FigureMetrics& m = frame.metrics;
    if (c.rows == TickWords::none) return cost::no_ticks;
    if (c.rows == TickWords::indices) {
      step = round_step(1.6f * m.tick_text / frame.cell_height);
      return spec_.row_ticks.empty() ? 1 : cost::indices_for_words;
    }
    if (c.row_tiers) return cost::two_tiers;
    step = static_cast<Index>(std::ceil(line_of(m) / frame.cell_height));
    return thinned(step, rows_);
  }

  float column_words(const Choice& c, const FigureFrame& frame, Index& step) const {
    const FigureMetrics& m = frame.metrics;
    const float t = m.tick_text;
    if (c.cols == TickWords::none) return cost::no_ticks;
    if (c.cols == TickWords::indices) {
      step = round_step((col_index_ + 0.7f) * t / frame.cell_width);
      const bool crowded = number(step) * frame.cell_width < 1 || col_index_ * t > frame.panel_width + frame.gap - 2;
      return (crowded ? cost::crowded_indices : 1) * (spec_.col_ticks.empty() ? 1 : cost::indices_for_words);
    }
    const float turned = c.angle == 0 ? 1 : cost::turned_words;
    if (c.col_tiers) return turned * cost::two_tiers;
    const float widest = col_width_.all[static_cast<std::size_t>(c.longest)];
    const float pitch = c.angle == 0 ? (widest + 0.5f) * t : c.angle == -45 ? 1.4f * t : line_of(m);
    step = static_cast<Index>(std::ceil(pitch / frame.cell_width));
    return turned * thinned(step, cols_);
  }

  /// Of everything but the axes' words.
  float surroundings(const Choice& c) const {
    float worth = std::pow(texts_[static_cast<std::size_t>(c.text)] / texts_.front(), cost::text_size);
    if (c.longest == 1) worth *= cost::words_of_eight_ems;
    if (c.longest == 2) worth *= cost::words_of_five_ems;
    if (named_ && c.head_names == NamePlace::edges) worth *= cost::names_on_edges;
    if (named_ && c.head_names == NamePlace::beside)
      worth *= free_corner_ ? cost::names_inside_free : cost::names_inside;
    if (named_ && c.head_names == NamePlace::none) worth *= cost::no_panel_names;
    if (spec_.bar && spec_.palette != Palette::boolean && c.bar == BarPlace::none) worth *= cost::no_bar;
    if (c.bar == BarPlace::below) worth *= cost::bar_below;
    const auto axis_name = [&](const std::string& name, NamePlace place) {
      if (name.empty() || place == NamePlace::outside) return 1.0f;
      return place == NamePlace::none ? cost::no_axis_name : cost::axis_name_moved;
    };
    worth *= axis_name(spec_.row_label, c.row_name) * axis_name(spec_.col_label, c.col_name);
    if (!entries_.empty() && c.legend == NamePlace::none) worth *= cost::no_legend;
    if (!spec_.title.empty() && !c.title)
      worth *= spec_.keep_title ? cost::no_title_of_ones_own
               : spec_.on_paper ? cost::no_title_on_paper
                                : cost::no_title;
    if (!spec_.subtitle.empty() && !c.subtitle && !spec_.on_paper) worth *= cost::no_formula;
    return worth;
  }

  /// Whether every word and the bar fit in what `room` gives them.
  bool has_room(const Choice& c, const FigureFrame& frame) const {
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

  void say(const Choice& c, const Outcome& outcome, std::vector<Message>& out) const {
    if (!spec_.title.empty() && !c.title) out.emplace_back("title");
    if (!spec_.subtitle.empty() && !c.subtitle) out.emplace_back("formula");
    const auto axis = [&](const char* name, const char* indices, TickWords words, bool tokens, Index step,
                          Index count) {
      if (words == TickWords::none) out.emplace_back(tokens ? name : indices);
      if (words == TickWords::indices && tokens) out.emplace_back("{0} (indices in their place)", Message(name));
      if (words == TickWords::tokens && step > 1 && count > 1)
        out.emplace_back(step == 2 ? "every other of the {0}" : "two of three of the {0}", Message(name));
    };
    axis("row words", "row indices", c.rows, !spec_.row_ticks.empty(), outcome.row_step, rows_);
    axis("column words", "column indices", c.cols, !spec_.col_ticks.empty(), outcome.col_step, cols_);
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
  std::vector<Options> decisions_;
  std::vector<LegendEntry> entries_;
  float width_, height_;
  std::vector<float> texts_;  // of ticks, from large to small
  std::vector<FigureMetrics> metrics_;
  std::vector<std::size_t> legend_lines_;
  std::vector<float> legend_widths_;
  WordWidths row_width_, col_width_;
  float row_index_ = 0, col_index_ = 0, row_label_ = 0, col_label_ = 0, bar_label_ = 0, legend_widest_ = 0;
  float panel_name_ = 0, line_name_ = 0, column_name_ = 0;  // the widest, in ems
};

}  // namespace

FigureFrame search_frame(const FrameMaker& maker) { return Searcher(maker).best(); }

}  // namespace headlight
