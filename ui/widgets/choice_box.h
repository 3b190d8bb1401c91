// A drop-down list.
#pragma once

#include <functional>
#include <optional>

#include "ui/frame/frame.h"

namespace headlight {

/// `name_of(i)` is the text of entry i of `count`; returns the clicked entry.
std::optional<int> choice_box(const Frame& frame, const char* id, int count, int chosen,
                              const std::function<const char*(int)>& name_of);

}  // namespace headlight
