// The cards' positions in the pipeline, as plain geometry: three lanes from left to right. Q above, K in the middle, V
// below; Q and K meet in the scores (top right), V meets the weights (middle right) in the head outputs (bottom right).
// No card is narrower than its title: if they do not all fit, neighbours fold into one card that shows one of them and
// has a scrubber for the others.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "core/compute/run/trace.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/measure.h"
#include "ui/base/timeline/timeline.h"

namespace headlight {

/// Offset between the cards of a stack of heads, in points, to the right and upwards.
inline constexpr float stack_step = 4.5f;
/// Number of cards of other heads behind a stage's card.
int cards_behind(const Trace& trace, Stage stage);

// Font sizes on the canvas, in points.
inline constexpr float title_points = TypeSize::body;
inline constexpr float words_points = TypeSize::story;     ///< beside arrows
inline constexpr float symbol_points = TypeSize::heading;  ///< symbols of cards

/// The place of one card.
struct Slot {
  Stage stage{};
  Rect card;
  std::vector<Stage> folded;  ///< stages that share this place, including `stage`; empty if it is not shared
};

/// A line beside an arrow, as formula markup (ui/parts/widgets/math_text.h).
struct ArrowWords {
  std::string markup;
  Rect rect;
};

/// An arrow between two cards: a cubic Bézier curve.
struct Arrow {
  ImVec2 from, from_control, to_control, to;
  Stage colour_of{};  ///< the stage whose lane colour it has
  std::vector<ArrowWords> words;
  std::optional<ImVec2> leader;  ///< start of a thin line to the arrow, if its words stand above a row of cards
  bool has_head = true;          ///< false if another curve continues it
};

/// The input of a layout.
struct LayoutWish {
  ImVec2 size;          ///< of the canvas, in pixels
  float u = 1;          ///< pixels per point
  bool packed = false;  ///< one tall card stands for W_q, W_k and W_v
  float foot = 0;       ///< height of the row below the lanes; 0: none
  float note = 0;       ///< height of the note above that row
  float names = 0;      ///< width of the longest row label of an input; 0: none
  float name_rows = 0;  ///< number of labelled rows
  /// Widths in pixels at `points`; without these functions, titles take no room.
  std::function<float(std::string_view title, float points)> title_width{};
  std::function<float(std::string_view markup, float points)> words_width{};
  /// Chooses the visible stage among those that share a place; by default the last.
  std::function<Stage(const std::vector<Stage>&)> in_front{};
};

struct PipelineLayout {
  std::vector<Slot> slots;
  std::vector<Arrow> arrows;
  Rect foot;       ///< the row below the lanes: all heads
  Rect note;       ///< the line above it
  float type = 1;  ///< factor of all font sizes on the canvas

  /// The card that shows this stage; null if none does.
  const Rect* find(Stage stage) const;
  /// The card that this stage shares, whichever stage it shows.
  const Rect* place_of(Stage stage) const;
};

/// The factor of all font sizes on such a canvas.
float canvas_type(const LayoutWish& wish);
/// The cards of all stages of the trace, without arrows.
PipelineLayout lay_out_pipeline(const Trace& trace, const LayoutWish& wish);
/// Adds arrows between the cards' current rectangles.
void connect_cards(const Trace& trace, PipelineLayout& layout, const LayoutWish& wish);

using Group = std::vector<Stage>;  ///< stages that share a place

inline constexpr std::array score_stages{Stage::scores,        Stage::scaled_scores, Stage::capped_scores,
                                         Stage::biased_scores, Stage::mask,          Stage::masked_scores};

/// The cards of a lane (0: query, 1: key, 2: value) from left to right: its stages, each after its weights.
std::vector<Stage> cards_of(const Trace& trace, std::size_t lane);
/// The step to a stage as its arrow's text, in math markup.
std::string step_words(const Trace& trace, Stage stage);
/// "+ b_{q}" for a projection that adds a bias.
std::string bias_words(const Trace& trace, Stage stage);

/// Measures in pixels.
struct Ruler {
  const Trace& trace;
  const LayoutWish& wish;
  float t;  ///< pixels per point of type

  float title(Stage stage) const;
  float words(std::string_view markup) const;
  /// How far the cards of other heads stick out behind a card.
  float stack(Stage stage) const;
  float stack(const Group& group) const;
  /// The minimum width of the card that these stages share.
  float least(const Group& group) const;
  /// The extra width of an input's card that shows its row labels in full, or the beginning of very long ones.
  float for_names() const;
};

}  // namespace headlight
