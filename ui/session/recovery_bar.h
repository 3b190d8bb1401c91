// The offer to recover a document that a crashed window left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ui/frame/frame.h"

namespace headlight {

enum class RecoveryAnswer : std::uint8_t { none, take, discard };

/// Draws it at the top of the window. `name`: the document's name, "" for random input.
RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when);

}  // namespace headlight
