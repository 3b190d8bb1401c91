// The views of the window's middle, in the order of their tabs (registry.cpp). Tabs, help and the tests that draw every
// view use this list.
#pragma once

#include <span>

#include "ui/frame/view_entry.h"

namespace headlight {

std::span<const ViewEntry> all_views();
const ViewEntry& view_entry(ViewKind kind);

}  // namespace headlight
