// The window's sizes in points (one point is Frame::u pixels). Only these font sizes are used, so that their glyphs are
// baked once.
#pragma once

#include <algorithm>

namespace headlight {

struct TypeSize {
  static constexpr float note = 12;  ///< beside pictures: row and column names, legends, hints
  static constexpr float body = 13;
  static constexpr float large = 14;  ///< lesson text, names in lists
  static constexpr float story = 15;  ///< text on the canvas
  static constexpr float heading = 16;
  static constexpr float numbers = 18;  ///< a row of numbers in a calculation
  static constexpr float title = 20;
  static constexpr float formula = 22;
};

struct Corner {
  static constexpr float mark = 2;     ///< bars, strips, swatches
  static constexpr float cell = 3;     ///< frames of cells and words
  static constexpr float control = 6;  ///< chips, buttons, fields
  static constexpr float card = 9;     ///< cards, dialogs, floating panels
};

/// The steps of distances, in points. Each is named for its first use; a distance that is none of them is a size.
struct Space {
  static constexpr float fine = 2;      ///< from a mark to what it marks
  static constexpr float thin = 3;      ///< between cells
  static constexpr float tight = 4;     ///< between the parts of one control
  static constexpr float close = 5;     ///< between small controls
  static constexpr float near = 6;      ///< between chips
  static constexpr float gap = 8;       ///< between things that belong together
  static constexpr float title = gap;   ///< from a card's upper edge to its title
  static constexpr float pad = 10;      ///< from the edge of a control to what is in it
  static constexpr float apart = 12;    ///< between cards
  static constexpr float card = 14;     ///< from the edge of a card or a sheet to what is in it
  static constexpr float part = 16;     ///< between the parts of a card
  static constexpr float row = 18;      ///< from one line of small text to the next
  static constexpr float wide = 20;     ///< between columns
  static constexpr float section = 24;  ///< between the parts of a view
};

/// Between a matrix and the names of its rows, left of it, and of its columns, below it.
struct NameGap {
  static constexpr float row = 5, column = 3;
};

struct ControlHeight {
  static constexpr float chip = 26;  ///< and small buttons
  static constexpr float bar = 28;   ///< buttons of bars, and at the foot of dialogs
  static constexpr float field = 30;
};

/// Widths of lines in pixels, `u` to a point.
struct Stroke {
  static constexpr float hair(float u) { return std::max(1.0f, u); }
  static constexpr float arrow(float u) { return std::max(1.0f, 1.5f * u); }
  static constexpr float frame(float u) { return std::max(1.5f, 1.5f * u); }
  static constexpr float firm(float u) { return std::max(1.5f, 2 * u); }
  static constexpr float chosen(float u) { return std::max(2.0f, 2 * u); }       ///< around one of several
  static constexpr float followed(float u) { return std::max(2.0f, 2.4f * u); }  ///< around a word or number
};

}  // namespace headlight
