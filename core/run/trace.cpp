#include "core/run/trace.h"

namespace headlight {

const Tensor& Trace::operator[](Stage stage) const {
  return is_parameter(stage) ? inputs.matrix(stage) : records[static_cast<std::size_t>(stage)].output;
}

std::vector<Stage> Trace::stages() const {
  std::vector<Stage> present;
  for (const Stage stage : all_stages()) {
    if (has(stage)) present.push_back(stage);
  }
  return present;
}

}  // namespace headlight
