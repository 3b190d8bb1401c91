#include "core/rules/stage/stage.h"

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

constexpr StageInfo row(Stage stage, std::string_view name, std::string_view letter, std::string_view symbol,
                        Axis batch_axis, Axis head_axis, Axis rows, Axis cols, Lane lane, std::string_view formula,
                        StageSources sources = {}, Presence presence = always, Palette palette = diverging,
                        Cover cover = Cover::none) {
  return {stage,   name,  formula, letter,   symbol, {batch_axis, head_axis}, rows, cols,
          palette, cover, lane,    presence, sources};
}

constexpr std::array<StageInfo, matrix_count> table{{
    row(Stage::query, "query", "x", "X_{q}", batch, none, Axis::query, query_feature, Lane::query, "X_q"),
    row(Stage::key, "key", "x", "X_{k}", batch, none, Axis::key, key_feature, Lane::key, "X_k"),
    row(Stage::value, "value", "x", "X_{v}", batch, none, Axis::key, value_feature, Lane::value, "X_v"),
    row(Stage::Q, "Q", "Q", "Q", batch, none, Axis::query, query_channel, Lane::query, "X_q W_qᵀ + b_q",
        projected(Stage::query, Stage::W_q, Stage::b_q)),
    row(Stage::K, "K", "K", "K", batch, none, Axis::key, kv_channel, Lane::key, "X_k W_kᵀ + b_k",
        projected(Stage::key, Stage::W_k, Stage::b_k)),
    row(Stage::V, "V", "V", "V", batch, none, Axis::key, kv_channel, Lane::value, "X_v W_vᵀ + b_v",
        projected(Stage::value, Stage::W_v, Stage::b_v)),
    row(Stage::Q_heads, "Q_heads", "q", "Q", batch, query_head, Axis::query, head_feature, Lane::query,
        "view(B, n_q, H, d_head).transpose(1, 2)", split(Stage::Q)),
    row(Stage::K_heads, "K_heads", "k", "K", batch, kv_head, Axis::key, head_feature, Lane::key,
        "view(B, n_k, G, d_head).transpose(1, 2)", split(Stage::K)),
    row(Stage::V_heads, "V_heads", "v", "V", batch, kv_head, Axis::key, head_feature, Lane::value,
        "view(B, n_k, G, d_head).transpose(1, 2)", split(Stage::V)),
    row(Stage::Q_normed, "Q_normed", "q^{norm}", "Q^{n}", batch, query_head, Axis::query, head_feature, Lane::query,
        "Q_h / norm(Q_h)", {{Stage::Q_heads, Reads::row}}, optional),
    row(Stage::K_normed, "K_normed", "k^{norm}", "K^{n}", batch, kv_head, Axis::key, head_feature, Lane::key,
        "K_h / norm(K_h)", {{Stage::K_heads, Reads::row}}, optional),
    row(Stage::Q_rotated, "Q_rotated", "q′", "Q′", batch, query_head, Axis::query, head_feature, Lane::query,
        "RoPE(Q_h, position)", {{Stage::Q_normed, Reads::pair}}, optional),
    row(Stage::K_rotated, "K_rotated", "k′", "K′", batch, kv_head, Axis::key, head_feature, Lane::key,
        "RoPE(K_h, position)", {{Stage::K_normed, Reads::pair}}, optional),
    row(Stage::Q_scaled, "Q_scaled", "q^{scaled}", "Q^{s}", batch, query_head, Axis::query, head_feature, Lane::query,
        "Q_h / √d_head", same_cell(Stage::Q_rotated), optional),
    row(Stage::scores, "scores", "s", "S", batch, query_head, Axis::query, Axis::key, Lane::scores, "Q_h K_hᵀ",
        {{Stage::Q_scaled, Reads::row}, {Stage::K_rotated, Reads::row_of_column}}),
    row(Stage::scaled_scores, "scaled_scores", "s^{scaled}", "S^{scaled}", batch, query_head, Axis::query, Axis::key,
        Lane::scores, "S / √d_head", same_cell(Stage::scores), optional),
    row(Stage::capped_scores, "capped_scores", "s^{capped}", "S^{capped}", batch, query_head, Axis::query, Axis::key,
        Lane::scores, "c · tanh(S / c)", same_cell(Stage::scaled_scores), optional),
    row(Stage::biased_scores, "biased_scores", "s^{biased}", "S^{biased}", batch, query_head, Axis::query, Axis::key,
        Lane::scores, "S + bias", same_cell(Stage::capped_scores), optional),
    row(Stage::mask, "mask", "m", "M", batch, query_head, Axis::query, Axis::key, Lane::scores, "true = may attend", {},
        always, boolean),
    row(Stage::masked_scores, "masked_scores", "s^{masked}", "S^{masked}", batch, query_head, Axis::query, Axis::key,
        Lane::scores, "S where mask, else fill", {{Stage::biased_scores, Reads::cell}, {Stage::mask, Reads::cell}},
        always, diverging, Cover::mask),
    row(Stage::weights, "weights", "a", "A", batch, query_head, Axis::query, Axis::key, Lane::weights,
        "softmax(S) over keys", {{Stage::masked_scores, Reads::row}, {Stage::mask, Reads::dead_row}}, always,
        sequential, Cover::mask),
    row(Stage::dropped_weights, "dropped_weights", "a′", "A′", batch, query_head, Axis::query, Axis::key, Lane::weights,
        "A · kept / (1 − p)", same_cell(Stage::weights), optional, sequential, Cover::mask_and_dropout),
    row(Stage::head_outputs, "head_outputs", "o", "O", batch, query_head, Axis::query, head_feature, Lane::outputs,
        "A V_h", {{Stage::dropped_weights, Reads::row}, {Stage::V_heads, Reads::column}}),
    row(Stage::concat, "concat", "c", "O", batch, none, Axis::query, query_channel, Lane::outputs,
        "transpose(1, 2).view(B, n_q, H·d_head)", {{Stage::head_outputs, Reads::head_of_column}}),
    row(Stage::output, "output", "y", "Y", batch, none, Axis::query, out_feature, Lane::outputs, "concat W_oᵀ + b_o",
        projected(Stage::concat, Stage::W_o, Stage::b_o)),
    row(Stage::W_q, "W_q", "W^{q}", "W_{q}", none, none, query_channel, query_feature, Lane::query, "[out, in]"),
    row(Stage::W_k, "W_k", "W^{k}", "W_{k}", none, none, kv_channel, key_feature, Lane::key, "[out, in]"),
    row(Stage::W_v, "W_v", "W^{v}", "W_{v}", none, none, kv_channel, value_feature, Lane::value, "[out, in]"),
    row(Stage::W_o, "W_o", "W^{o}", "W_{o}", none, none, out_feature, query_channel, Lane::outputs, "[out, in]"),
    row(Stage::b_q, "b_q", "b^{q}", "b_{q}", none, none, none, query_channel, Lane::query, "[out]"),
    row(Stage::b_k, "b_k", "b^{k}", "b_{k}", none, none, none, kv_channel, Lane::key, "[out]"),
    row(Stage::b_v, "b_v", "b^{v}", "b_{v}", none, none, none, kv_channel, Lane::value, "[out]"),
    row(Stage::b_o, "b_o", "b^{o}", "b_{o}", none, none, none, out_feature, Lane::outputs, "[out]"),
    row(Stage::contribution_norms, "contribution_norms", "n", "N", batch, query_head, Axis::query, Axis::key,
        Lane::weights, "‖A · V_h W_oᵀ‖₂",
        {{Stage::dropped_weights, Reads::cell}, {Stage::V_heads, Reads::row_of_column}, {Stage::W_o, Reads::column}},
        always, sequential, Cover::mask_and_dropout),
}};
static_assert(in_stage_order(table), "core/rules/stage/stage.cpp: a row for every stage, in their order");

constexpr bool made_from_earlier_stages() {
  for (const StageInfo& row : table) {
    for (const SourceStage& source : row.sources) {
      if (!is_parameter(source.stage) && source.stage >= row.stage) return false;
    }
  }
  return true;
}
static_assert(made_from_earlier_stages(), "core/rules/stage/stage.cpp: a stage is made from what comes before it");

constexpr auto matrices = [] {
  std::array<Stage, static_cast<std::size_t>(Stage::contribution_norms)> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<Stage>(i);
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
  return sources.size() >= 2 && sources[0].reads == Reads::row &&
         (sources[1].reads == Reads::row_of_column || sources[1].reads == Reads::column);
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
