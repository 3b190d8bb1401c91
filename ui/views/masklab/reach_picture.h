// What the reach sheet shows: after how many layers each query can know of each token, and one query's receptive field.
#pragma once

#include <vector>

#include "core/rules/mask/statistics.h"
#include "ui/base/geometry/rect.h"
#include "ui/views/masklab/sheet.h"

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

/// Maximum number of tokens; takes about a second.
inline constexpr Index reach_at_most = 4096;

/// The expensive part, which does not depend on the query; computed again only when mask or layers change.
struct ReachNumbers {
  std::shared_ptr<const Trace> trace;
  Index batch = 0, head = 0;
  int layers = 0;
  bool residual = false;
  Tensor mask, first;  ///< [n, n]; looked_at_mask() and first_reach(), the latter for any number of layers
  Tensor strength;     ///< [n, n]: layers + 1 − the first layer that reaches it, if the last layer still does; else 0
  std::vector<Index> per_row;
  double share = 0;  ///< of reached pairs
};

/// For the current mask and number of layers, kept.
const ReachNumbers& reach_numbers(const Frame& frame);

}  // namespace headlight
