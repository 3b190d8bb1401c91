// The patterns that a head may have, and how much of its attention follows each.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

struct TokenBatch;

/// The keys that a head may prefer. Only queries that have such a key count.
enum class HeadPattern : std::uint8_t {
  previous,   ///< k = q − 1
  first,      ///< k = 0, q > 0
  self,       ///< k = q
  next,       ///< k = q + 1
  duplicate,  ///< k < q with the same token
  induction,  ///< k < q, after an earlier copy of the query's token: what came next the last time
};
inline constexpr std::size_t head_pattern_count = 6;
/// "previous", "first" …, as in translations and files.
std::string_view name(HeadPattern pattern);

struct HeadPatterns {
  double share[head_pattern_count] = {};  ///< mean weight there, 0…1; 0 if no query has such a key
  Index rows[head_pattern_count] = {};    ///< queries that were measured
  double entropy = 0;  ///< mean over queries, as a share of ln(keys that get any weight): 0 one key, 1 all alike
  double bits = 0;     ///< the same mean in bits
  Index queries = 0;

  double operator[](HeadPattern pattern) const { return share[static_cast<std::size_t>(pattern)]; }
  /// Whether at least a third of the queries have such a key: a single word makes no pattern.
  bool is_usual(HeadPattern pattern) const {
    return 3 * rows[static_cast<std::size_t>(pattern)] >= queries && queries > 0;
  }
  /// The largest of the usual ones, where it is at least `least`.
  std::optional<HeadPattern> strongest(double least = 0.5) const;
};

/// How much of its attention follows each pattern: one for each head, over all entries of the batch; `weights` [B, H,
/// n_q, n_k]. Padding is left out. In cross-attention only the entropy and the first key mean anything: pass no other
/// tokens than the keys' and queries' own. Throws Cancelled.
std::vector<HeadPatterns> head_patterns_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                                           const std::stop_token& stop = {});

}  // namespace headlight
