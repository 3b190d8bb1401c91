// The names of projections in checkpoints and teaching code.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/scenario/inputs/state_dict.h"

namespace headlight {

/// Names of three separate projections.
struct SeparateScheme {
  std::string_view q, k, v;
};

inline constexpr SeparateScheme separate_schemes[] = {
    {"q_proj", "k_proj", "v_proj"},  // LLaMA, BART, OPT, CLIP
    {"w_q", "w_k", "w_v"},
    {"W_q", "W_k", "W_v"},  // d2l
    {"W_Q", "W_K", "W_V"},
    {"linear_q", "linear_k", "linear_v"},
    {"self.query", "self.key", "self.value"},  // BERT
    {"query", "key", "value"},
    {"query_proj", "key_proj", "value_proj"},
    {"q_lin", "k_lin", "v_lin"},  // DistilBERT
    {"wq", "wk", "wv"},           // LLaMA as published
    {"to_q", "to_k", "to_v"},     // diffusers
    {"q", "k", "v"},              // T5
    {"W_query", "W_key", "W_value"},
    {"w_query", "w_key", "w_value"},
    {"Wq", "Wk", "Wv"},
    {"WQ", "WK", "WV"},
    {"w_qs", "w_ks", "w_vs"},
    {"q_linear", "k_linear", "v_linear"},
    {"query_linear", "key_linear", "value_linear"},
    {"query_layer", "key_layer", "value_layer"},
    {"query_projection", "key_projection", "value_projection"},
    {"query_dense", "key_dense", "value_dense"},
    {"fc_q", "fc_k", "fc_v"},
    {"proj_q", "proj_k", "proj_v"},
    {"lin_q", "lin_k", "lin_v"},
    {"lin_query", "lin_key", "lin_value"},
    {"linear_query", "linear_key", "linear_value"},
    {"proj_query", "proj_key", "proj_value"},
    {"fc_query", "fc_key", "fc_value"},
    {"query_fc", "key_fc", "value_fc"},
    {"q_fc", "k_fc", "v_fc"},
    {"q_layer", "k_layer", "v_layer"},
    {"q_dense", "k_dense", "v_dense"},
    {"q_net", "k_net", "v_net"},
    {"query_transform", "key_transform", "value_transform"},
    {"to_queries", "to_keys", "to_values"},
    {"Q", "K", "V"},
    {"queries", "keys", "values"},
    {"toqueries", "tokeys", "tovalues"},
    {"linears.0", "linears.1", "linears.2"},  // The Annotated Transformer
    {"linear_layers.0", "linear_layers.1", "linear_layers.2"},
};

/// Names of a query projection with keys and values in one matrix: all keys, then all values.
struct PairScheme {
  std::string_view q, kv;
};
inline constexpr PairScheme pair_schemes[] = {
    {"q_attn", "c_attn"},  // GPT-2's cross-attention
    {"q", "kv"},           // PVT, SegFormer
    {"to_q", "to_kv"},    {"q_proj", "kv_proj"}, {"Wq", "Wkv"}, {"q_linear", "kv_linear"},
};

/// The endings after a layer's name.
struct Suffix {
  std::string_view weight, bias;
  WeightLayout layout;
};
inline constexpr Suffix suffixes[] = {
    {".weight", ".bias", WeightLayout::out_in},
    {"_weight", "_bias", WeightLayout::out_in},  // nn.MultiheadAttention with kdim
    {".kernel", ".bias", WeightLayout::in_out},  // Keras, Flax
    {".w", ".b", WeightLayout::in_out},          // Haiku
};

/// Plain matrices and their biases.
struct BareScheme {
  std::string_view q, k, v, o, b_q, b_k, b_v, b_o;
};
inline constexpr BareScheme bare_schemes[] = {
    {"W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o"},  // what `headlight trace --parameters` writes
    {"W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"},  // TransformerLens
    {"W_Q", "_W_K", "_W_V", "W_O", "b_Q", "_b_K", "_b_V", "b_O"},
    {"Wq", "Wk", "Wv", "Wo", "bq", "bk", "bv", "bo"},
    {"WQ", "WK", "WV", "WO", "bQ", "bK", "bV", "bO"},
    {"w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"},
    {"wq", "wk", "wv", "wo", "bq", "bk", "bv", "bo"},
    {"W_query", "W_key", "W_value", "W_out", "b_query", "b_key", "b_value", "b_out"},
};

/// Names of one matrix of queries, keys and values.
struct PackedScheme {
  std::string_view name;
  Packing packing = Packing::thirds;
};
inline constexpr PackedScheme packed_schemes[] = {
    {"in_proj"},   // nn.MultiheadAttention
    {"qkv"},       // timm
    {"qkv_proj"},  // Phi-3
    {"Wqkv"},      // MPT
    {"to_qkv"},
    {"W_pack"},  // Baichuan
    {"att_proj"},
    {"qkv_linear"},
    {"qkv_projection"},
    {"qkv_layer"},
    {"attn_qkv"},
    {"proj_qkv"},
    {"W_qkv"},
    {"w_qkv"},
    {"c_attn"},                               // GPT-2
    {"query_key_value", Packing::per_group},  // GPT-NeoX, BLOOM, Falcon
    {"wqkv", Packing::per_group},             // InternLM 2
    {"proj"},
};

/// The output projection is the first of these with a suitable width.
inline constexpr std::string_view outputs =
    "o_proj out_proj c_proj to_out.0 to_out w_o W_o W_O wo Wo WO w_concat fc_out fc_o out_lin output_proj W_out "
    "w_out output_projection out_projection linear_out linear_o out_linear o_linear output_linear output_dense "
    "attention_output attn_output attn_out proj_out proj_o lin_o lin_out fc_output out_fc output_fc o_fc "
    "linear_output proj_output output_layer out_layer o_layer o_dense out_dense o_net output_transform "
    "final_linear linear_layer linears.3 unifyheads unify_heads combine_heads dense output.dense out output "
    "projection proj linear fc o O W0 w0";

/// The part before `ending`, if `name` equals it or ends with it after a dot.
inline std::optional<std::string> prefix_before(const std::string& name, std::string_view ending) {
  if (!name.ends_with(ending)) return {};
  std::string prefix = name.substr(0, name.size() - ending.size());
  if (!prefix.empty() && prefix.back() != '.') return {};
  return prefix;
}

inline std::string joined(std::string_view a, std::string_view b, std::string_view c = "") {
  return std::string(a).append(b).append(c);
}

}  // namespace headlight
