// Attention patterns of heads, and how much of a head's attention follows each.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

struct TokenBatch;

/// The keys that a head may prefer. Only queries that have such a key are counted.
enum class HeadPattern : std::uint8_t {
  previous,   ///< k = q − 1
  first,      ///< k = 0, q > 0
  self,       ///< k = q
  next,       ///< k = q + 1
  duplicate,  ///< k < q with the same token
  induction,  ///< k < q, the token after an earlier occurrence of the query's token
};
inline constexpr std::size_t head_pattern_count = 6;
/// "previous", "first" …, as in translations and files.
std::string_view name(HeadPattern pattern);

struct HeadPatterns {
  double share[head_pattern_count] = {};  ///< mean weight there, 0…1; 0 if no query has such a key
  Index rows[head_pattern_count] = {};    ///< queries that were measured
  double entropy =
      0;            ///< mean over queries, as a share of ln(keys with weight): 0 for a single key, 1 for equal weights
  double bits = 0;  ///< the same mean in bits
  Index queries = 0;

  double operator[](HeadPattern pattern) const { return share[static_cast<std::size_t>(pattern)]; }
  /// Whether at least a third of the queries have such a key: a few words are not a pattern.
  bool is_usual(HeadPattern pattern) const {
    return 3 * rows[static_cast<std::size_t>(pattern)] >= queries && queries > 0;
  }
  /// The usual pattern with the largest share, if that is at least `least`.
  std::optional<HeadPattern> strongest(double least = 0.5) const;
};

/// The share of each pattern, for each head, over all batch entries; `weights` [B, H, n_q, n_k]. Ignores padding. In
/// cross-attention, only the entropy and the first key are meaningful: pass only the tokens of the keys and queries
/// themselves. Throws Cancelled.
std::vector<HeadPatterns> head_patterns_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                                           const std::stop_token& stop = {});

}  // namespace headlight
