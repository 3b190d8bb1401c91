// How much memory a run takes, by stage, known from its sizes alone: what does not fit is refused before it is taken.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"

namespace headlight {

struct StageNeed {
  Stage stage;
  double bytes = 0;  ///< a double, so that no sizes overflow it
};

/// What each input, parameter and stage of such a run takes that is held in any case; views and scores take nothing.
std::vector<StageNeed> memory_needed(const Scenario& scenario, const Dims& dims);

/// Throws SettingError, naming the largest stages, where the whole is more than the machine has left.
void check_memory(const Scenario& scenario, const Dims& dims);

}  // namespace headlight
