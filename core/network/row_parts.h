// RowParts: what a word's row is the sum of when it enters a layer.
#pragma once

#include <optional>
#include <vector>

#include "core/network/network.h"

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

}  // namespace headlight
