// The offer to bring back what a window left behind that was not closed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ui/frame/frame.h"

namespace headlight {

enum class RecoveryAnswer : std::uint8_t { none, take, discard };

/// Over the top of the window. `name`: what was open, "" for random input.
RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when);

}  // namespace headlight
