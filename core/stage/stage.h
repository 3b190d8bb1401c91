// The stages of multi-head attention: one name for each, the same in the window, on the command line, in files, in code.
//
// B batch, H query heads, G key/value heads (G = H unless grouped), n_q queries, n_k keys, d_head = d_model / H.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headlight {

enum class Stage : std::uint8_t {
  query, key, value,                     // [B, n_q, d_query] [B, n_k, d_key] [B, n_k, d_value]
  Q, K, V,                               // [B, n_q, H·d_head] [B, n_k, G·d_head] ×2
  Q_heads, K_heads, V_heads,             // [B, H, n_q, d_head] [B, G, n_k, d_head] ×2
  Q_rotated, K_rotated,                  // as above; only where RoPE is on
  scores, scaled_scores, capped_scores, biased_scores, mask, masked_scores,  // [B, H, n_q, n_k]
  weights, dropped_weights,              // [B, H, n_q, n_k]
  head_outputs,                          // [B, H, n_q, d_head]
  concat, output,                        // [B, n_q, H·d_head] [B, n_q, d_out]
  // Parameters, not stages: looked at and explained like stages, but not listed or traced as such.
  W_q, W_k, W_v, W_o,                    // nn.Linear's layout, [out, in]
  b_q, b_k, b_v, b_o,                    // [out]
};
inline constexpr std::size_t stage_count = static_cast<std::size_t>(Stage::W_q);
inline constexpr std::size_t matrix_count = static_cast<std::size_t>(Stage::b_o) + 1;

/// What an axis of a stage counts.
enum class Axis : std::uint8_t { none, batch, query_head, kv_head, query, key, query_feature, key_feature, value_feature,
                                 query_channel, kv_channel, head_feature, out_feature };

/// How the values of a stage are to be coloured.
enum class Palette : std::uint8_t { diverging, sequential, boolean };

struct StageInfo {
  Stage stage;
  std::string_view name;     ///< as users write it, e.g. "scaled_scores"
  std::string_view formula;  ///< in Unicode set mathematics, e.g. "softmax(S + M) over keys"
  Axis lead[2];              ///< batch and head axes, Axis::none where there is none
  Axis rows, cols;
  Palette palette;
};

const StageInfo& info(Stage stage);
std::string_view name(Stage stage);
/// By name, parameters included; nothing if there is no such name.
std::optional<Stage> stage_named(std::string_view name);
/// The stages proper, in the order of computation.
std::span<const Stage> all_stages();
/// "n_q", "d_head", …; "" for none.
std::string_view symbol(Axis axis);
bool has_head_axis(Stage stage);
inline bool is_parameter(Stage stage) { return stage >= Stage::W_q; }
/// The head axis counts key/value heads (G), not query heads (H).
bool is_per_kv_head(Stage stage);

}  // namespace headlight
