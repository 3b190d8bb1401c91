// Inside ui/operation: numbers of one row of scores as bands over one another, in the columns of the keys.
#pragma once

#include <vector>

#include "core/stage/cell_kind.h"
#include "ui/operation/parts.h"

namespace headlight::operation {

/// The columns that all bands share.
struct Table {
  Rect area;  ///< of bands; words under it, names left of it
  Window keys;
  float names = 0;
  Rect column(Index k) const {
    const float x = area.min.x + static_cast<float>(k - keys.first) * keys.size;
    return {{x, area.min.y}, {x + keys.size, area.max.y}};
  }
};

/// Numbers of one row of a stage, as a band shows them.
struct Band {
  Stage stage{};
  std::vector<float> values;
  std::vector<CellKind> kinds;
  const Colormap* colormap = nullptr;
  ValueRange range;
};

/// Of the query that is followed.
Band band_of(const Task& task, Stage stage);
inline MatrixView row_view(const std::vector<float>& values) {
  const auto count = static_cast<Index>(values.size());
  return {values.data(), 1, count, count, 1};
}
/// MatrixNumbers of those that are values.
MatrixNumbers figures_of(const Band& band, const Window& keys);
/// The size at which all numbers of the band fit side by side; 0: none does.
float size_in(const Task& task, const Window& keys, MatrixNumbers& figures, float wanted);
void band_name(const Task& task, const Table& table, float y, const std::string& markup, ImU32 colour,
               const std::string& note);
/// Bars up and down from a line, with their numbers over them.
void bars(const Task& task, const Table& table, const Band& band, Rect place);
/// Shares of one whole: tracks that fill from below, their numbers under them.
void shares(const Task& task, const Table& table, const Band& band, const std::vector<float>& values, float grown,
            Rect place);

/// Numbers of one row as a strip from the top down.
void put_strip(const Task& task, Stage stage, Index row, Rect rect, ImU32 colour);
/// The rows of all keys as strips in their columns, of those that are hidden hatched, the followed one lit. by_share 0:
/// all as wide as strip_width, 1: each as wide as its share of that.
void put_key_strips(const Task& task, const Table& table, Stage stage, const Band& weights, float by_share, Rect place);
float strip_width(const Pen& pen, float column);

}  // namespace headlight::operation
