// NetworkShape: the sizes and rules of a network that the backward pass knows, GPT-2's in general: pre-norm blocks of
// attention and, perhaps, an MLP. ParameterLayout: where its parameters stand in one array of floats.
//
// x₀ = tokens[t] + positions[i];  x ← x + attention(LayerNorm(x));  x ← x + MLP(LayerNorm(x));
// logits = LayerNorm(x) · tokensᵀ  (Radford et al. 2019)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compute/training/settings.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

struct NetworkShape {
  Index vocabulary = 1, length = 1;  ///< tokens; positions of the table, and of a sequence
  Index d_model = 1, heads = 1, kv_heads = 1, d_head = 1, layers = 1;
  Index hidden = 0;   ///< neurons of the MLP; 0: none
  bool norms = true;  ///< LayerNorms before attention, before the MLP and at the end
  TrainedPositions positions = TrainedPositions::learned;  ///< sinusoidal: the table is not learned
  bool tied = true;                                        ///< the output table is the token table
  Rope rope = Rope::none;
  float rope_base = 10000;
  bool alibi = false;
  float scale = 1;
  std::optional<float> softcap{};
  std::string mask = "full()";
  DeadRow dead_row = DeadRow::zero;
  float norm_epsilon = 1e-5F;

  /// Columns of the packed projection: queries, keys, values.
  Index packed() const { return (heads + 2 * kv_heads) * d_head; }
  Index key_column() const { return heads * d_head; }
  Index value_column() const { return (heads + kv_heads) * d_head; }
  /// Whether GPT-2's files can say it all: learned positions, an MLP, causal(), 1/√d_head, equal heads, and no more.
  bool is_gpt2() const;
  bool operator==(const NetworkShape&) const = default;
};
/// `vocabulary` and `length` are the data's.
NetworkShape shape_of(const TrainingSettings& settings, Index vocabulary, Index length);

/// One parameter, [rows, cols], or a vector with rows 1. Weights are stored [in, out], as GPT-2's files have them.
struct ParameterRow {
  std::string name;  ///< as in GPT-2's files: "transformer.h.0.attn.c_attn.weight"
  Index first = 0, rows = 1, cols = 1;
  bool vector = false;
  bool learned = true;
  Index count() const { return rows * cols; }
  Shape shape() const { return vector ? Shape{cols} : Shape{rows, cols}; }
};

/// The first float of each parameter; −1: the shape has none.
struct BlockOffsets {
  Index norm1_gain = -1, norm1_bias = -1, W_qkv = -1, b_qkv = -1, W_o = -1, b_o = -1;
  Index norm2_gain = -1, norm2_bias = -1, W_up = -1, b_up = -1, W_down = -1, b_down = -1;
};

struct ParameterLayout {
  explicit ParameterLayout(const NetworkShape& shape);
  Index tokens = -1, positions = -1, norm_gain = -1, norm_bias = -1, output = -1;
  std::vector<BlockOffsets> blocks;
  std::vector<ParameterRow> rows;  ///< in the order of their floats, without gaps
  Index count = 0;                 ///< floats
  Index learned = 0;               ///< of them, parameters that are learned; the table of sinusoids is not
};

/// Draws the weights: tables normal, with deviation 1 as nn.Embedding's or, where norms follow, 0.08; matrices uniform
/// within ±1/√in (nn.Linear's), biases 0, gains 1; sinusoids as in Vaswani et al. 2017, §3.5. The numbers of a
/// parameter depend on its name and the seed.
void draw_weights(const NetworkShape& shape, const ParameterLayout& layout, std::uint64_t seed, float* weights);

/// The mask as cells 0 and 1, [H or 1, n, n]; empty for full(). Throws ExpressionError, and SettingError for a mask
/// that depends on the batch entry.
std::vector<float> mask_cells(const NetworkShape& shape, Index n);

}  // namespace headlight
