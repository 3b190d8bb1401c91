// What the window keeps to in size, in points: one point is Frame::u pixels. Type comes in these sizes and no others,
// so that its glyphs are made once; corners in these, by what they are of.
#pragma once

namespace headlight {

struct TypeSize {
  static constexpr float note = 12;  ///< what stands beside a picture: names of rows and columns, legends, hints
  static constexpr float body = 13;
  static constexpr float large = 14;  ///< words that are read in one go: a lesson, a name among names
  static constexpr float story = 15;  ///< words on the canvas
  static constexpr float heading = 16;
  static constexpr float numbers = 18;  ///< a row of numbers that is worked through
  static constexpr float title = 20;
  static constexpr float formula = 22;
};

struct Corner {
  static constexpr float mark = 2;     ///< bars, strips, swatches
  static constexpr float cell = 3;     ///< what frames a cell or a word
  static constexpr float control = 6;  ///< chips, buttons, fields
  static constexpr float card = 9;     ///< cards, dialogs, panels that float
};

}  // namespace headlight
