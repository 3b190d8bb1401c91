// What the cards of the pipeline need at least, measured in pixels, and what is said at the arrows between them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ui/pipeline/layout.h"

namespace headlight {

using Group = std::vector<Stage>;  ///< stages that share a place

inline constexpr std::array score_stages{Stage::scores,        Stage::scaled_scores, Stage::capped_scores,
                                         Stage::biased_scores, Stage::mask,          Stage::masked_scores};

/// The cards of a lane (0: query, 1: key, 2: value) from left to right: its stages, each behind the weights that it is
/// made with.
std::vector<Stage> cards_of(const Trace& trace, std::size_t lane);
/// What happens on the way to a stage, as its arrow says it, in math markup.
std::string step_words(const Trace& trace, Stage stage);
/// "+ b_{q}" of a projection that adds one.
std::string bias_words(const Trace& trace, Stage stage);

/// Measures in pixels.
struct Ruler {
  const Trace& trace;
  const LayoutWish& wish;
  float t;  ///< pixels per point of type

  float title(Stage stage) const;
  float words(std::string_view markup) const;
  /// How far the heads behind a card stand out.
  float stack(Stage stage) const;
  float stack(const Group& group) const;
  /// The least width of the card that these stages share.
  float least(const Group& group) const;
  /// How much wider an input's card is where the names of its rows stand in it whole; of very long ones, a part.
  float for_names() const;
};

}  // namespace headlight
