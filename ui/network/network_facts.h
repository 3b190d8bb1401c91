// What the network view shows besides the overview; computed in parts and kept while the trace stays.
#pragma once

#include <memory>

#include "ui/frame/frame.h"
#include "ui/network/network_scene.h"

namespace headlight {

/// The facts computed so far, and a version that changes with them.
struct FactsSoFar {
  NetworkFacts facts;
  int version = 0;
};
const FactsSoFar& network_facts(const Frame& frame, const HeadOverview& overview);

struct NetworkRun;

/// Empty if there is no second sentence.
PatchShown patch_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
/// The means of heads over the network's sentences, or over those that the view names; null until they are computed,
/// and where there are none.
std::shared_ptr<const MeanHeads> means_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
StudyShown study_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);

}  // namespace headlight
