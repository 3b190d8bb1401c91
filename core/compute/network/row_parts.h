// The terms of a word's row: at the input of a layer (RowParts), and at the output of its block (BlockParts).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/network/network.h"
#include "core/compute/run/trace.h"

namespace headlight {

/// word + place + earlier = enters, each as wide as the residual stream, before the layer's norm.
struct RowParts {
  std::vector<float> word;     ///< the token's row of the table
  std::vector<float> place;    ///< the row of its position; empty if none is added
  std::vector<float> earlier;  ///< sum of the outputs of the blocks before; empty in the first
  std::vector<float> enters;
};

/// For the query `row` of a layer's self-attention. Unset if its row is not such a sum (a norm or a projection of the
/// table, segments, tensors in place of words), or if it is just the token's row.
std::optional<RowParts> row_parts(const NetworkRun& run, Index layer, Index batch, Index row);

/// A row of a table, by its number.
struct TableRow {
  Index number = 0;
  std::string word;  ///< of a table of words
  std::vector<float> numbers;
};
/// The origin of RowParts::word and RowParts::place: the row and its neighbours in the table.
struct RowLookup {
  Index token = 0, place = 0;  ///< the rows that were used
  std::vector<TableRow> words{}, places{};
};
/// With `around` rows of the word table before and after it, and the positions of the text. Only if row_parts() returns
/// a value.
RowLookup row_lookup(const NetworkRun& run, Index layer, Index batch, Index row, Index around);

/// before + heads + bias = after, after + mlp = leaves; each as wide as the residual stream.
struct BlockParts {
  std::vector<float> before;              ///< input of the block
  std::vector<std::vector<float>> heads;  ///< output of each head, through its columns of the output projection
  std::vector<float> bias;                ///< of that projection; empty if there is none
  std::vector<float> after;
  bool normed = false;     ///< a norm is applied to `after` first (post-norm)
  std::vector<float> mlp;  ///< empty if the block has none, or if it is not added unchanged
  std::vector<float> leaves;
};

/// For the query `row` of the layer in the trace. Unset if the heads' sum is not added unchanged (a norm after the
/// attention, a factor), or if the network did not continue with the trace's numbers.
std::optional<BlockParts> block_parts(const NetworkRun& run, const Trace& trace, Index layer, Index batch, Index row);

/// A neuron of an MLP: one number before the last projection.
struct Neuron {
  Index index = 0;
  float activation = 0;
  float added = 0;           ///< length of the vector that it adds
  std::vector<Index> words;  ///< the tokens whose logits the vector raises most, if the network ended here
};
struct NeuronsOfRow {
  std::vector<float> normed;    ///< the row after the norm, the MLP's input
  std::vector<float> hidden;    ///< all neurons of the row
  std::vector<Neuron> largest;  ///< by the length of the vector that each adds, the longest first
};
/// The activation's name, "GELU".
std::string_view name(Activation activation);

// LogitProduct: one word's logit as a dot product.

/// logit = cap(scale · (Σ row[i] · word[i] + bias)).
struct LogitProduct {
  std::vector<float> last;  ///< output of the last block, before the last norm
  std::vector<float> row;   ///< after the norm: multiplied with every word's row
  std::vector<float> word;  ///< the word's row of the table
  float bias = 0;
  double scale = 1;
  std::optional<double> softcap;
  float logit = 0;  ///< as in the pass
};

/// For a position of a batch entry for which the pass has logits.
LogitProduct logit_product(const NetworkRun& run, Index batch, Index place, Index token);

}  // namespace headlight
