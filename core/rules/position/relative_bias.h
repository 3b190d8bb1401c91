// Biases that depend only on the distance between query and key: ALiBi's and T5's.
#pragma once

#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// ALiBi's slope of each head (Press et al. 2022): m_h = 2^(−8(h+1)/H); for H not a power of two, the slopes of the
/// nearest lower power followed by every other slope of its double.
std::vector<double> alibi_slopes(Index heads);

inline constexpr Index t5_buckets = 32, t5_max_distance = 128;  // the usual values
/// The bucket of distance k − q, for `buckets` buckets up to distance `furthest` (Raffel et al. 2020; Hugging Face's
/// T5). If bidirectional, half of the buckets are for k > q; otherwise all k > q fall into bucket 0.
Index t5_bucket(Index distance, bool bidirectional, Index buckets = t5_buckets, Index furthest = t5_max_distance);

/// [H, 32] seeded normal numbers in place of T5's learned ones; the numbers of a head do not depend on the number of
/// heads.
Tensor t5_table(Index heads, std::uint64_t seed);

/// Biases that depend only on k − q, as [H, n_q + n_k − 1]: column k − q + n_q − 1. Row q is position p₀ + q, with p₀ =
/// `query_offset`.
///   ALiBi  m_h · (k − p₀ − q)
Tensor alibi_by_distance(Index heads, Index n_q, Index n_k, Index query_offset = 0, bool symmetric = false);
///   T5     table[h, t5_bucket(k − p₀ − q)]
/// with as many buckets as the table [H, buckets] has.
Tensor t5_by_distance(const Tensor& table, bool bidirectional, Index n_q, Index n_k, Index query_offset = 0,
                      Index furthest = t5_max_distance);

/// T5's bias as models compute it, [1, H, n_q, n_k] from a table [buckets, H]: table[t5_bucket(k − p₀ − q), h].
Tensor t5_bias(const Tensor& table, bool bidirectional, Index n_q, Index n_k, Index query_offset, Index furthest);

/// MosaicML's slopes (MPT): 2^(−max·i/P), i = 1 … P, with P the next power of two. If P is larger than the number of
/// heads, every other slope comes first, from the second one on, then the others.
std::vector<double> mpt_slopes(Index heads, double most);
/// [1, H, n_q, n_k]: slope_h · (k − p₀ − q).
Tensor bias_of_slopes(const std::vector<double>& slopes, Index n_q, Index n_k, Index query_offset = 0);
/// Falcon's ALiBi, [1, H, n_q, n_k], added before the scores are scaled and therefore scaled too: scale · m_h · k in
/// bfloat16, with m_h as in alibi_slopes.
Tensor falcon_alibi(Index heads, Index n_q, Index n_k, double scale);

}  // namespace headlight
