// Where the cards of the pipeline stand: three lanes from left to right that meet. Plain geometry, no ImGui calls.
//
// Q above, K in the middle, V below; Q and K meet in the scores (top right), V meets the weights (middle right) in the
// head outputs (bottom right). Everything is proportional to the space there is; only type keeps its size.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "core/run/trace.h"
#include "ui/geometry/rect.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// Points from one card of a stack of heads to the next, to the right and upwards.
inline constexpr float stack_step = 4.5f;

/// The place of one stage's card.
struct Slot {
  Stage stage{};
  Rect card;
};

/// One arrow between cards: a cubic Bézier from the edge of one to the edge of the other.
struct Arrow {
  ImVec2 from, from_control, to_control, to;
  Stage colour_of{};   ///< wears that stage's lane colour
  std::string above;   ///< what happens, as math markup (ui/widgets/math_text.h)
  std::string below;   ///< the rest of it, under the line
  ImVec2 label;        ///< the middle of the labels
};

struct PipelineLayout {
  std::vector<Slot> slots;
  std::vector<Arrow> arrows;
  Rect foot;           ///< the row under the lanes: all heads, or a presentation's words
  float type = 1;      ///< times the points of all type on the canvas

  const Rect* find(Stage stage) const;
};

/// The places of all cards that the trace has, without arrows. `size` is the canvas in pixels, `u` pixels per point.
/// `packed`: one tall card, W_q's, stands for all three projection matrices. `foot`: the height of that row; 0: none.
PipelineLayout lay_out_pipeline(const Trace& trace, ImVec2 size, float u, bool packed, float foot);
/// Draws the arrows between the cards as they stand now: a card may have closed around its matrix since.
void connect_cards(const Trace& trace, PipelineLayout& layout, float u);

}  // namespace headlight
