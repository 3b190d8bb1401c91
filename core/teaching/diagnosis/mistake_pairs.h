// Two mistakes at once.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/teaching/diagnosis/mistakes.h"

namespace headlight {

/// A variant of a mistake, and its place among the mistake's.
struct KnownVariant {
  const Mistake* mistake;
  Variant variant;
  std::size_t place;
};

/// Both changes together; nothing if both replace the same stage.
std::optional<Variant> both(const Variant& a, const Variant& b);

/// The pairs of different mistakes, the likeliest first: of the first variants of both, a step and the mask, another
/// and the mask, any two; then of later variants. Any two only if none is rare, or if the last stage alone differs.
std::vector<std::pair<std::size_t, std::size_t>> likely_pairs(const std::vector<KnownVariant>& known,
                                                              bool only_last_differs);

}  // namespace headlight
