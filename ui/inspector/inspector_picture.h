// What the inspector shows of one cell, computed once for a trace and a cell: texts, rows, links. Plain data.
#pragma once

#include <string>
#include <vector>

#include "ui/frame/frame.h"
#include "ui/look/measure.h"

namespace headlight {

// Sizes of type.
inline constexpr float formula_points = TypeSize::formula;
inline constexpr float numbers_points = TypeSize::numbers;

/// A label to the left, a number to the right.
struct NumberLine {
  std::string label, number;
};

/// A cell that this one was computed from, to go to.
struct SourceLine {
  Cell cell;
  std::string label, number;
  ImU32 colour = 0;  ///< its lane's
};

struct DotCell {
  Cell cell;  ///< of the products: none to go to
  std::string text;
  ImU32 ground = 0, ink = 0;
};

/// A sum of products as three aligned rows: left, right, left × right.
struct DotPicture {
  std::string left, right, both;  ///< the rows' names
  std::vector<std::array<DotCell, 3>> columns;
  std::vector<std::string> names;   ///< of the columns, where they are words: the keys
  std::string sum;                  ///< "Σ = 1.27", and how many columns are left out
  std::vector<NumberLine> closing;  ///< from the sum to the cell's number: "× 1/√4", "+ b_o"
  ImU32 left_colour = 0, right_colour = 0;
};

struct Bar {
  Index col = 0;
  std::string label, number;
  bool lit = false, has_value = false;
  float from = 0, to = 0;  ///< shares of the track
  ImU32 colour = 0;
};

struct Crumb {
  std::string label;
  ImU32 colour = 0;
};

struct InspectorPicture {
  Cell cell;
  std::string title, place, value, exact, index;
  std::string meaning;                        ///< of a weight: "46 % of what “mat” takes"
  std::vector<Crumb> crumbs;                  ///< the way here; the last one is this cell
  std::vector<std::string> formula, numbers;  ///< math markup, in lines that fit
  std::vector<NumberLine> quantities;
  DotPicture dot;                   ///< of this cell, or of the score behind it; without columns: none
  std::vector<SourceLine> sources;  ///< that the dot product does not show
  std::string more_sources;         ///< "and 12 more", or empty
  bool reaches = false;             ///< `reached` is shown, not the sources
  std::vector<SourceLine> reached;  ///< the next stages' cells that this one is a term of; the first of each region
  std::vector<Bar> row;
  std::string sum, entropy;  ///< of a row of weights
};

/// `width` is what there is for text, in pixels.
InspectorPicture make_inspector_picture(const Frame& frame, const Cell& cell, float width);

/// "“mat” → “the”" between tokens, "row 3, column 7" elsewhere.
std::string place_words(const Frame& frame, const Cell& cell);

/// The same, kept.
const InspectorPicture& inspector_picture(const Frame& frame, const Cell& cell, float width);

}  // namespace headlight
