// The receptive field of one query as a picture: a row of dots for the inputs and for each layer, tokens across, and an
// edge wherever the mask lets a token's information into a query of the layer above. Plain data.
#pragma once

#include <vector>

#include "core/mask/reach.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct ReachDiagram {
  struct Edge {
    Index layer = 1, query = 0, key = 0;  ///< from the key's dot in layer − 1 to the query's in `layer`
    bool lit = false;                     ///< on a path to the chosen query of the last layer
  };
  Index query = 0, layers = 0;
  Index tokens = 0;  ///< that there are; shown are `count` of them from `first` on
  Index first = 0, count = 0;
  Index every =
      1;  ///< more than 1: all tokens are shown, and edges between one in so many and the ends of what each sees
  std::vector<std::vector<std::uint8_t>> lit;  ///< [layers + 1][tokens], as receptive_field gives it
  std::vector<Edge> edges;    ///< of the mask, between tokens that are shown; those that are lit come last
  Rect area{};                ///< that the dots fill
  float pitch = 0, step = 0;  ///< pixels from token to token, from layer to layer
  float radius = 0;

  bool whole() const { return count == tokens; }
  bool is_lit(Index layer, Index token) const {
    return lit[static_cast<std::size_t>(layer)][static_cast<std::size_t>(token)] != 0;
  }
  ImVec2 at(Index layer, Index token) const {
    return {area.min.x + (static_cast<float>(token - first) + 0.5f) * pitch,
            area.max.y - static_cast<float>(layer) * step};
  }
  /// The token whose column is at `x`; −1 where there is none.
  Index token_at(float x) const;
};

/// Square masks. Around the query and all that it reaches where those tokens and their edges can be told apart in
/// `area`, else all tokens with their edges thinned out; `u`: pixels per point.
ReachDiagram make_reach_diagram(const MatrixView& mask, const ReachSettings& settings, Index query, Rect area, float u);

}  // namespace headlight
