// The heads view, computed once for a trace, a view and a size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/level/card_notes.h"
#include "ui/matrix/heat.h"

namespace headlight {

struct HeadCard {
  Index head = 0;        ///< query head; for a key/value head the first one that uses it
  Index users = 1;       ///< number of query heads that use it
  bool average = false;  ///< the mean over the chosen heads
  bool chosen = true;
  Rect card;
  ImU32 hue = 0;
  std::string title, number;  ///< "head 3", or "3" if that does not fit
  HeatPicture heat;
  RowStrip strip;  ///< row statistics, if the head is shown alone
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
  std::vector<HeadCard> cards;            ///< the average is last; its numbers follow when computed
  std::vector<Index> averaged;            ///< heads along the stage's own axis; empty: no average
  Tensor averaged_mask;                   ///< for hatching, if the stage has one
  Rect scale;                             ///< the line under the cards that says what their colours stand for
  std::string scale_words;                ///< "colours", then its ends and a bar; or that each card has its own
  std::string scale_lo, scale_hi;         ///< empty: no bar
  Rect arcs;                              ///< between the columns of tokens
  std::vector<TokenLabel> queries, keys;  ///< as many as fit
  std::vector<HeadArcs> heads;            ///< of the chosen heads
  Stage arcs_of = Stage::weights;         ///< or contribution_norms
  Tensor arc_shares;                      ///< the numbers of the arcs; shares for contribution_norms
  float type = 1;                         ///< factor of the text beside the matrices
  Index n_q = 0, n_k = 0;
  Index batch = 0;

  /// Size of the cards' labels, in points.
  float label_points() const { return 12 * type; }

  float query_y(Index q) const {
    return arcs.min.y + (static_cast<float>(q) + 0.5f) * arcs.height() / static_cast<float>(n_q);
  }
  float key_y(Index k) const {
    return arcs.min.y + (static_cast<float>(k) + 0.5f) * arcs.height() / static_cast<float>(n_k);
  }
  /// The nearest arc within `reach` pixels of a point between the columns.
  std::optional<Cell> arc_at(ImVec2 point, float reach) const;
};

/// With more queries than this, only the current query has arcs.
constexpr Index arc_queries = 64;
/// The stage of the cards; weights are replaced by the view's measure.
Stage heads_stage(const Trace& trace, const View& view);

/// The same, cached; its average advances with each frame.
const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs);

/// `count` equal cards in `box`, row by row, with the number of columns that makes their matrices (`aspect` = width :
/// height) largest. `gap`: pixels between cards; `header`: pixels of a card's height that are not its matrix.
std::vector<Rect> lay_out_heads(Index count, Rect box, float aspect, float gap, float header);

void draw_heads_view(const Frame& frame, Rect place);

class HeadsAverage {
 public:
  /// For `heads` of one batch entry of [B, H, r, c]; `mask`: 0/1, of the same shape, or undefined. Keeps its result if
  /// called with the same arguments.
  void want(const Tensor& values, const Tensor& mask, Index batch, const std::vector<Index>& heads);
  /// Frees the numbers.
  void drop();
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
