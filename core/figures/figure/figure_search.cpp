// Finds the largest matrices for a given size. Around them there are decisions: which words, at which angle, and where
// the bar, names, title and legend are, or whether they are left out. Each decision has options, from complete to
// nothing. Each combination that fits is measured: the share of the picture that the matrices fill, times a factor
// below 1 for each thing that is left out or harder to read (`cost`). The largest product wins; of equal ones the
// first.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/tensor/message.h"
#include "core/figures/figure/figure_frame.h"

namespace headlight {
namespace {

constexpr Index most_thinned = 3;  // at least every third word; otherwise indices are used

/// What a reader loses, as a factor: 0.5 counts as much as half of the matrices' area.
namespace cost {
constexpr float every_other_word = 0.62f;                               // the reader guesses the words between
constexpr float two_of_three_words = 0.52f;                             // two words are hard to guess
constexpr float single_word = 0.9f;                                     // one word stands for a short axis
constexpr float two_tiers = 0.94f;                                      // lines lead to words that are further away
constexpr float turned_words = 0.943f;                                  // hard to read
constexpr float words_of_eight_ems = 0.88f, words_of_five_ems = 0.78f;  // long words are cut in the middle
constexpr float indices_for_words = 0.36f;                              // the reader must look up the words
constexpr float no_ticks = 0.3f;                                        // cells cannot be identified
constexpr float crowded_indices = 0.5f;                                 // fewer than two indices fit
constexpr float text_size = 0.7f;                                       // an exponent: half the text size costs 2^-0.7
constexpr float names_on_edges = 0.98f;                                 // the reader must combine layer and head
constexpr float names_inside_free = 0.72f;                              // over masked cells, which they hide
constexpr float names_inside = 0.5f;                                    // over cells with values
constexpr float no_panel_names = 0.45f;                                 // the reader must count panels
constexpr float no_bar = 0.5f;                                          // colours have no numbers
constexpr float bar_below = 0.985f;                                     // readers look beside the matrix first
constexpr float axis_name_moved = 0.985f;                               // in a corner or at the end of the line
constexpr float no_axis_name = 0.02f;                                   // the last thing to go: which axis asks
constexpr float no_legend = 0.82f;                                      // the meaning of hatching is guessed
constexpr float no_categories = 0.3f;                                   // no colour means anything
constexpr float no_title = 0.92f, no_title_on_paper = 0.94f;            // a caption can say it
constexpr float no_kept_title = 0.3f;                                   // the user wrote it, or it says the colours
constexpr float no_formula = 0.97f;
constexpr float empty_places = 0.3f;   // in the last line of a grid
constexpr float flat_picture = 0.25f;  // an exponent: if the height is free, a wide picture is preferred
}  // namespace cost

/// One decision: its options, the preferred ones first.
using Options = std::vector<std::function<void(FigureChoice&)>>;

struct Slant {
  float angle;
  bool row_tiers, col_tiers;
};
constexpr Slant slants[]{{0, false, false}, {-45, false, false}, {-90, false, false}, {-90, false, true},
                         {0, true, false},  {-45, true, false},  {-90, true, false},  {-90, true, true}};

struct Outcome {
  float score = -1;
  Index row_step = 1, col_step = 1;
};

class Searcher : FigureRoom {
 public:
  using FigureRoom::FigureRoom;

  FigureFrame best() {
    FigureChoice chosen;
    Outcome outcome;
    decisions_ = decisions();
    for (const Index columns : grids()) {
      FigureChoice c;
      c.columns = columns;
      decide(0, c, chosen, outcome);
    }
    return outcome.score > 0 ? chosen_frame(chosen, outcome) : matrices_alone();
  }

 private:
  /// For each number of lines, the smallest number of columns.
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
  static Options options(T FigureChoice::*what, const std::vector<T>& values) {
    Options all;
    for (const T& value : values) all.push_back([what, value](FigureChoice& c) { c.*what = value; });
    return all;
  }

