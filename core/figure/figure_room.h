// The room that the words, names, bar and legend around the matrices of a figure take, by what is chosen of them. The
// words are measured once, and a choice is judged before any string of it is made.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/figure/figure_frame.h"

namespace headlight {

enum class TickWords : std::uint8_t { tokens, indices, none };

/// One combination, before any string is made.
struct FigureChoice {
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

// Words in two tiers, of the text's size: the least cell, so that a far word's line passes between near ones; between
// the tiers.
inline constexpr float tier_cell = 0.56f, tier_gap = 0.3f;

inline constexpr std::array longest_words{1000.0f, 8.0f, 5.0f};  // in ems

/// Of the widest word of an axis, and of those with an even and an odd index, in ems, by the longest that is let stand.
struct WordWidths {
  std::array<float, longest_words.size()> all{}, even{}, odd{};
  float depth(std::size_t longest, bool tiers) const {
    return tiers ? even[longest] + tier_gap + odd[longest] : all[longest];
  }
};

class FigureRoom : protected FrameMaker {
 public:
  explicit FigureRoom(const FrameMaker& maker);
  /// Room around the matrices and the cells that it leaves.
  FigureFrame room(const FigureChoice& c) const;
  /// Whether every word and the bar fit in what `room` gives them.
  bool has_room(const FigureChoice& c, const FigureFrame& frame) const;

 protected:
  /// From line to line; the smallest text may stand as near as its capitals and descenders let it, before a word goes.
  float line_of(const FigureMetrics& m) const;

  bool named_, free_corner_ = false;
  std::vector<LegendEntry> entries_;
  float width_, height_;
  std::vector<float> texts_;  // of ticks, from large to small
  std::vector<FigureMetrics> metrics_;
  std::vector<std::size_t> legend_lines_;
  std::vector<float> legend_widths_;
  WordWidths row_width_, col_width_;
  float row_index_ = 0, col_index_ = 0, row_label_ = 0, col_label_ = 0, bar_label_ = 0, legend_widest_ = 0;
  float panel_name_ = 0, line_name_ = 0, column_name_ = 0;  // the widest, in ems

 private:
  WordWidths widths(const std::vector<std::string>& tokens, Index count);
  /// Whether no number lies in the upper right corner, where a name may stand inside.
  bool has_free_corner(const FigurePanel& panel) const;
  float legend_width(const FigureMetrics& m) const { return m.swatch + (0.5f + legend_widest_) * m.label_text; }
  /// The largest cells that the room around the matrices leaves.
  void fit_cells(FigureFrame& frame) const;
  /// From the first matrix's top to the last one's bottom.
  static float across(const FigureFrame& frame);
  /// The height of what stands below the rows' words.
  float in_corner(const FigureChoice& c, const FigureMetrics& m) const;
};

}  // namespace headlight
