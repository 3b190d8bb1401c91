// The stages of multi-head attention: one name for each, the same in the window, on the command line, in files, in
// code.
//
// B batch, H query heads, G key/value heads (G = H unless grouped), n_q queries, n_k keys, d_head = d_model / H.
//
// A stage has one row in each of four tables: core/rules/stage/stage.cpp, core/compute/run/stage_steps.cpp (whether a
// run has it, and how it is computed), core/teaching/explain/explain.cpp (how a cell is explained) and
// core/figures/export/reproduce_script.cpp (its line of a script). Each table is an array over Stage, so that a missing
// row does not compile. Everything else is derived from the rows: the cells that depend on a cell, replacements of
// absent stages, cache keys, the place in the diagram.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/tensor/tensor.h"

namespace headlight {

enum class Stage : std::uint8_t {
  query,
  key,
  value,  // [B, n_q, d_query] [B, n_k, d_key] [B, n_k, d_value]
  Q,
  K,
  V,  // [B, n_q, H·d_head] [B, n_k, G·d_head] ×2
  Q_heads,
  K_heads,
  V_heads,  // [B, H, n_q, d_head] [B, G, n_k, d_head] ×2
  Q_normed,
  K_normed,  // as above; only where QK-norm is on
  Q_rotated,
  K_rotated,  // as above; only where RoPE is on
  Q_scaled,   // [B, H, n_q, d_head]; only where queries are scaled before the product
  scores,
  scaled_scores,
  capped_scores,
  biased_scores,
  mask,
  masked_scores,  // [B, H, n_q, n_k]
  weights,
  dropped_weights,  // [B, H, n_q, n_k]
  head_outputs,     // [B, H, n_q, d_head]
  concat,
  output,  // [B, n_q, H·d_head] [B, n_q, d_out]
  // Parameters: shown and explained like stages, but not listed or traced as stages.
  W_q,
  W_k,
  W_v,
  W_o,  // nn.Linear's layout, [out, in]
  b_q,
  b_k,
  b_v,
  b_o,  // [out]
  // A measure: computed from stages on request (core/compute/run/contributions.h), shown and explained like a stage.
  contribution_norms,  // [B, H, n_q, n_k]
};
inline constexpr std::size_t stage_count = static_cast<std::size_t>(Stage::W_q);
inline constexpr std::size_t matrix_count = static_cast<std::size_t>(Stage::contribution_norms) + 1;

/// What an axis counts.
enum class Axis : std::uint8_t {
  none,
  batch,
  query_head,
  kv_head,
  query,
  key,
  query_feature,
  key_feature,
  value_feature,
  query_channel,
  kv_channel,
  head_feature,
  out_feature
};

/// The kind of colour map for a stage's values.
enum class Palette : std::uint8_t { diverging, sequential, boolean };

/// Which masks lie over a stage's cells: only the mask, or dropout too.
enum class Cover : std::uint8_t { none, mask, mask_and_dropout };

/// The diagram's lane of a stage or parameter.
enum class Lane : std::uint8_t { query, key, value, scores, weights, outputs };

/// Whether a stage that a run lacks is replaced by its first source, as scores without a soft-cap are.
enum class Presence : std::uint8_t { always, optional };

/// Which cells of a source the cell [r, c] is computed from, in the same batch entry and in the same head or its
/// key/value head.
enum class Reads : std::uint8_t {
  cell,              ///< [r, c]
  row,               ///< [r, ·]: the left operand of a product, a softmax, a norm
  row_of_all_heads,  ///< [·, r, ·]: a norm over the whole width
  row_of_column,     ///< [c, ·]: the right operand of a product with its transpose, W [out, in] or K_heads
  column,            ///< [·, c]: the right operand of a plain product, V_heads
  bias,              ///< [c]
  columns_of_head,   ///< a split into heads: [r, h · d + c]
  head_of_column,    ///< heads side by side: [⌊c / d⌋, r, c mod d]
  pair,              ///< the two channels of a rotary pair
  dead_row,          ///< only whether [r, ·] has an allowed key
};

struct SourceStage {
  Stage stage{};
  Reads reads{};
};

/// At most three, in order of use.
class StageSources {
 public:
  constexpr StageSources() = default;
  constexpr StageSources(std::initializer_list<SourceStage> list) {
    for (const SourceStage& source : list) list_[count_++] = source;
  }
  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr const SourceStage& operator[](std::size_t i) const { return list_[i]; }
  constexpr const SourceStage* begin() const { return list_.data(); }
  constexpr const SourceStage* end() const { return list_.data() + count_; }

 private:
  std::array<SourceStage, 3> list_{};
  std::size_t count_ = 0;
};

struct StageInfo {
  Stage stage;
  std::string_view name;     ///< e.g. "scaled_scores"
  std::string_view formula;  ///< in Unicode set mathematics, e.g. "softmax(S + M) over keys"
  std::string_view letter;   ///< symbol of a cell in explanations, e.g. "s^{scaled}"
  std::string_view symbol;   ///< symbol of the matrix on its card, e.g. "S"; the head's number is appended
  Axis lead[2];              ///< batch and head axes; Axis::none if absent
  Axis rows, cols;
  Palette palette;
  Cover cover;
  Lane lane;
  Presence presence;
  StageSources sources;  ///< what it is computed from
};

const StageInfo& info(Stage stage);
std::string_view name(Stage stage);
/// By name, including parameters and measures; unset if there is none.
std::optional<Stage> stage_named(std::string_view name);
/// The stages proper, in order of computation.
std::span<const Stage> all_stages();
/// Stages and parameters, without measures.
std::span<const Stage> all_matrices();
/// "n_q", "d_head", …; "" for Axis::none.
std::string_view symbol(Axis axis);
bool has_head_axis(Stage stage);
constexpr bool is_parameter(Stage stage) { return stage >= Stage::W_q && stage <= Stage::b_o; }
/// Whether it is computed only on request.
constexpr bool is_measure(Stage stage) { return stage == Stage::contribution_norms; }
/// query, key and value, which are not computed.
bool is_input(Stage stage);
/// Whether the head axis counts key/value heads (G), not query heads (H).
bool is_per_kv_head(Stage stage);
/// Whether the weight or bias is a single row.
bool is_bias(Stage stage);
/// Whether it is a product of its first two sources, so that each cell is a sum of terms.
bool is_product(Stage stage);
/// Whether its cells are only moved: splitting and merging heads.
bool is_rearrangement(Stage stage);
/// The bias that belongs to a weight matrix.
Stage bias_beside(Stage weight);

/// A table over Stage whose rows name their stage.
template <typename Row, std::size_t count>
constexpr bool in_stage_order(const std::array<Row, count>& table) {
  for (std::size_t i = 0; i < count; ++i) {
    if (static_cast<std::size_t>(table[i].stage) != i) return false;
  }
  return true;
}

/// `stage` if `has` has it; else, if it is optional, its first source if `has` has that, and so on. Unset if none is
/// there.
template <typename Has>
std::optional<Stage> stand_in(Stage stage, Has has) {
  while (!has(stage)) {
    if (info(stage).presence != Presence::optional) return std::nullopt;
    stage = info(stage).sources[0].stage;
  }
  return stage;
}

/// A stage without a head axis has head 0; a parameter has batch 0 too. A bias has one row: its numbers are columns.
struct Cell {
  Stage stage{};
  Index batch = 0, head = 0, row = 0, col = 0;
  bool operator==(const Cell&) const = default;
};

}  // namespace headlight
