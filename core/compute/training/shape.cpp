#include "core/compute/training/shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/rules/mask/mask_rule.h"
#include "core/rules/position/sinusoids.h"

namespace headlight {

NetworkShape shape_of(const TrainingSettings& s, Index vocabulary, Index length) {
  NetworkShape shape;
  shape.vocabulary = vocabulary;
  shape.length = length;
  shape.d_model = s.d_model;
  shape.heads = s.heads;
  shape.kv_heads = s.kv_heads.value_or(s.heads);
  shape.d_head = s.d_model / s.heads;
  shape.layers = s.layers;
  shape.norms = s.norm;
  shape.hidden = s.mlp ? 4 * s.d_model : 0;
  shape.positions = s.positions;
  shape.rope = s.rope;
  shape.rope_base = s.rope_base;
  shape.alibi = s.alibi;
  shape.scale = s.scale.value_or(static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d_head))));
  shape.softcap = s.softcap;
  shape.mask = s.mask;
  shape.dead_row = s.dead_row;
  return shape;
}

bool NetworkShape::is_gpt2() const {
  return hidden > 0 && norms && positions == TrainedPositions::learned && rope == Rope::none && !alibi && !softcap &&
         mask == "causal()" && kv_heads == heads && tied &&
         scale == static_cast<float>(1 / std::sqrt(static_cast<double>(d_head)));
}

ParameterLayout::ParameterLayout(const NetworkShape& s) {
  const auto add = [&](std::string name, Index height, Index width, bool is_vector = false, bool is_learned = true) {
    rows.push_back({std::move(name), count, height, width, is_vector, is_learned});
    const Index first = count;
    count += height * width;
    if (is_learned) learned += height * width;
    return first;
  };
  const auto vector = [&](const std::string& name, Index width) { return add(name, 1, width, true); };
  const auto norm = [&](const std::string& name, Index& gain, Index& bias) {
    if (!s.norms) return;
    gain = vector(name + ".weight", s.d_model);
    bias = vector(name + ".bias", s.d_model);
  };
  tokens = add("transformer.wte.weight", s.vocabulary, s.d_model);
  if (s.positions != TrainedPositions::none)
    positions = add("transformer.wpe.weight", s.length, s.d_model, false, s.positions == TrainedPositions::learned);
  for (Index layer = 0; layer < s.layers; ++layer) {
    const std::string at = "transformer.h." + std::to_string(layer) + ".";
    BlockOffsets& block = blocks.emplace_back();
    norm(at + "ln_1", block.norm1_gain, block.norm1_bias);
    block.W_qkv = add(at + "attn.c_attn.weight", s.d_model, s.packed());
    block.b_qkv = vector(at + "attn.c_attn.bias", s.packed());
    block.W_o = add(at + "attn.c_proj.weight", s.heads * s.d_head, s.d_model);
    block.b_o = vector(at + "attn.c_proj.bias", s.d_model);
    if (s.hidden == 0) continue;
    norm(at + "ln_2", block.norm2_gain, block.norm2_bias);
    block.W_up = add(at + "mlp.c_fc.weight", s.d_model, s.hidden);
    block.b_up = vector(at + "mlp.c_fc.bias", s.hidden);
    block.W_down = add(at + "mlp.c_proj.weight", s.hidden, s.d_model);
    block.b_down = vector(at + "mlp.c_proj.bias", s.d_model);
  }
  norm("transformer.ln_f", norm_gain, norm_bias);
  if (!s.tied) output = add("lm_head.weight", s.vocabulary, s.d_model);
}

void draw_weights(const NetworkShape& shape, const ParameterLayout& layout, std::uint64_t seed, float* weights) {
  const float deviation = shape.norms ? 0.08F : 1.0F;
  for (const ParameterRow& row : layout.rows) {
    float* const to = weights + row.first;
    if (!row.learned) {
      const Tensor positions = sinusoids(row.rows, row.cols);
      std::ranges::copy(positions.values(), to);
    } else if (row.vector) {
      std::fill_n(to, row.cols, row.name.ends_with("weight") ? 1.0F : 0.0F);
    } else if (row.first == layout.tokens || row.first == layout.positions || row.first == layout.output) {
      Sampler sampler(seed, row.name);
      for (Index i = 0; i < row.count(); ++i) to[i] = deviation * sampler.normal();
    } else {
      Sampler sampler(seed, row.name);
      const float most = 1 / std::sqrt(static_cast<float>(row.rows));
      for (Index i = 0; i < row.count(); ++i) to[i] = most * (2 * sampler.uniform() - 1);
    }
  }
}

std::vector<float> mask_cells(const NetworkShape& shape, Index n) {
  const MaskExpression expression = parse_mask(shape.mask);
  MaskContext context;
  context.batch = 2;  // so that a mask that depends on b is seen to
  context.heads = shape.heads;
  context.n_q = context.n_k = n;
  const Tensor cells = evaluate(expression, context);
  if (cells.size(0) > 1)
    throw SettingError("--mask", "differs between the entries of a batch, which are drawn anew in each step",
                       "expected one that does not use b");
  const Tensor packed = cells.contiguous();
  const std::span<const float> values = packed.values();
  if (std::ranges::all_of(values, [](float may) { return may != 0; })) return {};
  return {values.begin(), values.end()};
}

}  // namespace headlight
