#include "core/run/masks_over.h"

namespace headlight {

CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head) {
  CellMasks masks;
  const Cover cover = info(stage).cover;
  if (cover != Cover::none && trace.has(Stage::mask)) masks.allowed = trace[Stage::mask].matrix(batch, head);
  if (cover == Cover::mask_and_dropout) masks.kept = trace.dropout_keep.matrix(batch, head);
  masks.show_leaks = info(stage).lane == Lane::weights;
  return masks;
}

}  // namespace headlight
