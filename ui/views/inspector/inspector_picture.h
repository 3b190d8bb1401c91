// The inspector's content for one cell as plain data, computed once for a trace and a cell.
#pragma once

#include <string>
#include <vector>

#include "core/teaching/explain/explain.h"
#include "ui/base/document/view.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"

namespace headlight {

// Font sizes.
inline constexpr float formula_points = TypeSize::formula;
inline constexpr float numbers_points = TypeSize::numbers;

/// A label and a number.
struct NumberLine {
  std::string label, number;
};

/// A source of the cell, with a link.
struct SourceLine {
  Cell cell;
  std::string label, number;
  ImU32 colour = 0;  ///< its lane's colour
};

struct DotCell {
  Cell cell;  ///< not set for products
  std::string text;
  ImU32 ground = 0, ink = 0;
};

/// A dot product as three aligned rows: left, right, left × right.
struct DotPicture {
  std::string left, right, both;  ///< names of the rows
  std::vector<std::array<DotCell, 3>> columns;
  std::vector<std::string> names;   ///< of the columns, if they are words: the keys
  std::string sum;                  ///< "Σ = 1.27", and the number of columns left out
  std::vector<NumberLine> closing;  ///< from the sum to the cell's value: "× 1/√4", "+ b_o"
  ImU32 left_colour = 0, right_colour = 0;
};

struct Bar {
  Index col = 0;
  std::string label, number;
  bool lit = false, has_value = false;
  float from = 0, to = 0;  ///< as shares of the track
  ImU32 colour = 0;
};

struct Crumb {
  std::string label;
  ImU32 colour = 0;
};

struct InspectorPicture {
  Cell cell;
  std::string title, place, value, exact, index;
  std::string meaning;                        ///< for a weight: "46 % of the attention of “mat”"
  std::vector<Crumb> crumbs;                  ///< the path here; the last one is this cell
  std::vector<std::string> formula, numbers;  ///< formula markup, broken into lines
  std::vector<NumberLine> quantities;
  DotPicture dot;                   ///< of this cell, or of the score that it comes from; no columns: none
  std::vector<SourceLine> sources;  ///< sources that the dot product does not show
  std::string more_sources;         ///< "and 12 more", or empty
  bool reaches = false;             ///< shows `reached` instead of the sources
  std::vector<SourceLine> reached;  ///< cells of the next stages that depend on this one; the first of each region
  std::vector<Bar> row;
  std::string sum, entropy;  ///< of a row of weights
};

/// "“mat” → “the”" for tokens, else "row 3, column 7".
std::string place_words(const Frame& frame, const Cell& cell);

/// The same, cached.
const InspectorPicture& inspector_picture(const Frame& frame, const Cell& cell, float width);

/// The regions of the next stages that depend on a cell. In self-attention `key` stands for all three inputs.
std::vector<Region> reach_of(const Trace& trace, const Cell& cell);
/// Whether dependent cells are marked instead of sources: if the view says so, or if the stage has no sources.
bool shows_reach(const View& view, const Trace& trace, Stage stage);

}  // namespace headlight
