// The memory that a run needs, by stage, computed from its sizes, so that a run that does not fit is refused
// beforehand.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"

namespace headlight {

struct StageNeed {
  Stage stage;
  double bytes = 0;  ///< double, so that it cannot overflow
};

/// What each input, parameter and stage of the run takes that is always stored; views take nothing.
std::vector<StageNeed> memory_needed(const Scenario& scenario, const Dims& dims);

/// Throws SettingError, which names the largest stages, if the machine has too little memory left.
void check_memory(const Scenario& scenario, const Dims& dims);

}  // namespace headlight
