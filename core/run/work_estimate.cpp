#include "core/run/work_estimate.h"

#include "core/run/stage_steps.h"

namespace headlight {

WorkEstimate::WorkEstimate(const Scenario& scenario, const Inputs& inputs) {
  std::array<bool, matrix_count> there{};
  const auto has = [&](Stage stage) { return there[static_cast<std::size_t>(stage)]; };
  for (const Stage stage : all_stages()) {
    const auto i = static_cast<std::size_t>(stage);
    before_[i] = whole_;
    there[i] = is_made(stage, scenario, inputs, has);
    const bool computed = there[i] && !inputs.matrix(stage).defined();
    work_[i] = computed && step_of(stage).work ? step_of(stage).work(inputs) : 0;
    whole_ += work_[i];
  }
}

double WorkEstimate::share(Stage stage, double part) const {
  const auto i = static_cast<std::size_t>(stage);
  return whole_ > 0 ? (before_[i] + part * work_[i]) / whole_ : 1;
}

}  // namespace headlight
