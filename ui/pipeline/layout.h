// Where the cards of the pipeline stand: three lanes from left to right that meet. Plain geometry, no ImGui calls.
//
// Q above, K in the middle, V below; Q and K meet in the scores (top right), V meets the weights (middle right) in the
// head outputs (bottom right). A card is never narrower than its title: where all of them do not find room, neighbours
// fold into one card that shows one of them and has a scrubber for the others.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "core/run/trace.h"
#include "ui/geometry/rect.h"
#include "ui/look/measure.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// Points from one card of a stack of heads to the next, to the right and upwards.
inline constexpr float stack_step = 4.5f;
/// How many cards stand behind a stage's: those of other heads.
int cards_behind(const Trace& trace, Stage stage);

// Points of type on the canvas.
inline constexpr float title_points = TypeSize::body;
inline constexpr float words_points = TypeSize::story;     ///< of what arrows do
inline constexpr float symbol_points = TypeSize::heading;  ///< of a card's symbol

/// The place of one stage's card.
struct Slot {
  Stage stage{};
  Rect card;
  std::vector<Stage> folded;  ///< the stages that take turns in this place, `stage` among them; empty: it has it alone
};

/// One line of words at an arrow, as math markup (ui/widgets/math_text.h).
struct ArrowWords {
  std::string markup;
  Rect rect;
};

/// One arrow between cards: a cubic Bézier from the edge of one to the edge of the other.
struct Arrow {
  ImVec2 from, from_control, to_control, to;
  Stage colour_of{};  ///< wears that stage's lane colour
  std::vector<ArrowWords> words;
  std::optional<ImVec2>
      leader;  ///< from here, under words that stand above a row of cards, a thin line leads down to the arrow
  bool has_head = true;  ///< else another part of it goes on
};

/// What a canvas is laid out for.
struct LayoutWish {
  ImVec2 size;          ///< of the canvas, in pixels
  float u = 1;          ///< pixels per point
  bool packed = false;  ///< one tall card, W_q's, stands for all three projection matrices
  float foot = 0;       ///< the height of the row under the lanes; 0: none
  float note = 0;       ///< of what is said above them
  float names = 0;      ///< the width of the longest name beside an input's rows, at label_points of type; 0: none
  float name_rows = 0;  ///< how many rows of an input have names
  /// Widths in pixels at `points` of type; without them titles take no room.
  std::function<float(std::string_view title, float points)> title_width{};
  std::function<float(std::string_view markup, float points)> words_width{};
  /// Which of the stages that share a place is to be seen there; the last one where there is no choice.
  std::function<Stage(const std::vector<Stage>&)> in_front{};
};

struct PipelineLayout {
  std::vector<Slot> slots;
  std::vector<Arrow> arrows;
  Rect foot;       ///< the row under the lanes: all heads, or a presentation's words
  Rect note;       ///< the line above them
  float type = 1;  ///< times the points of all type on the canvas

  /// The card that shows this stage.
  const Rect* find(Stage stage) const;
  /// The card whose place this stage has a part in, whichever it shows.
  const Rect* place_of(Stage stage) const;
};

/// Times the points of all type on such a canvas.
float canvas_type(const LayoutWish& wish);
/// The places of all cards that the trace has, without arrows.
PipelineLayout lay_out_pipeline(const Trace& trace, const LayoutWish& wish);
/// Draws the arrows between the cards as they stand now: a card may have closed around its matrix since.
void connect_cards(const Trace& trace, PipelineLayout& layout, const LayoutWish& wish);

}  // namespace headlight
