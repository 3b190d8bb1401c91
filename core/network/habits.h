// What a head does, measured: how much of its attention goes where each habit says, over real text or generated tokens.
#pragma once

#include <cstdint>
#include <span>

#include "core/network/network.h"

namespace headlight {

/// Where a head may have the habit of looking. For queries that have such a place.
enum class Habit : std::uint8_t {
  previous,   ///< k = q − 1
  first,      ///< k = 0, q > 0
  self,       ///< k = q
  next,       ///< k = q + 1
  duplicate,  ///< k < q with the same token
  induction,  ///< k < q whose token before it is the query's: what came after it the last time
};
inline constexpr std::size_t habit_count = 6;
/// "previous", "first" …, as translations and files know them.
std::string_view name(Habit habit);

struct HeadHabits {
  double share[habit_count] = {};  ///< mean weight there, 0…1; 0 where no query has such a place
  Index rows[habit_count] = {};    ///< queries that were measured
  double entropy = 0;              ///< mean over queries, as a share of ln(keys that get any weight): 0 one key, 1 all alike
  Index queries = 0;

  double operator[](Habit habit) const { return share[static_cast<std::size_t>(habit)]; }
  /// The largest, where it is at least `least`.
  std::optional<Habit> strongest(double least = 0.5) const;
};

/// One for each head, over all entries of the batch; `weights` [B, H, n_q, n_k]. Padding is left out. In cross-attention
/// only the entropy and the first key mean anything: pass no other tokens than the keys' and queries' own.
std::vector<HeadHabits> habits_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys);
/// The same of one layer of a pass; all zero where its weights were not kept.
std::vector<HeadHabits> habits_of(const NetworkRun& run, Index layer);

/// Tokens to measure habits on, where no text is at hand: `lines` of random tokens, each a stretch said twice, so that
/// duplicates and inductions are there; the same for the same seed.
TokenBatch generated_tokens(const Network& network, Index lines, Index length, std::uint64_t seed);

/// Mean over all positions of ‖x‖₂ / √width of what enters each layer's block, and of what its attention adds.
struct ResidualSize {
  double entering = 0, added = 0;
};
std::vector<ResidualSize> residual_sizes(const NetworkRun& run);

}  // namespace headlight
