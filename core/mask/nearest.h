// Suggests the name that a user probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headlight {

/// The one of `names` with the smallest edit distance to `typed` (insertion, deletion, substitution, transposition;
/// ignoring case); empty if more than a third of its letters differ.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

}  // namespace headlight
