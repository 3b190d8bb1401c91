// The entropy of a row of weights.
#pragma once

#include <cmath>

namespace headlight {

/// Weights p ≥ 0, divided by their sum: −Σ p log₂ p. NaN if a weight is NaN.
class RowEntropy {
 public:
  void add(double weight) {
    sum_ += weight;
    if (!(weight <= 0)) terms_ -= weight * std::log2(weight);
  }
  double sum() const { return sum_; }
  double bits() const { return sum_ > 0 ? terms_ / sum_ + std::log2(sum_) : terms_; }

 private:
  double sum_ = 0, terms_ = 0;
};

}  // namespace headlight
