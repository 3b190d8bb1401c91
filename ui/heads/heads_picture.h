// What the heads view shows, computed once for a trace, a view and a size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/heads/arcs.h"
#include "ui/pipeline/picture.h"

namespace headlight {

struct HeadCard {
  Index head = 0;        ///< query head; of a key/value head the first that uses it
  bool average = false;  ///< the mean over the chosen heads, not a head
  bool chosen = true;
  Rect card;
  ImU32 hue = 0;
  std::string title;
  HeatPicture heat;
};

struct TokenLabel {
  Index index = 0;
  float y = 0;
  std::string text;
};

struct HeadArcs {
  ImU32 hue = 0;
  std::vector<TokenArc> arcs;
};

struct HeadsPicture {
  std::vector<HeadCard> cards;  ///< the average last
  Rect arcs;                    ///< between the columns of tokens
  std::vector<TokenLabel> queries, keys;  ///< as many as there is room for
  std::vector<HeadArcs> heads;            ///< of the chosen heads
  Index n_q = 0, n_k = 0;

  float query_y(Index q) const { return arcs.min.y + (static_cast<float>(q) + 0.5f) * arcs.height() / static_cast<float>(n_q); }
  float key_y(Index k) const { return arcs.min.y + (static_cast<float>(k) + 0.5f) * arcs.height() / static_cast<float>(n_k); }
};

/// What a HeadsPicture depends on.
struct HeadsKey {
  std::shared_ptr<const Trace> trace;
  Index batch = 0, head = 0;
  HeadsChoice choice;
  std::optional<Index> query;  ///< the one looked at, where there are too many for the arcs of all
  Theme theme = Theme::light;
  std::string colormap, language;
  Rect grid, arcs;
  float u = 0;
};

/// More queries than this: arcs of the query looked at alone.
constexpr Index arc_queries = 64;
/// More numbers than this are not averaged on the way to the screen.
constexpr Index average_limit = 4'000'000;

/// The mean of `heads` of one batch entry of [B, H, r, c], as [1, 1, r, c].
Tensor mean_over_heads(const Tensor& values, Index batch, const std::vector<Index>& heads);

HeadsPicture make_heads_picture(const Frame& frame, Rect grid, Rect arcs, std::optional<Index> query);

}  // namespace headlight
