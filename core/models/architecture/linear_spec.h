// A linear layer as a file stores it: the names of its arrays, and how they make W [out, in] and b [out]. Both a
// network's description (network_spec.h) and the finder of a bare file's attention (core/scenario/inputs/state_dict.h)
// give it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// How a weight is stored.
enum class WeightLayout : std::uint8_t {
  out_in,          ///< nn.Linear: [out, in]
  in_out,          ///< GPT-2's Conv1D, Keras, Flax, x @ W: [in, out]
  head_in_out,     ///< TransformerLens: [H, in, d_head]
  in_head_out,     ///< Keras, Flax: [in, H, d_head]
  head_inner_out,  ///< the output projection of these libraries: [H, d_head, out]
};

/// (first, count) of rows of a matrix, in order; none: all of them.
using RowBlocks = std::vector<std::pair<Index, Index>>;

struct LinearSpec {
  std::string weight, bias{};  ///< without a weight there is no layer; bias "": none
  WeightLayout layout = WeightLayout::out_in;
  RowBlocks rows{};                 ///< of a matrix that several layers share
  std::optional<Index> of_stack{};  ///< its index in a stack [n, …] of such layers
  std::string gain{};               ///< [out], multiplies the output (LayerScale)
  /// One module for each head, with concatenated outputs; `weight` is that of the first.
  std::vector<LinearSpec> modules{};
  bool there() const { return !weight.empty(); }
};

/// The four linear layers of an attention.
struct Projections {
  LinearSpec q, k, v, o;
};

/// Divides the rows of a packed matrix: for each of `groups` its queries, keys and values in turn. One group: all
/// queries, all keys, all values.
void split_packed(const LinearSpec& packed, Index groups, Index query_rows, Index key_rows, Projections& into);

/// The numbers of inputs and outputs of a stored weight, over all heads.
struct LinearSize {
  Index in = 0, out = 0;
};
LinearSize linear_size(const Shape& shape, WeightLayout layout);

/// The stored weight as [out, in]; a view where its layout allows it.
Tensor to_out_in(const Tensor& stored, WeightLayout layout);

/// These rows of [out, …]; a view if they are one range.
Tensor rows_of(const Tensor& whole, const RowBlocks& rows);

}  // namespace headlight
