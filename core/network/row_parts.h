// What a word's row is the sum of: where it enters a layer (RowParts), and where it leaves its block (BlockParts).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/network/network.h"
#include "core/run/trace.h"

namespace headlight {

/// word + place + earlier = enters, each as wide as the residual stream; a layer's norm comes after that.
struct RowParts {
  std::vector<float> word;     ///< the token's row of the table
  std::vector<float> place;    ///< the row of where it stands; empty where none is added
  std::vector<float> earlier;  ///< what the blocks before have added; empty in the first
  std::vector<float> enters;
};

/// Of the query `row` of a layer's self-attention. Nothing where its row is no such sum (a norm or a projection of the
/// table, segments, tensors in place of words), or where it is the token's row alone.
std::optional<RowParts> row_parts(const NetworkRun& run, Index layer, Index batch, Index row);

/// A row of a table, by its number.
struct TableRow {
  Index number = 0;
  std::string word;  ///< of a table of words
  std::vector<float> numbers;
};
/// Where RowParts::word and RowParts::place were looked up: the row and its neighbours in the table.
struct RowLookup {
  Index token = 0, place = 0;  ///< the rows that were taken
  std::vector<TableRow> words{}, places{};
};
/// `around` rows of the table of words before and after, and the places of the text. Only where row_parts() gives some.
RowLookup row_lookup(const NetworkRun& run, Index layer, Index batch, Index row, Index around);

/// before + heads + bias = after, after + mlp = leaves; each as wide as the residual stream.
struct BlockParts {
  std::vector<float> before;              ///< what enters the block
  std::vector<std::vector<float>> heads;  ///< what each head adds, through its columns of the output projection
  std::vector<float> bias;                ///< of that projection; empty where there is none
  std::vector<float> after;
  bool normed = false;     ///< `after` goes through a norm before anything else (post-norm)
  std::vector<float> mlp;  ///< empty where the block has none, and where it is not added as it is
  std::vector<float> leaves;
};

/// Of the query `row` of the layer whose stages the trace has. Nothing where the heads' sum is not added as it is (a
/// norm behind the attention, a factor), or where the trace's numbers are not those that the network went on with.
std::optional<BlockParts> block_parts(const NetworkRun& run, const Trace& trace, Index layer, Index batch, Index row);

/// A neuron of an MLP: its number before the last projection.
struct Neuron {
  Index index = 0;
  float activation = 0;
  float added = 0;  ///< how long the vector is that it adds
  std::vector<Index>
      words;  ///< the tokens whose logits what it adds raises most, read off as if the network ended there
};
struct NeuronsOfRow {
  std::vector<float> normed;    ///< the row as the MLP gets it: after its norm
  std::vector<float> hidden;    ///< the neurons of the row
  std::vector<Neuron> largest;  ///< by how long the vector is that each adds, the longest first
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
  float logit = 0;  ///< as the pass has it
};

/// For a position of a batch entry that the pass has logits for.
LogitProduct logit_product(const NetworkRun& run, Index batch, Index place, Index token);

}  // namespace headlight
