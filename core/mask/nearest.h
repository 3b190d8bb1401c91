// The name a person probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headlight {

/// Of `names`, the one fewest slips (a letter added, lost, replaced, or two swapped; case is free) away from `typed`;
/// empty if even that one is more than a third of its letters off.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

}  // namespace headlight
