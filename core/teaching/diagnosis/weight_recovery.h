// Recovers the weights behind a user's outputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/compute/run/trace.h"
#include "core/teaching/diagnosis/own_stages.h"

namespace headlight {

/// [B, H, n_q, n_k], from the first of dropped_weights, weights, head_outputs, concat and output that differs from the
/// run. From outputs, each query's weights are the least-squares solution over its allowed keys; if that is not unique,
/// the run's weights with some of them dropped, as by dropout, if that fits. Undetermined rows are NaN. Undefined if no
/// such stage differs.
Tensor recover_weights(const Trace& run, const OwnStages& own);

/// The head whose outputs stand in each head's place in the user's concat or output; empty if they are in the run's
/// order, or if the numbers do not tell.
std::vector<Index> head_order(const Trace& run, const OwnStages& own);

/// The sums of all subsets of a few vectors of equal length, stored for two halves (Horowitz & Sahni 1974).
class SubsetSums {
 public:
  using Vector = std::vector<double>;
  static constexpr std::size_t most_terms = 26;

  /// One to most_terms vectors with at least one number.
  explicit SubsetSums(const std::vector<Vector>& terms);

  /// The subset whose sum is closest to `target`, with no number off by more than `tolerance`; unset if there is none.
  std::optional<std::vector<bool>> closest(const Vector& target, double tolerance) const;

 private:
  struct Half {
    Half(std::span<const Vector> terms, std::size_t width);
    std::span<const double> sum(std::size_t set) const { return std::span(numbers).subspan(set * width, width); }

    std::size_t width;
    Vector numbers;                  ///< of all subsets, concatenated
    std::vector<std::size_t> order;  ///< of the subsets, sorted by the first number of their sums
  };

  std::size_t terms_;
  Half left_, right_;
};

}  // namespace headlight
