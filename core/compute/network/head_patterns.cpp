#include "core/compute/network/head_patterns.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"
#include "core/compute/network/network.h"
#include "core/rules/stage/entropy.h"

namespace headlight {
namespace {

/// Calls visit(key) for each key that the pattern expects of query q.
template <typename Visit>
void for_each_key(HeadPattern pattern, const std::vector<Token>& tokens, Index q, Index n_k, Visit visit) {
  const auto id = [&](Index i) { return tokens[static_cast<std::size_t>(i)].id; };
  switch (pattern) {
    case HeadPattern::previous:
      if (q > 0) visit(q - 1);
      return;
    case HeadPattern::first:
      if (q > 0) visit(0);
      return;
    case HeadPattern::self: visit(q); return;
    case HeadPattern::next:
      if (q + 1 < n_k) visit(q + 1);
      return;
    case HeadPattern::duplicate:
      for (Index k = 0; k < q; ++k) {
        if (id(k) == id(q)) visit(k);
      }
      return;
    case HeadPattern::induction:
      for (Index k = 1; k < q; ++k) {
        if (id(k - 1) == id(q)) visit(k);
      }
      return;
  }
}

struct Spread {
  double bits = 0;
  double share = 0;  ///< of the entropy if all keys with a weight above 0 had the same
};

Spread spread_of(const MatrixView& m, Index q, Index n_k) {
  RowEntropy entropy;
  Index positive = 0;
  for (Index k = 0; k < n_k; ++k) {
    const auto w = static_cast<double>(m(q, k));
    if (!(w > 0)) continue;
    entropy.add(w);
    ++positive;
  }
  if (positive <= 1) return {};
  return {entropy.bits(), entropy.bits() / std::log2(static_cast<double>(positive))};
}

/// One head over all batch entries. `may_rest`: whether breathe() may be called, on the calling thread alone.
HeadPatterns patterns_of_head(const Tensor& weights, Index h, const TokenBatch& queries, const TokenBatch& keys,
                              bool may_rest, const std::stop_token& stop) {
  HeadPatterns head;
  const bool same = queries == keys;
  for (Index b = 0; b < weights.size(0); ++b) {
    const auto entry = static_cast<std::size_t>(b);
    const MatrixView m = weights.matrix(b, h);
    const Index n_q = queries.lengths[entry], n_k = keys.lengths[entry];
    for (Index q = 0; q < n_q && !stop.stop_requested(); ++q) {
      const Spread spread = spread_of(m, q, n_k);
      head.entropy += spread.share;
      head.bits += spread.bits;
      ++head.queries;
      for (std::size_t i = 0; i < head_pattern_count; ++i) {
        const auto pattern = static_cast<HeadPattern>(i);
        if (!same && pattern != HeadPattern::first) continue;
        double share = 0;
        bool any = false;
        for_each_key(pattern, keys.entries[entry], q, n_k, [&](Index k) {
          share += static_cast<double>(m(q, k));
          any = true;
        });
        if (!any) continue;
        head.share[i] += share;
        ++head.rows[i];
      }
      if (may_rest) breathe();
    }
  }
  for (std::size_t i = 0; i < head_pattern_count; ++i)
    head.share[i] /= std::max<double>(1, static_cast<double>(head.rows[i]));
  head.entropy /= std::max<double>(1, static_cast<double>(head.queries));
  head.bits /= std::max<double>(1, static_cast<double>(head.queries));
  return head;
}

}  // namespace

std::string_view name(HeadPattern pattern) {
  constexpr std::string_view names[head_pattern_count] = {"previous", "first",     "self",
                                                          "next",     "duplicate", "induction"};
  return names[static_cast<std::size_t>(pattern)];
}

std::optional<HeadPattern> HeadPatterns::strongest(double least) const {
  std::optional<HeadPattern> most;
  for (std::size_t i = 0; i < head_pattern_count; ++i) {
    const auto pattern = static_cast<HeadPattern>(i);
    if (is_usual(pattern) && share[i] >= least && (!most || share[i] > (*this)[*most])) most = pattern;
  }
  return most;
}

std::vector<HeadPatterns> head_patterns_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                                           const std::stop_token& stop) {
  if (!weights.defined()) return {};
  std::vector<HeadPatterns> patterns(static_cast<std::size_t>(weights.size(1)));
  const Index heads = weights.size(1);
  // A short text takes less time than starting a thread.
  const auto helpers = static_cast<int>(std::min(heads - 1, weights.count() >> 16));
  std::atomic<Index> next{0};
  work_together(std::min(helpers, static_cast<int>(std::thread::hardware_concurrency()) - 1), [&](bool calling) {
    for (Index h = next++; h < heads; h = next++)
      patterns[static_cast<std::size_t>(h)] = patterns_of_head(weights, h, queries, keys, calling, stop);
  });
  if (stop.stop_requested()) throw Cancelled();
  return patterns;
}

}  // namespace headlight
