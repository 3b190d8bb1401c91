// What the mask view shows, computed once for a trace, a view and a size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/mask/expression.h"
#include "ui/matrix/heat.h"
#include "ui/matrix/swatches.h"

namespace headlight {

/// What a line of a tile holds, in the type of its caption.
inline constexpr std::size_t letters_of_a_tile = 21;
/// One pattern of the palette: its example at a small size.
struct PatternTile {
  std::string signature, hint, expression;
  std::vector<std::string>
      lines;    ///< the expression, which is what a click inserts, in lines of at most `letters_of_a_tile`
  Tensor mask;  ///< [n, n], 1 = may attend
};

struct MaskPicture {
  HeatPicture mask, weights;  ///< side by side; where nothing is masked, `mask` is all ones
  Rect mask_card, weights_card;
  std::vector<Swatch> mask_legend, weights_legend;
  std::string statistics;  ///< allowed share and dead rows, in words

  /// One head's mask at a small size.
  struct Small {
    Rect rect;
    std::string label;
  };
  std::vector<Small> heads;          ///< where the mask differs between heads
  std::vector<std::string> entries;  ///< where it differs between batch entries: their names
  ImVec2 entries_at{};
  float strip = 0;  ///< height of the row below the cards that those two take
};

/// A number of a pattern in the mask's text: a slider.
struct MaskArgument {
  std::size_t call = 0, place = 0;  ///< as with_argument() counts
  const Parameter* parameter = nullptr;
  double value = 0;
  std::string id, label;
};

/// The mask's text taken apart: its numbers, or why it does not parse.
struct MaskTextPicture {
  std::string text;
  std::optional<MaskExpression> expression;
  std::vector<MaskArgument> arguments;
  std::string trouble, sentence;  ///< the text with a caret below, and what is wrong there
};

/// `area` in screen pixels.
MaskPicture make_mask_picture(const Frame& frame, Rect area);
/// `columns`: characters of the text that there is room for, where it does not parse.
MaskTextPicture make_mask_text_picture(const std::string& text, std::size_t columns);
/// Every pattern whose example needs nothing from a file.
std::vector<PatternTile> make_palette();

/// The same, kept: the mask as it stands or, while that does not parse, as it is typed.
const MaskPicture& mask_picture(const Frame& frame, Rect area);
const MaskTextPicture& mask_text_picture(const Frame& frame, std::size_t columns);
const std::vector<PatternTile>& palette_picture(const Frame& frame);
/// The mask that is in force where none is typed, as an expression: "file()", "padding()".
const std::string& mask_in_force(const Frame& frame);
/// "+ painted(): 3 allowed, 2 forbidden", in the matrix that is looked at.
const std::string& painted_words(const Frame& frame);

}  // namespace headlight
