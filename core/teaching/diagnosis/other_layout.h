// A stage that is right and saved in another layout.
#pragma once

#include <optional>

#include "core/teaching/diagnosis/own_stages.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

/// A difference that changes no weight and no output.
inline Finding nothing_changed(std::string why) { return {"harmless", std::move(why), true}; }

/// A stage in another layout: of one sequence alone or, if stages follow that agree, with its axes in another order or
/// cut otherwise. Unset if its numbers are not right.
std::optional<Finding> other_layout(const Trace& run, const OwnStage& mine, bool followed);

}  // namespace headlight
