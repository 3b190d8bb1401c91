// The views that the middle of the window can show, listed once (registry.cpp), in the order of their tabs. Tabs, help
// and the tests that draw every view follow.
#pragma once

#include <span>

#include "ui/frame/view_entry.h"

namespace headlight {

std::span<const ViewEntry> all_views();
const ViewEntry& view_entry(ViewKind kind);

}  // namespace headlight
