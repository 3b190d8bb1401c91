// What the heads view shows, computed once for a trace, a view and a size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "ui/geometry/rect.h"
#include "ui/matrix/card_notes.h"
#include "ui/matrix/heat.h"

namespace headlight {

struct HeadCard {
  Index head = 0;        ///< query head; of a key/value head the first that uses it
  Index users = 1;       ///< how many query heads use it, one after another
  bool average = false;  ///< the mean over the chosen heads, not a head
  bool chosen = true;
  Rect card;
  ImU32 hue = 0;
  std::string title, number;  ///< "head 3", and where that finds no room "3"
  HeatPicture heat;
  RowStrip strip;  ///< of a head shown alone, beside its weights
};

struct TokenLabel {
  Index index = 0;
  float y = 0;
  std::string text;
};

/// A key that a query looks at, as a line between two columns of tokens.
struct TokenArc {
  Index query = 0, key = 0;
  float weight = 0;
  bool operator==(const TokenArc&) const = default;
};

/// For rows [first, last) of `weights` [n_q, n_k]: each row's largest weights until they make up `mass` (0 … 1) of the
/// row's sum, the largest first, equal ones in the order of their keys. Weights that are not positive have no arc, and
/// neither has a row whose sum is not a finite number.
std::vector<TokenArc> token_arcs(MatrixView weights, Index first, Index last, float mass);

struct HeadArcs {
  Index head = 0;
  ImU32 hue = 0;
  std::vector<TokenArc> arcs;
};

struct HeadsPicture {
  std::vector<HeadCard> cards;            ///< the average last; the painter gets its numbers when they are there
  std::vector<Index> averaged;            ///< heads along the stage's own axis; none: there is no average
  Tensor averaged_mask;                   ///< of the stage, where its cells are hatched
  Rect arcs;                              ///< between the columns of tokens
  std::vector<TokenLabel> queries, keys;  ///< as many as there is room for
  std::vector<HeadArcs> heads;            ///< of the chosen heads
  Stage arcs_of = Stage::weights;         ///< or contribution_norms
  Tensor arc_shares;                      ///< which the arcs are: of contribution_norms each row's shares
  float type = 1;                         ///< times the points of what stands beside the matrices
  Index n_q = 0, n_k = 0;
  Index batch = 0;

  /// Of the names along the cards' sides, in points.
  float label_points() const { return 12 * type; }

  float query_y(Index q) const {
    return arcs.min.y + (static_cast<float>(q) + 0.5f) * arcs.height() / static_cast<float>(n_q);
  }
  float key_y(Index k) const {
    return arcs.min.y + (static_cast<float>(k) + 0.5f) * arcs.height() / static_cast<float>(n_k);
  }
  /// The cell whose arc passes within `reach` pixels of a point between the columns: the nearest one's.
  std::optional<Cell> arc_at(ImVec2 point, float reach) const;
};

/// More queries than this: arcs of the query looked at alone.
constexpr Index arc_queries = 64;
/// What the cards show: of weights what the view measures of them.
Stage heads_stage(const Trace& trace, const View& view);
HeadsPicture make_heads_picture(const Frame& frame, Rect grid, Rect arcs, std::optional<Index> query);

/// The same, kept, its average a part further with each frame.
const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs);

/// `count` equal cards in `box`, row by row, none overlapping, in the number of columns that makes the matrix in them,
/// `aspect` wide to high, the largest. `gap` pixels between cards; `header` pixels of a card are not its matrix.
std::vector<Rect> lay_out_heads(Index count, Rect box, float aspect, float gap, float header);

}  // namespace headlight
