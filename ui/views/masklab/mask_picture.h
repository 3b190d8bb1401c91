// The mask view: its sheets, and the picture of the first one, computed once for a trace, a view and a size.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/rules/mask/expression.h"
#include "ui/base/document/view_choices.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

/// Characters per line of a tile's caption.
inline constexpr std::size_t letters_of_a_tile = 21;
/// A pattern of the palette, with its example as a small picture.
struct PatternTile {
  std::string signature, hint, expression;
  std::vector<std::string> lines;  ///< the expression that a click inserts, in lines of at most `letters_of_a_tile`
  Tensor mask;                     ///< [n, n], 1 = may attend
};

struct MaskPicture {
  /// The cards with their words, and a small picture of each head's mask, if these differ: SceneAction::head.
  Scene scene;
  HeatPicture mask, weights;         ///< side by side; without a mask, `mask` is all ones
  std::vector<std::string> entries;  ///< if the mask differs between batch entries: their names
  ImVec2 entries_at{};
  float strip = 0;  ///< height of the row below the cards for heads and entries
};

/// A number of a pattern in the mask's text, which has a slider.
struct MaskArgument {
  std::size_t call = 0, place = 0;  ///< indices as for with_argument()
  const Parameter* parameter = nullptr;
  double value = 0;
  std::string id, label;
};

/// The parsed mask text: its numbers, or why it does not parse.
struct MaskTextPicture {
  std::string text;
  std::optional<MaskExpression> expression;
  std::vector<MaskArgument> arguments;
  std::string trouble;  ///< the text with a caret below
  Message sentence;     ///< the error
};

/// `columns`: characters that fit in a line, for the error.
MaskTextPicture make_mask_text_picture(const std::string& text, std::size_t columns);
/// All patterns whose example needs no file.
std::vector<PatternTile> make_palette();

/// The same, cached: for the current mask or, while typing, the mask being typed.
const MaskPicture& mask_picture(const Frame& frame, Rect area);
const MaskTextPicture& mask_text_picture(const Frame& frame, std::size_t columns);
const std::vector<PatternTile>& palette_picture(const Frame& frame);
/// The current mask as an expression if none is typed: "file()", "padding()".
const std::string& mask_in_force(const Frame& frame);
/// "+ painted(): 3 allowed, 2 forbidden", for the current batch entry and head.
const std::string& painted_words(const Frame& frame);

void draw_mask_view(const Frame& frame, Rect place);

struct MaskTabEntry {
  MaskTab tab;
  const char* word;  ///< translation key of its name
  /// Draws into `place`, below the tabs. The document has a trace.
  void (*draw)(const Frame& frame, Rect place);
};

/// In the order of the tabs.
std::span<const MaskTabEntry> all_mask_tabs();

// In ui/views/masklab/NAME_tab.cpp or NAME_picture.cpp.
void draw_patterns_tab(const Frame& frame, Rect place);
void draw_conventions_tab(const Frame& frame, Rect place);
void draw_reach_tab(const Frame& frame, Rect place);
void draw_cost_tab(const Frame& frame, Rect place);
void draw_side_by_side_tab(const Frame& frame, Rect place);

}  // namespace headlight
