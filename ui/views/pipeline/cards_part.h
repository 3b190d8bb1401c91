// What the scene of the cards and its overlay are both made from.
#pragma once

#include <cstdint>
#include <memory>

#include "ui/parts/scene/pen.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/views/pipeline/pipeline_scene.h"

namespace headlight {

/// In a presentation, the opacity of cards that the selected number does not depend on.
inline constexpr float stepping_back = 0.38f;

/// The width of the frame around the card of the current step, in points.
inline constexpr float frame_of_current = 3;

/// In a presentation, the cards that have no part in the current number, one bit for each.
using PaleCards = std::uint64_t;
PaleCards pale_cards(const Frame& frame, const PipelinePicture& picture);

struct CardsPart {
  const Frame& frame;
  const std::shared_ptr<const PipelinePicture> shared;
  const CanvasTransform to;
  Scene& scene;
  const PipelinePicture& picture = *shared;
  const PaleCards pale = pale_cards(frame, picture);
  const Look& look = frame.look;
  const float u = frame.u, t = u * picture.layout.type * to.zoom;  ///< pixels per point, of type with the zoom
  Pen pen{frame, scene};

  bool is_pale(const CardPicture& card) const {
    return (pale >> static_cast<unsigned>(&card - picture.cards.data()) & 1) != 0;
  }
  ImU32 lane_colour(Stage stage) const {
    const ImU32 lane = look.lane(stage);
    return lane == look.ink ? look.muted : lane;
  }
  /// The colour of its lane, faded with the card that it leads to.
  ImU32 colour_of(const Arrow& arrow) const;
  void put_math(float pixels, ImVec2 min, ImU32 colour, std::string_view markup, bool lanes = false) {
    const ImVec2 size = math_size(frame.fonts, pixels, markup);
    scene.items.emplace_back(
        SceneMath{pixels, 0, colour, lanes, {min, {min.x + size.x, min.y + size.y}}, std::string(markup)});
  }
};

inline bool shows(const CardPicture& card, Stage stage) {
  return std::ranges::find(card.heats, stage, &HeatPicture::stage) != card.heats.end();
}

}  // namespace headlight
