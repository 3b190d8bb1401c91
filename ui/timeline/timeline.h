// The timeline: a run as numbered moments, stage by stage and inside a stage.
//
// Moment 0 shows the inputs alone. At moment m everything up to it is computed, nothing after it is shown. A product
// advances the way that is chosen; a softmax goes through s − max, e^(s − max) and their sum to its rows; heads are
// split and put together again with their columns on the way. What is scaled, masked or rotated comes at once, or where
// products go dot product by dot product cell by cell, as everything does then.
#pragma once

#include <optional>
#include <vector>

#include "core/run/trace.h"
#include "ui/timeline/way.h"

namespace headlight {

/// The stage whose card shows it: in self-attention one card, key's, stands for query, key and value.
Stage shown_as(const Trace& trace, Stage stage);

struct Moment {
  enum class Kind : std::uint8_t {
    rows,     ///< rows before `last` are computed
    columns,  ///< columns before `last`
    cells,    ///< numbers before `last` in row-major order
    terms,    ///< of every number the sum of the terms before `last`
    shifted,
    exponentials,
    sums,    ///< of a softmax
    travel,  ///< columns on the way between a stage and its heads: part `last` of `travel_parts`
  };
  Stage stage{};
  Kind kind{};
  Index first = 0, last = 0;  ///< what this moment adds: [first, last)
};
inline constexpr Index travel_parts = 4;

/// How much of a stage is computed at a moment.
struct Shown {
  static constexpr Index all = INT64_MAX;
  Index rows = all;  ///< whole rows
  Index cells = 0;   ///< of the row after them
  Index columns = all;
  bool has(Index row, Index col) const { return col < columns && (row < rows || (row == rows && col < cells)); }
  bool nothing() const { return columns == 0 || (rows == 0 && cells == 0); }
};

class Timeline {
 public:
  Timeline() = default;
  explicit Timeline(const Trace& trace, Way way = Way::rows);

  int count() const { return static_cast<int>(moments_.size()); }
  /// Moments outside are taken for the first or the last.
  const Moment& at(int moment) const;
  /// All of an input or parameter, always.
  Shown shown(Stage stage, int moment) const;
  /// The stages in the order they are computed, each with its first moment.
  struct Chapter {
    Stage stage;
    int first = 0, count = 0;
    Index columns = 0;  ///< of the stage's matrices
  };
  const std::vector<Chapter>& chapters() const { return chapters_; }
  const Chapter* chapter_of(Stage stage) const;

 private:
  void add(Stage stage, Moment::Kind kind, Index count, Index moments);
  void add_product(const Trace& trace, Stage stage, Way way);

  std::vector<Moment> moments_;
  std::vector<Chapter> chapters_;
};

}  // namespace headlight
