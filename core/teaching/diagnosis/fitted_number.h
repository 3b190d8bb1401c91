// A number of the settings that the user's code has otherwise: found by trying usual ones and by fitting.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {

/// In runs of more scores a search of a number costs seconds.
constexpr Index scores_to_search_in = 1 << 20;

struct Number {
  double now = 0;                         ///< this run's
  double low = 0, high = 0;               ///< both positive: the search is over the logarithm
  std::vector<double> usual{};            ///< numbers that people type
  std::optional<double> seen{};           ///< the number that the user's stages show, tried before the search
  std::function<Variant(double)> with{};  ///< the computation with another number, without explanation
  std::function<std::string(const std::string& number)> words{};  ///< the explanation
};

/// The variant whose number fits best; none if no number fits clearly better than the run's own. Numbers that fit
/// equally well are named too. Where nothing can be fitted: a variant for each of the usual numbers.
Variants fitted(const Suspect& suspect, const Number& number);

}  // namespace headlight::mistakes