  std::vector<Options> decisions() const {
    const std::vector<BarPlace> bar_places = !has_bar_ ? std::vector{BarPlace::none}
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
    std::vector<int> texts(texts_.size()), longest(longest_words.size());
    std::iota(texts.begin(), texts.end(), 0);
    std::iota(longest.begin(), longest.end(), 0);
    Options slanted, titles;
    for (const Slant& slant : slants)
      slanted.push_back([slant](FigureChoice& c) {
        c.angle = slant.angle, c.row_tiers = slant.row_tiers, c.col_tiers = slant.col_tiers;
      });
    const bool titled = !spec_.title.empty(), formula = titled && !spec_.subtitle.empty() && !spec_.on_paper;
    if (formula) titles.push_back([](FigureChoice& c) { c.title = c.subtitle = true; });
    if (titled) titles.push_back([](FigureChoice& c) { c.title = true, c.subtitle = false; });
    // A height that the program chooses has space for a title.
    if (!titled || height_ > 0) titles.push_back([](FigureChoice& c) { c.title = c.subtitle = false; });
    return {
        options(&FigureChoice::text, texts),
        options(&FigureChoice::longest, longest),
        options(&FigureChoice::rows, words(spec_.row_ticks)),
        options(&FigureChoice::cols, words(spec_.col_ticks)),
        slanted,
        options(&FigureChoice::bar, bar_places),
        options(&FigureChoice::row_name, names(!spec_.row_label.empty(), {NamePlace::outside, NamePlace::corner})),
        options(&FigureChoice::col_name, names(!spec_.col_label.empty(), {NamePlace::outside, NamePlace::beside})),
        options(&FigureChoice::legend,
                names(!entries_.empty(), {NamePlace::outside, NamePlace::beside, NamePlace::corner})),
        options(&FigureChoice::head_names, names(named_, {NamePlace::outside, NamePlace::edges, NamePlace::beside})),
        titles};
  }

  /// Whether the decisions so far are compatible, whatever the space.
  bool is_compatible(const FigureChoice& c) const {
    const auto k = static_cast<std::size_t>(c.longest);
    const auto shortens = [&](const WordWidths& width) { return width.all[k] < width.all[0]; };
    if (k > 0 && !shortens(row_width_) && !shortens(col_width_)) return false;
    if (c.angle != 0 && c.cols != TickWords::tokens) return false;
    if (c.row_tiers && c.rows != TickWords::tokens) return false;
    if ((c.row_tiers || c.col_tiers) && c.text + 1 < static_cast<int>(texts_.size()))
      return false;  // smaller words are tried first
    if ((c.row_name == NamePlace::corner || c.legend == NamePlace::corner) && c.angle != -90) return false;
    // Under a bar it would look like the unit of the bar.
    const bool bar_beside = c.bar == BarPlace::right || c.bar == BarPlace::own;
    if (c.col_name == NamePlace::beside && (c.cols == TickWords::none || bar_beside)) return false;
    if (c.legend == NamePlace::beside && c.bar != BarPlace::right) return false;
    return c.head_names != NamePlace::edges || c.columns == std::ssize(spec_.column_names);
  }

  /// Tries each option of decision `i`, then the decisions after it.
  void decide(std::size_t i, const FigureChoice& so_far, FigureChoice& best, Outcome& outcome) const {
    if (i == decisions_.size()) {
      if (const Outcome outcome_here = score(so_far); outcome_here.score > outcome.score)
        outcome = outcome_here, best = so_far;
      return;
    }
    for (const auto& option : decisions_[i]) {
      FigureChoice c = so_far;
      option(c);
      if (is_compatible(c)) decide(i + 1, c, best, outcome);
    }
  }

  /// The share of the picture that the matrices fill, times the costs; below 0 if something does not fit.
  Outcome score(const FigureChoice& c) const {
    const FigureFrame frame = room(c);
    Outcome out;
    if (frame.cell_width <= 0 || frame.panel_width < 2 || frame.panel_height < 2 || !has_room(c, frame)) return out;
    float score = number(count_) * frame.panel_width * frame.panel_height / (frame.width * frame.height);
    if (height_ <= 0) score *= std::pow(frame.width / frame.height, cost::flat_picture);
    score /= 1 + cost::empty_places * raggedness(count_, c.columns);
    score *= row_words(c, frame, out.row_step) * column_words(c, frame, out.col_step) * surroundings(c);
    if (out.row_step > most_thinned && c.rows == TickWords::tokens) return out;
    if (out.col_step > most_thinned && c.cols == TickWords::tokens) return out;
    out.score = score;
    return out;
  }

  static float thinned(Index step, Index count) {
    if (step >= count) return cost::single_word;
    return step == 1 ? 1.0f : step == 2 ? cost::every_other_word : cost::two_of_three_words;
  }

