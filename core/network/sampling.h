// What a next word is drawn from, and the text with it: a network writing on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

class Network;
struct NetworkRun;

/// As transformers' generate() takes them, in this order.
struct Sampling {
  float temperature = 1;  ///< logits are divided by it; 0: the largest alone
  Index top_k = 0;        ///< only the largest so many, and what equals the last of them; 0: all
  float top_p = 1;        ///< of these only the fewest whose shares together reach it
  bool is_plain() const { return *this == Sampling{}; }
  bool operator==(const Sampling&) const = default;
};

/// Where the largest numbers of a row of logits are, the largest first; of equal ones the first.
std::vector<Index> largest_of_row(const MatrixView& logits, Index row, Index count);
/// The share of each token, [vocabulary]; they sum to 1.
std::vector<double> shares_of(std::span<const float> logits, const Sampling& sampling);
/// At a position of a pass's logits; −1 where it predicts. Empty where the network has no head.
std::vector<double> next_shares(const NetworkRun& run, Index batch, Index position, const Sampling& sampling);
/// The token at `uniform`, in [0, 1), of all shares laid end to end.
Index drawn(std::span<const double> shares, double uniform);

/// The text whose line `batch` is what it was up to its token at `position`, and then `token`: what the network's
/// tokenizer reads so. Nothing where no text reads so, or the network does not write words one after the other.
std::optional<std::string> written_on(const Network& network, const std::string& text, Index batch, Index position,
                                      Index token);

/// The text whose line `batch` has its tokens at two positions in each other's place. Nothing where no text reads so.
std::optional<std::string> with_swapped_tokens(const Network& network, const std::string& text, Index batch,
                                               Index first, Index second);

}  // namespace headlight
