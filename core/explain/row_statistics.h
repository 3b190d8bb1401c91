// What each row of attention weights amounts to, and what is odd about it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run/trace.h"

namespace headlight {

/// Why a row of weights is not what a softmax gives, most telling first.
enum class RowFlag : std::uint8_t {
  none,          ///< it sums to one
  dead_nan,      ///< no key may be attended to: NaN, as −∞ for every score gives
  dead_uniform,  ///< no key may be attended to: the same weight for every key, as a finite fill gives
  dead_zero,     ///< no key may be attended to: set to zero
  nan,           ///< NaN although some keys may be attended to: NaN or +∞ among its scores
  dropout,       ///< dropout took some weights and scaled the others by 1/(1 − p)
  sink,          ///< a sink logit took its share
  leak,          ///< masked keys have weight: the fill is finite
};

struct RowStatistics {
  double sum = 0;
  double entropy = 0;  ///< bits, of the row divided by its sum; NaN where the row is
  float maximum = 0;
  Index allowed = 0;  ///< keys that the mask lets through
  RowFlag flag = RowFlag::none;
};

/// Of every row of `weights` or `dropped_weights` at one batch entry and head.
std::vector<RowStatistics> row_statistics(const Trace& trace, Stage stage, Index batch, Index head);

/// "row.dropout" and the like: the key of the flag's sentence in the table of words.
const char* word_of(RowFlag flag);

}  // namespace headlight
