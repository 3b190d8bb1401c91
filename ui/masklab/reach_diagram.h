// The receptive field of one query as plain data: a row of dots for the inputs and one per layer, a column per token,
// and an edge wherever the mask lets a query attend to a key.
#pragma once

#include <vector>

#include "core/mask/reach.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct ReachDiagram {
  struct Edge {
    Index layer = 1, query = 0, key = 0;  ///< from the key's dot in layer − 1 to the query's in `layer`
    bool lit = false;                     ///< on a path to the chosen query in the last layer
  };
  Index query = 0, layers = 0;
  Index tokens = 0;  ///< total number; `count` of them, from `first` on, are shown
  Index first = 0, count = 0;
  Index every = 1;  ///< if more than 1, all tokens are shown, with the edges of every such token only, and of the ends
                    ///< of its range
  std::vector<std::vector<std::uint8_t>> lit;  ///< [layers + 1][tokens], from receptive_field
  std::vector<Edge> edges;                     ///< between shown tokens; the lit ones come last
  Rect area{};                                 ///< bounds of the dots
  float pitch = 0, step = 0;                   ///< pixels between tokens, between layers
  float radius = 0;

  bool whole() const { return count == tokens; }
  bool is_lit(Index layer, Index token) const {
    return lit[static_cast<std::size_t>(layer)][static_cast<std::size_t>(token)] != 0;
  }
  ImVec2 at(Index layer, Index token) const {
    return {area.min.x + (static_cast<float>(token - first) + 0.5f) * pitch,
            area.max.y - static_cast<float>(layer) * step};
  }
  /// The token at this x; −1 if there is none.
  Index token_at(float x) const;
};

/// For square masks. Shows the tokens that the query reaches if they and their edges can be told apart in `area`, else
/// all tokens with thinned edges. `u`: pixels per point.
ReachDiagram make_reach_diagram(const MatrixView& mask, const ReachSettings& settings, Index query, Rect area, float u);

}  // namespace headlight
