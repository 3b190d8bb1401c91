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
  static constexpr float beside = 3;   ///< between the names of two columns
  static constexpr float turned = 14;  ///< below names at 45°
};

/// The most that a name beside a matrix takes; a longer one is cut.
struct NameRoom {
  static constexpr float row = 96;
  static constexpr float column = 56;
  static constexpr float turned = 120;  ///< at 45°, along its slant
};

/// The least size of cells that have more than a colour.
struct LeastCell {
  static constexpr float gap = 6;       ///< a gap between them
  static constexpr float numbers = 13;  ///< the height of a row with numbers
};

/// From a thing to the frame around it.
struct Outset {
  static constexpr float cell = 1.5f;  ///< a cell, a row or a strip of a matrix
  static constexpr float bar = 2.5f;
  static constexpr float head = 4;  ///< the columns of a head
};

struct ControlHeight {
  static constexpr float chip = 26;  ///< and small buttons
  static constexpr float bar = 28;   ///< buttons of bars, and at the foot of dialogs
  static constexpr float field = 30;
};

/// What a control is wider than its words, both ends together.
struct ControlPad {
  static constexpr float small = 20;   ///< chips in a row with other text
  static constexpr float chip = 22;    ///< and tabs
  static constexpr float action = 26;  ///< chips on the canvas that begin something
  static constexpr float button = 28;
  static constexpr float main = 32;   ///< buttons at the foot of dialogs
  static constexpr float large = 40;  ///< buttons below a sentence
};

/// From one line of controls to the next.
struct ControlPitch {
  static constexpr float chips = ControlHeight::chip + Space::gap;
  static constexpr float close_chips = ControlHeight::chip + Space::tight;
};

/// A length that grows with its room: a share of it, between two lengths in points.
struct RoomShare {
  float share, least, most;
  float of(float room, float u) const { return std::clamp(room * share, least * u, most * u); }
};

/// Half of the height of the track that a probability's bar fills, in points.
inline constexpr float half_track = 7;

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
