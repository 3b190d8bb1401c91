// Names that people give to stages.
#pragma once

#include <optional>
#include <string_view>

#include "core/run/trace.h"

namespace headlight {

/// Which stage of the trace an array of this name and shape probably is: `attn` the weights, `context` the head outputs
/// or concat, by their shape. Nothing where nothing comes to mind.
std::optional<Stage> probable_stage(std::string_view array, const Shape& shape, const Trace& trace);

}  // namespace headlight
