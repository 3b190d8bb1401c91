#include "core/stage/stage.h"

#include <array>
#include <cassert>

namespace headlight {
namespace {

using enum Axis;
using enum Palette;

constexpr std::array<StageInfo, matrix_count> table{{
    {Stage::query, "query", "X_q", {batch, none}, Axis::query, query_feature, diverging},
    {Stage::key, "key", "X_k", {batch, none}, Axis::key, key_feature, diverging},
    {Stage::value, "value", "X_v", {batch, none}, Axis::key, value_feature, diverging},
    {Stage::Q, "Q", "X_q W_qᵀ + b_q", {batch, none}, Axis::query, query_channel, diverging},
    {Stage::K, "K", "X_k W_kᵀ + b_k", {batch, none}, Axis::key, kv_channel, diverging},
    {Stage::V, "V", "X_v W_vᵀ + b_v", {batch, none}, Axis::key, kv_channel, diverging},
    {Stage::Q_heads, "Q_heads", "view(B, n_q, H, d_head).transpose(1, 2)", {batch, query_head}, Axis::query, head_feature, diverging},
    {Stage::K_heads, "K_heads", "view(B, n_k, G, d_head).transpose(1, 2)", {batch, kv_head}, Axis::key, head_feature, diverging},
    {Stage::V_heads, "V_heads", "view(B, n_k, G, d_head).transpose(1, 2)", {batch, kv_head}, Axis::key, head_feature, diverging},
    {Stage::Q_rotated, "Q_rotated", "RoPE(Q_h, position)", {batch, query_head}, Axis::query, head_feature, diverging},
    {Stage::K_rotated, "K_rotated", "RoPE(K_h, position)", {batch, kv_head}, Axis::key, head_feature, diverging},
    {Stage::scores, "scores", "Q_h K_hᵀ", {batch, query_head}, Axis::query, Axis::key, diverging},
    {Stage::scaled_scores, "scaled_scores", "S / √d_head", {batch, query_head}, Axis::query, Axis::key, diverging},
    {Stage::capped_scores, "capped_scores", "c · tanh(S / c)", {batch, query_head}, Axis::query, Axis::key, diverging},
    {Stage::biased_scores, "biased_scores", "S + bias", {batch, query_head}, Axis::query, Axis::key, diverging},
    {Stage::mask, "mask", "true = may attend", {batch, query_head}, Axis::query, Axis::key, boolean},
    {Stage::masked_scores, "masked_scores", "S where mask, else fill", {batch, query_head}, Axis::query, Axis::key, diverging},
    {Stage::weights, "weights", "softmax(S) over keys", {batch, query_head}, Axis::query, Axis::key, sequential},
    {Stage::dropped_weights, "dropped_weights", "A · kept / (1 − p)", {batch, query_head}, Axis::query, Axis::key, sequential},
    {Stage::head_outputs, "head_outputs", "A V_h", {batch, query_head}, Axis::query, head_feature, diverging},
    {Stage::concat, "concat", "transpose(1, 2).view(B, n_q, H·d_head)", {batch, none}, Axis::query, query_channel, diverging},
    {Stage::output, "output", "concat W_oᵀ + b_o", {batch, none}, Axis::query, out_feature, diverging},
    {Stage::W_q, "W_q", "[out, in]", {none, none}, query_channel, query_feature, diverging},
    {Stage::W_k, "W_k", "[out, in]", {none, none}, kv_channel, key_feature, diverging},
    {Stage::W_v, "W_v", "[out, in]", {none, none}, kv_channel, value_feature, diverging},
    {Stage::W_o, "W_o", "[out, in]", {none, none}, out_feature, query_channel, diverging},
    {Stage::b_q, "b_q", "[out]", {none, none}, none, query_channel, diverging},
    {Stage::b_k, "b_k", "[out]", {none, none}, none, kv_channel, diverging},
    {Stage::b_v, "b_v", "[out]", {none, none}, none, kv_channel, diverging},
    {Stage::b_o, "b_o", "[out]", {none, none}, none, out_feature, diverging},
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].stage) != i) return false;
  }
  return true;
}
static_assert(in_enum_order());

constexpr auto stages = [] {
  std::array<Stage, stage_count> list{};
  for (std::size_t i = 0; i < stage_count; ++i) list[i] = static_cast<Stage>(i);
  return list;
}();

}  // namespace

const StageInfo& info(Stage stage) { return table[static_cast<std::size_t>(stage)]; }

std::string_view name(Stage stage) { return info(stage).name; }

std::optional<Stage> stage_named(std::string_view wanted) {
  for (const StageInfo& entry : table) {
    if (entry.name == wanted) return entry.stage;
  }
  return std::nullopt;
}

std::span<const Stage> all_stages() { return stages; }

std::string_view symbol(Axis axis) {
  switch (axis) {
    case none: return "";
    case batch: return "B";
    case query_head: return "H";
    case kv_head: return "G";
    case Axis::query: return "n_q";
    case Axis::key: return "n_k";
    case query_feature: return "d_query";
    case key_feature: return "d_key";
    case value_feature: return "d_value";
    case query_channel: return "H·d_head";
    case kv_channel: return "G·d_head";
    case head_feature: return "d_head";
    case out_feature: return "d_out";
  }
  return "";
}

bool has_head_axis(Stage stage) { return info(stage).lead[1] != none; }

bool is_per_kv_head(Stage stage) { return info(stage).lead[1] == kv_head; }

}  // namespace headlight
