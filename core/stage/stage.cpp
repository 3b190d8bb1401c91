#include "core/stage/stage.h"

namespace headlight {
namespace {

using enum Axis;
using enum Palette;
using enum Presence;

constexpr StageSources projected(Stage input, Stage weight, Stage bias) {
  return {{input, Reads::row}, {weight, Reads::row_of_column}, {bias, Reads::bias}};
}
constexpr StageSources split(Stage whole) { return {{whole, Reads::columns_of_head}}; }
constexpr StageSources same_cell(Stage source) { return {{source, Reads::cell}}; }

constexpr std::array<StageInfo, matrix_count> table{{
    {Stage::query, "query", "X_q", "x", "X_{q}", {batch, none}, Axis::query, query_feature, diverging, Cover::none, Lane::query, always, {}},
    {Stage::key, "key", "X_k", "x", "X_{k}", {batch, none}, Axis::key, key_feature, diverging, Cover::none, Lane::key, always, {}},
    {Stage::value, "value", "X_v", "x", "X_{v}", {batch, none}, Axis::key, value_feature, diverging, Cover::none, Lane::value, always, {}},
    {Stage::Q, "Q", "X_q W_qᵀ + b_q", "Q", "Q", {batch, none}, Axis::query, query_channel, diverging, Cover::none, Lane::query, always,
     projected(Stage::query, Stage::W_q, Stage::b_q)},
    {Stage::K, "K", "X_k W_kᵀ + b_k", "K", "K", {batch, none}, Axis::key, kv_channel, diverging, Cover::none, Lane::key, always,
     projected(Stage::key, Stage::W_k, Stage::b_k)},
    {Stage::V, "V", "X_v W_vᵀ + b_v", "V", "V", {batch, none}, Axis::key, kv_channel, diverging, Cover::none, Lane::value, always,
     projected(Stage::value, Stage::W_v, Stage::b_v)},
    {Stage::Q_heads, "Q_heads", "view(B, n_q, H, d_head).transpose(1, 2)", "q", "Q", {batch, query_head}, Axis::query, head_feature,
     diverging, Cover::none, Lane::query, always, split(Stage::Q)},
    {Stage::K_heads, "K_heads", "view(B, n_k, G, d_head).transpose(1, 2)", "k", "K", {batch, kv_head}, Axis::key, head_feature,
     diverging, Cover::none, Lane::key, always, split(Stage::K)},
    {Stage::V_heads, "V_heads", "view(B, n_k, G, d_head).transpose(1, 2)", "v", "V", {batch, kv_head}, Axis::key, head_feature,
     diverging, Cover::none, Lane::value, always, split(Stage::V)},
    {Stage::Q_normed, "Q_normed", "Q_h / norm(Q_h)", "q^{norm}", "Q^{n}", {batch, query_head}, Axis::query, head_feature, diverging, Cover::none,
     Lane::query, optional, {{Stage::Q_heads, Reads::row}}},
    {Stage::K_normed, "K_normed", "K_h / norm(K_h)", "k^{norm}", "K^{n}", {batch, kv_head}, Axis::key, head_feature, diverging, Cover::none,
     Lane::key, optional, {{Stage::K_heads, Reads::row}}},
    {Stage::Q_rotated, "Q_rotated", "RoPE(Q_h, position)", "q′", "Q′", {batch, query_head}, Axis::query, head_feature, diverging,
     Cover::none, Lane::query, optional, {{Stage::Q_normed, Reads::pair}}},
    {Stage::K_rotated, "K_rotated", "RoPE(K_h, position)", "k′", "K′", {batch, kv_head}, Axis::key, head_feature, diverging,
     Cover::none, Lane::key, optional, {{Stage::K_normed, Reads::pair}}},
    {Stage::Q_scaled, "Q_scaled", "Q_h / √d_head", "q^{scaled}", "Q^{s}", {batch, query_head}, Axis::query, head_feature, diverging,
     Cover::none, Lane::query, optional, same_cell(Stage::Q_rotated)},
    {Stage::scores, "scores", "Q_h K_hᵀ", "s", "S", {batch, query_head}, Axis::query, Axis::key, diverging, Cover::none, Lane::scores, always,
     {{Stage::Q_scaled, Reads::row}, {Stage::K_rotated, Reads::row_of_column}}},
    {Stage::scaled_scores, "scaled_scores", "S / √d_head", "s^{scaled}", "S^{scaled}", {batch, query_head}, Axis::query, Axis::key, diverging,
     Cover::none, Lane::scores, optional, same_cell(Stage::scores)},
    {Stage::capped_scores, "capped_scores", "c · tanh(S / c)", "s^{capped}", "S^{capped}", {batch, query_head}, Axis::query, Axis::key,
     diverging, Cover::none, Lane::scores, optional, same_cell(Stage::scaled_scores)},
    {Stage::biased_scores, "biased_scores", "S + bias", "s^{biased}", "S^{biased}", {batch, query_head}, Axis::query, Axis::key, diverging,
     Cover::none, Lane::scores, optional, same_cell(Stage::capped_scores)},
    {Stage::mask, "mask", "true = may attend", "m", "M", {batch, query_head}, Axis::query, Axis::key, boolean, Cover::none,
     Lane::scores, always, {}},
    {Stage::masked_scores, "masked_scores", "S where mask, else fill", "s^{masked}", "S^{masked}", {batch, query_head}, Axis::query, Axis::key,
     diverging, Cover::mask, Lane::scores, always, {{Stage::biased_scores, Reads::cell}, {Stage::mask, Reads::cell}}},
    {Stage::weights, "weights", "softmax(S) over keys", "a", "A", {batch, query_head}, Axis::query, Axis::key, sequential, Cover::mask,
     Lane::weights, always, {{Stage::masked_scores, Reads::row}, {Stage::mask, Reads::dead_row}}},
    {Stage::dropped_weights, "dropped_weights", "A · kept / (1 − p)", "a′", "A′", {batch, query_head}, Axis::query, Axis::key,
     sequential, Cover::mask_and_dropout, Lane::weights, optional, same_cell(Stage::weights)},
    {Stage::head_outputs, "head_outputs", "A V_h", "o", "O", {batch, query_head}, Axis::query, head_feature, diverging, Cover::none,
     Lane::outputs, always, {{Stage::dropped_weights, Reads::row}, {Stage::V_heads, Reads::column}}},
    {Stage::concat, "concat", "transpose(1, 2).view(B, n_q, H·d_head)", "c", "O", {batch, none}, Axis::query, query_channel, diverging,
     Cover::none, Lane::outputs, always, {{Stage::head_outputs, Reads::head_of_column}}},
    {Stage::output, "output", "concat W_oᵀ + b_o", "y", "Y", {batch, none}, Axis::query, out_feature, diverging, Cover::none,
     Lane::outputs, always, projected(Stage::concat, Stage::W_o, Stage::b_o)},
    {Stage::W_q, "W_q", "[out, in]", "W^{q}", "W_{q}", {none, none}, query_channel, query_feature, diverging, Cover::none, Lane::query, always, {}},
    {Stage::W_k, "W_k", "[out, in]", "W^{k}", "W_{k}", {none, none}, kv_channel, key_feature, diverging, Cover::none, Lane::key, always, {}},
    {Stage::W_v, "W_v", "[out, in]", "W^{v}", "W_{v}", {none, none}, kv_channel, value_feature, diverging, Cover::none, Lane::value, always, {}},
    {Stage::W_o, "W_o", "[out, in]", "W^{o}", "W_{o}", {none, none}, out_feature, query_channel, diverging, Cover::none, Lane::outputs, always, {}},
    {Stage::b_q, "b_q", "[out]", "b^{q}", "b_{q}", {none, none}, none, query_channel, diverging, Cover::none, Lane::query, always, {}},
    {Stage::b_k, "b_k", "[out]", "b^{k}", "b_{k}", {none, none}, none, kv_channel, diverging, Cover::none, Lane::key, always, {}},
    {Stage::b_v, "b_v", "[out]", "b^{v}", "b_{v}", {none, none}, none, kv_channel, diverging, Cover::none, Lane::value, always, {}},
    {Stage::b_o, "b_o", "[out]", "b^{o}", "b_{o}", {none, none}, none, out_feature, diverging, Cover::none, Lane::outputs, always, {}},
}};
static_assert(in_stage_order(table), "core/stage/stage.cpp: a row for every stage, in their order");

constexpr bool made_from_earlier_stages() {
  for (const StageInfo& row : table) {
    for (const SourceStage& source : row.sources) {
      if (!is_parameter(source.stage) && source.stage >= row.stage) return false;
    }
  }
  return true;
}
static_assert(made_from_earlier_stages(), "core/stage/stage.cpp: a stage is made from what comes before it");

constexpr auto matrices = [] {
  std::array<Stage, matrix_count> list{};
  for (std::size_t i = 0; i < matrix_count; ++i) list[i] = static_cast<Stage>(i);
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

std::span<const Stage> all_stages() { return std::span(matrices).first<stage_count>(); }

std::span<const Stage> all_matrices() { return matrices; }

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

bool is_input(Stage stage) { return stage <= Stage::value; }

bool is_bias(Stage stage) { return is_parameter(stage) && info(stage).rows == none; }

bool is_product(Stage stage) {
  const StageSources& sources = info(stage).sources;
  return sources.size() >= 2 && sources[0].reads == Reads::row && (sources[1].reads == Reads::row_of_column || sources[1].reads == Reads::column);
}

Stage bias_beside(Stage weight) {
  for (const StageInfo& row : table) {
    if (row.sources.size() == 3 && row.sources[1].stage == weight) return row.sources[2].stage;
  }
  assert(false && "not a weight matrix");
  return weight;
}

bool is_rearrangement(Stage stage) {
  const StageSources& sources = info(stage).sources;
  return !sources.empty() && (sources[0].reads == Reads::columns_of_head || sources[0].reads == Reads::head_of_column);
}

}  // namespace headlight
