// Sampling of the next word, and extending the text by it.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

class Network;
struct NetworkRun;

/// As in transformers' generate(), applied in this order.
struct Sampling {
  float temperature = 1;  ///< divides the logits; 0: always the largest
  Index top_k = 0;        ///< keeps the largest, and those equal to the last of them; 0: all
  float top_p = 1;        ///< keeps the fewest whose shares add up to at least this
  bool is_plain() const { return *this == Sampling{}; }
  bool operator==(const Sampling&) const = default;
};

/// An order of numbers in which NaN is smaller than all others: sorting by > alone needs numbers without NaN.
inline bool is_larger(float a, float b) { return a > b || (std::isnan(b) && !std::isnan(a)); }
/// The indices of the largest numbers in a row of logits, the largest first; of equal ones, the first.
std::vector<Index> largest_of_row(const MatrixView& logits, Index row, Index count);
/// The share of each token, [vocabulary]; they sum to 1.
std::vector<double> shares_of(std::span<const float> logits, const Sampling& sampling);
/// At a position of a pass's logits; −1 for the prediction. Empty if the network has no output layer.
std::vector<double> next_shares(const NetworkRun& run, Index batch, Index position, const Sampling& sampling);
/// The token at `uniform`, in [0, 1), of the cumulative shares.
Index drawn(std::span<const double> shares, double uniform);

/// The text whose line `batch` is cut after its token at `position` and followed by `token`, so that the network's
/// tokenizer reads it that way. Unset if there is no such text, or if the network does not generate words one after the
/// other.
std::optional<std::string> written_on(const Network& network, const std::string& text, Index batch, Index position,
                                      Index token);

/// The text whose line `batch` has its tokens at two positions swapped. Unset if no text is read that way.
std::optional<std::string> with_swapped_tokens(const Network& network, const std::string& text, Index batch,
                                               Index first, Index second);

}  // namespace headlight
