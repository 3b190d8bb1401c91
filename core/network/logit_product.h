// LogitProduct: one word's logit as a dot product.
#pragma once

#include <optional>
#include <vector>

#include "core/network/network.h"

namespace headlight {

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
