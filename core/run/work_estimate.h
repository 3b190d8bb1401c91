// How much work each stage of a run is, for the progress bar.
#pragma once

#include <array>

#include "core/scenario/inputs.h"

namespace headlight {

class WorkEstimate {
 public:
  WorkEstimate(const Scenario& scenario, const Inputs& inputs);
  /// The share of the whole, 0…1, that is done when `part` (0…1) of `stage` and everything before it is.
  double share(Stage stage, double part) const;

 private:
  std::array<double, stage_count> before_{};  ///< work of the stages before each
  std::array<double, stage_count> work_{};
  double whole_ = 0;
};

}  // namespace headlight
