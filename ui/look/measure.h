// The window's sizes in points (one point is Frame::u pixels). Only these font sizes are used, so that their glyphs are
// baked once.
#pragma once

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

}  // namespace headlight
