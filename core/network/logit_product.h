// LogitProduct: one word's logit as the dot product that it is.
#pragma once

#include <optional>
#include <vector>

#include "core/network/network.h"

namespace headlight {

/// logit = cap(scale · (Σ row[i] · word[i] + bias)).
struct LogitProduct {
  std::vector<float> last;  ///< what leaves the last block, before the last norm
  std::vector<float> row;   ///< after it: what every word's row is multiplied with
  std::vector<float> word;  ///< the word's row of the table
  float bias = 0;
  double scale = 1;
  std::optional<double> softcap;
  float logit = 0;  ///< as the pass has it
};

/// At a place of a batch entry of a pass that has logits for it.
LogitProduct logit_product(const NetworkRun& run, Index batch, Index place, Index token);

}  // namespace headlight
