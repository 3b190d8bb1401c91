// Inside ui/views/operation: the numbers of one row as bands above each other, with a column per key.
#pragma once

#include <vector>

#include "core/rules/stage/extent.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {

/// The columns that the bands share.
struct Table {
  Rect area;  ///< of the bands; words are below, names left of it
  IndexRange keys;
  float names = 0;
  Rect column(Index k) const {
    const float x = area.min.x + static_cast<float>(k - keys.first) * keys.size;
    return {{x, area.min.y}, {x + keys.size, area.max.y}};
  }
};

/// One row of a stage, as a band shows it.
struct Band {
  Stage stage{};
  std::vector<float> values;
  std::vector<CellKind> kinds;
  const Colormap* colormap = nullptr;
  ValueRange range;
};

/// Of the followed query.
Band band_of(const Task& task, Stage stage);
/// For those numbers that are values.
MatrixNumbers figures_of(const Band& band, const IndexRange& keys);
/// The font size at which all numbers of the band fit side by side; 0: none.
float size_in(const Task& task, const IndexRange& keys, MatrixNumbers& figures, float wanted);
void put_band_name(const Task& task, const Table& table, float y, const std::string& markup, ImU32 colour,
                   const std::string& note);
/// Bars up and down from a line, with their numbers.
void put_bars(const Task& task, const Table& table, const Band& band, Rect place);
/// Shares of a whole: tracks that fill from below, with their numbers.
void put_shares(const Task& task, const Table& table, const Band& band, const std::vector<float>& values, float grown,
                Rect place);

/// One row as a vertical strip.
void put_strip(const Task& task, Stage stage, Index row, Rect rect, ImU32 colour);
/// The value rows of all keys as strips in their columns, masked ones hatched, the followed one highlighted. by_share
/// 0: all strip_width wide; 1: each as wide as its share of that.
void put_key_strips(const Task& task, const Table& table, Stage stage, const Band& weights, float by_share, Rect place);
float strip_width(const Pen& pen, float column);

}  // namespace headlight::operation
