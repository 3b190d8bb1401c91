// Statistics of each row of attention weights, and what is unusual about it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run/trace.h"

namespace headlight {

/// Why a row of weights is not a plain softmax, in order of priority.
enum class RowFlag : std::uint8_t {
  none,          ///< it sums to one
  dead_nan,      ///< no key is allowed: NaN, as from −∞ for every score
  dead_uniform,  ///< no key is allowed: equal weights, as from a finite fill
  dead_zero,     ///< no key is allowed: set to zero
  nan,           ///< NaN although some keys are allowed: NaN or +∞ among its scores
  dropout,       ///< dropout removed weights and scaled the others by 1/(1 − p)
  sink,          ///< a sink logit has a share
  leak,          ///< masked keys have weight: the fill is finite
};

struct RowStatistics {
  double sum = 0;
  double entropy = 0;  ///< bits, of the normalised row; NaN if the row is
  float maximum = 0;
  Index allowed = 0;  ///< number of keys that the mask allows
  RowFlag flag = RowFlag::none;
};

/// For every row of `weights` or `dropped_weights` at one batch entry and head.
std::vector<RowStatistics> row_statistics(const Trace& trace, Stage stage, Index batch, Index head);

/// "row.dropout" and the like: the translation key of the flag.
const char* word_of(RowFlag flag);

}  // namespace headlight
