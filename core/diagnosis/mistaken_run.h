// A known mistake made on purpose: the stages that somebody who makes it would save.
#pragma once

#include <memory>
#include <string>

#include "core/diagnosis/own_stages.h"
#include "core/run/pipeline.h"

namespace headlight {

/// Every stage of a run from the projections on, as somebody who computed it would have saved them.
OwnStages own_stages_of(const Trace& trace);
/// The stages from the projections on of `trace` with that mistake in it. Throws SettingError where the mistake is not
/// known, or cannot be made in this run.
OwnStages mistaken_stages(const std::string& mistake, std::size_t variant, const std::shared_ptr<const Trace>& trace,
                          const Run& run = {});

}  // namespace headlight
