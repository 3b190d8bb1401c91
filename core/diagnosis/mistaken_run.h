// A run with a known mistake: the stages that a user who makes it would save.
#pragma once

#include <memory>
#include <string>

#include "core/diagnosis/own_stages.h"
#include "core/run/pipeline.h"

namespace headlight {

/// All stages from the projections on, as the user would have saved them.
OwnStages own_stages_of(const Trace& trace);
/// The stages of `trace` from the projections on, with that mistake. Throws SettingError if the mistake is unknown, or
/// cannot be made in this run.
OwnStages mistaken_stages(const std::string& mistake, std::size_t variant, const std::shared_ptr<const Trace>& trace,
                          const Run& run = {});

}  // namespace headlight
