#include "core/run/trace.h"

namespace headlight {

const Tensor& Trace::operator[](Stage stage) const {
  if (is_measure(stage)) return contributions;
  return is_parameter(stage) ? inputs.matrix(stage) : records[static_cast<std::size_t>(stage)].output;
}

std::vector<Stage> Trace::stages() const {
  std::vector<Stage> present;
  for (const Stage stage : all_stages()) {
    if (has(stage)) present.push_back(stage);
  }
  return present;
}

CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head) {
  CellMasks masks;
  const Cover cover = info(stage).cover;
  if (cover != Cover::none && trace.has(Stage::mask)) masks.allowed = trace[Stage::mask].matrix(batch, head);
  if (cover == Cover::mask_and_dropout && trace.dropout_keep.defined())
    masks.kept = trace.dropout_keep.matrix(batch, head);
  masks.show_leaks = info(stage).lane == Lane::weights;
  return masks;
}

}  // namespace headlight
