#include "core/scenario/model_layer.h"

namespace headlight {

const OwnRules& own_rules(const Inputs& inputs) {
  static const OwnRules none;
  const auto* layer = dynamic_cast<const ModelLayer*>(inputs.file.get());
  return layer ? layer->own : none;
}

std::shared_ptr<const TensorFile> file_under(const std::shared_ptr<const TensorFile>& file) {
  const auto* layer = dynamic_cast<const ModelLayer*>(file.get());
  return layer ? layer->file : file;
}

std::shared_ptr<const Scenario> asked_of(const Inputs& inputs) {
  const auto* layer = dynamic_cast<const ModelLayer*>(inputs.file.get());
  return layer ? layer->asked : nullptr;
}

std::shared_ptr<const NetworkRun> network_of(const Inputs& inputs) {
  const auto* layer = dynamic_cast<const ModelLayer*>(inputs.file.get());
  return layer ? layer->pass : nullptr;
}

}  // namespace headlight
