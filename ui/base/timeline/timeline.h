// The timeline: a run as numbered moments, stage by stage and within each stage. Moment 0 shows the inputs. At moment m
// everything up to it is computed and nothing after it is shown. A product advances in the chosen way; softmax goes
// through s − max, e^(s − max) and their sum to its rows; heads are split and merged with their columns moving.
// Elementwise stages appear at once, or, with ProductOrder::dot, cell by cell.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compute/run/trace.h"

namespace headlight {

/// The order in which the step player computes a matrix product.
enum class ProductOrder : std::uint8_t {
  rows,     ///< one row at a time
  columns,  ///< one column at a time
  dot,      ///< dot product: one number at a time
  outer,    ///< outer product: one term of all sums at a time
};
inline constexpr int way_count = 4;
inline constexpr const char* way_words[way_count] = {"row", "column", "dot", "outer"};  ///< as --way takes them

/// The stage on whose card it is shown: in self-attention one card, key's, shows query, key and value.
Stage shown_as(const Trace& trace, Stage stage);

struct Moment {
  enum class Kind : std::uint8_t {
    rows,     ///< rows before `last` are computed
    columns,  ///< columns before `last`
    cells,    ///< numbers before `last` in row-major order
    terms,    ///< for every number, the sum of the terms before `last`
    shifted,
    exponentials,
    sums,    ///< of a softmax
    travel,  ///< columns moving between a stage and its heads: part `last` of `travel_parts`
  };
  Stage stage{};
  Kind kind{};
  Index first = 0, last = 0;  ///< what this moment adds: [first, last)
};
inline constexpr Index travel_parts = 4;

/// How much of a stage is computed at a moment.
struct Shown {
  static constexpr Index all = INT64_MAX;
  Index rows = all;  ///< complete rows
  Index cells = 0;   ///< cells of the next row
  Index columns = all;
  bool has(Index row, Index col) const { return col < columns && (row < rows || (row == rows && col < cells)); }
  bool nothing() const { return columns == 0 || (rows == 0 && cells == 0); }
};

class Timeline {
 public:
  Timeline() = default;
  explicit Timeline(const Trace& trace, ProductOrder way = ProductOrder::rows);

  int count() const { return static_cast<int>(moments_.size()); }
  /// Clamped to the first and last moment.
  const Moment& at(int moment) const;
  /// Inputs and parameters are always complete.
  Shown shown(Stage stage, int moment) const;
  /// The stages in order of computation, with their first moments.
  struct Chapter {
    Stage stage;
    int first = 0, count = 0;
    Index columns = 0;  ///< of the stage's matrices
  };
  const std::vector<Chapter>& chapters() const { return chapters_; }
  const Chapter* chapter_of(Stage stage) const;

 private:
  /// Splits `count` parts of a stage into at most `most` moments.
  void add(Stage stage, Moment::Kind kind, Index count, Index most);
  void add_product(const Trace& trace, Stage stage, ProductOrder way);

  std::vector<Moment> moments_;
  std::vector<Chapter> chapters_;
};

}  // namespace headlight
