// The views that the middle of the window can show, listed once (registry.cpp), in the order of their tabs. Tabs, help,
// the words of --view and the tests that draw every view follow.
#pragma once

#include <string_view>

#include "ui/frame/view_entry.h"

namespace headlight {

std::span<const ViewEntry> all_views();
const ViewEntry& view_entry(ViewKind kind);
/// Throws SettingError that lists the names there are.
ViewKind view_named(std::string_view name);

}  // namespace headlight
