// The heads view, computed once for a trace, a view and a size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/card_notes.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

/// A key that a query looks at, as a line between two columns of tokens.
struct TokenArc {
  Index query = 0, key = 0;
  float weight = 0;
  bool operator==(const TokenArc&) const = default;
};

/// For rows [first, last) of `weights` [n_q, n_k]: each row's largest weights, in descending order (ties by key), until
/// they sum to `mass` (0…1) of the row's sum. Weights that are not positive have no arc; neither do rows whose sum is
/// not finite.
std::vector<TokenArc> token_arcs(MatrixView weights, Index first, Index last, float mass);

struct HeadArcs {
  Index head = 0;
  ImU32 hue = 0;
  std::vector<TokenArc> arcs;
};

struct HeadsPicture {
  /// A card for each head, one for their mean, and the legend. The target of a card has the card's first query head in
  /// its cell and its number of query heads as index, 0 for the mean.
  Scene cards;
  std::shared_ptr<const HeatPicture> first;  ///< of the first card
  std::shared_ptr<HeatPicture> average;      ///< the mean; without numbers until computed; null: there is none
  std::string average_title;
  std::vector<Index> averaged;     ///< heads along the stage's own axis
  Tensor averaged_mask;            ///< for hatching, if the stage has one
  RowStrip strip;                  ///< row statistics, if a head is shown alone
  float type = 1;                  ///< factor of the text beside the matrices
  Rect arcs;                       ///< between the columns of tokens
  Stage arcs_of = Stage::weights;  ///< or contribution_norms
  Tensor arc_shares;               ///< the numbers of the arcs; shares for contribution_norms
  Index n_q = 0, n_k = 0;
  Index batch = 0;

  float query_y(Index q) const {
    return arcs.min.y + (static_cast<float>(q) + 0.5f) * arcs.height() / static_cast<float>(n_q);
  }
  float key_y(Index k) const {
    return arcs.min.y + (static_cast<float>(k) + 0.5f) * arcs.height() / static_cast<float>(n_k);
  }
  /// The nearest arc within `reach` pixels of a point between the columns.
  std::optional<Cell> arc_at(const std::vector<HeadArcs>& heads, ImVec2 point, float reach) const;
};

/// With more queries than this, only the current query has arcs.
constexpr Index arc_queries = 64;
/// The stage of the cards; weights are replaced by the view's measure.
Stage heads_stage(const Trace& trace, const View& view);

/// The picture, cached; what the pointer is on is drawn over it. Each frame computes another part of the mean.
const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs);
/// The arcs of the chosen heads; of many queries, only those of the current one.
const std::vector<HeadArcs>& heads_arcs(const Frame& frame, const HeadsPicture& picture);
/// The arcs between the tokens, with those of the current query highlighted, and the row statistics; cached.
const Scene& arcs_scene(const Frame& frame, const HeadsPicture& picture);

/// `count` equal cards in `box`, row by row, with the number of columns that makes their matrices (`aspect` = width :
/// height) largest. `gap`: pixels between cards; `header`: pixels of a card's height that are not its matrix.
std::vector<Rect> lay_out_heads(Index count, Rect box, float aspect, float gap, float header);

void draw_heads_view(const Frame& frame, Rect place);

class HeadsAverage {
 public:
  /// For `heads` of one batch entry of [B, H, r, c]; `mask`: 0/1, of the same shape, or undefined. Keeps its result if
  /// called with the same arguments.
  void want(const Tensor& values, const Tensor& mask, Index batch, const std::vector<Index>& heads);
  /// Adds at least one row, and about `numbers` numbers at most.
  void advance(Index numbers);

  bool busy() const { return values_.defined() && !mean_.defined(); }
  /// The finished part, 0…1.
  float share() const;
  /// [1, 1, r, c]; undefined while busy.
  const Tensor& mean() const { return mean_; }
  /// [1, 1, r, c], 1 where any head may attend; undefined while busy and without a mask.
  const Tensor& allowed() const { return allowed_; }

 private:
  void add_row(Index row);

  Tensor values_, mask_;
  Index batch_ = 0;
  std::vector<Index> heads_;
  Buffer sums_, any_;
  Index next_row_ = 0, rows_ = 0;
  Tensor mean_, allowed_;
};

}  // namespace headlight
