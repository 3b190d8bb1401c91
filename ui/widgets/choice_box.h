// A choice among many, of which one is shown until it is clicked: a drop-down list.
#pragma once

#include <functional>
#include <optional>

#include "ui/frame/frame.h"

namespace headlight {

/// `name_of(i)` names the i-th of `count`; gives the one that was clicked.
std::optional<int> choice_box(const Frame& frame, const char* id, int count, int chosen,
                              const std::function<const char*(int)>& name_of);

}  // namespace headlight
