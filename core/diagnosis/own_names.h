// Common names of stages in users' code.
#pragma once

#include <optional>
#include <string_view>

#include "core/run/trace.h"

namespace headlight {

/// The stage that an array of this name and shape probably is: `attn` the weights, `context` the head outputs or
/// concat, by their shape. Unset if unknown.
std::optional<Stage> probable_stage(std::string_view array, const Shape& shape, const Trace& trace);

}  // namespace headlight