  float row_words(const FigureChoice& c, const FigureFrame& frame, Index& step) const {
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

  float column_words(const FigureChoice& c, const FigureFrame& frame, Index& step) const {
    const FigureMetrics& m = frame.metrics;
    const float t = m.tick_text;
    if (c.cols == TickWords::none) return cost::no_ticks;
    if (c.cols == TickWords::indices) {
      step = round_step((col_index_ + 0.7f) * t / frame.cell_width);
      const bool crowded = number(step) * frame.cell_width < 1 || col_index_ * t > frame.panel_width + frame.gap - 2;
      return (crowded ? cost::crowded_indices : 1) * (spec_.col_ticks.empty() ? 1 : cost::indices_for_words);
    }
    const float angle_cost = c.angle == 0 ? 1 : cost::turned_words;
    if (c.col_tiers) return angle_cost * cost::two_tiers;
    const float widest = col_width_.all[static_cast<std::size_t>(c.longest)];
    const float pitch = c.angle == 0 ? (widest + 0.5f) * t : c.angle == -45 ? 1.4f * t : line_of(m);
    step = static_cast<Index>(std::ceil(pitch / frame.cell_width));
    return angle_cost * thinned(step, cols_);
  }

  /// The cost of everything except the words of the axes.
  float surroundings(const FigureChoice& c) const {
    float score = std::pow(texts_[static_cast<std::size_t>(c.text)] / texts_.front(), cost::text_size);
    if (c.longest == 1) score *= cost::words_of_eight_ems;
    if (c.longest == 2) score *= cost::words_of_five_ems;
    if (named_ && c.head_names == NamePlace::edges) score *= cost::names_on_edges;
    if (named_ && c.head_names == NamePlace::beside)
      score *= free_corner_ ? cost::names_inside_free : cost::names_inside;
    if (named_ && c.head_names == NamePlace::none) score *= cost::no_panel_names;
    if (has_bar_ && c.bar == BarPlace::none) score *= cost::no_bar;
    if (c.bar == BarPlace::below) score *= cost::bar_below;
    const auto axis_name = [&](const std::string& name, NamePlace place) {
      if (name.empty() || place == NamePlace::outside) return 1.0f;
      return place == NamePlace::none ? cost::no_axis_name : cost::axis_name_moved;
    };
    score *= axis_name(spec_.row_label, c.row_name) * axis_name(spec_.col_label, c.col_name);
    if (!entries_.empty() && c.legend == NamePlace::none)
      score *= spec_.categories.empty() ? cost::no_legend : cost::no_categories;
    if (!spec_.title.empty() && !c.title)
      score *= spec_.keep_title ? cost::no_kept_title : spec_.on_paper ? cost::no_title_on_paper : cost::no_title;
    if (!spec_.subtitle.empty() && !c.subtitle && !spec_.on_paper) score *= cost::no_formula;
    return score;
  }

  FigureFrame chosen_frame(const FigureChoice& c, const Outcome& outcome) {
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
    move_closer(frame);
    frame.legend.clear();
    if (c.legend != NamePlace::none)
      break_legend(frame, entries_, c.legend == NamePlace::outside ? frame.inner_width : 0.0f, typesetter_);
    frame.content_width = content_width(frame);
    set_cells(frame, spec_, frame.cell_width, frame.cell_height);
    say(c, outcome, frame.left_out);
    return frame;
  }

  /// Moves the name of the columns and the bar as close as the remaining words allow.
  void move_closer(FigureFrame& frame) {
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

  void say(const FigureChoice& c, const Outcome& outcome, std::vector<Message>& out) const {
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
    if (has_bar_ && c.bar == BarPlace::none) out.emplace_back("colour bar");
    if (!entries_.empty() && c.legend == NamePlace::none) out.emplace_back("legend");
  }

  FigureFrame matrices_alone() {
    FigureFrame frame;
    float most = -1;
    FigureChoice c, chosen;
    for (const Index columns : grids()) {
      c.columns = columns;
      FigureFrame tried = room(c);
      const float gaps = number(tried.columns - 1), lines = number(tried.lines - 1);
      tried.metrics.margin = std::min({tried.metrics.margin, width_ / 16, height_ > 0 ? height_ / 16 : 8.0f});
      tried.gap =
          std::min({4.0f, width_ / number(4 * tried.columns), height_ > 0 ? height_ / number(4 * tried.lines) : 4.0f});
      tried.top = tried.metrics.margin;
      tried.left = tried.right = tried.below = tried.mark_room = 0;
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
      if (const float score = tried.panel_width * tried.panel_height; score > most)
        most = score, frame = tried, chosen = c;
    }
    say(chosen, {}, frame.left_out);
    if (highlight_room(spec_, frame.metrics.tick_text) > 0) frame.left_out.emplace_back("labels of the highlights");
    return frame;
  }

  std::vector<Options> decisions_;
};

}  // namespace

FigureFrame search_frame(const FrameMaker& maker) { return Searcher(maker).best(); }

}  // namespace headlight
