#include "core/run/masks_over.h"

namespace headlight {

CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head) {
  CellMasks masks;
  const bool after_mask = stage == Stage::masked_scores || stage == Stage::weights || stage == Stage::dropped_weights;
  if (after_mask && trace.has(Stage::mask)) masks.allowed = trace[Stage::mask].matrix(batch, head);
  if (stage == Stage::dropped_weights) masks.kept = trace.dropout_keep.matrix(batch, head);
  masks.show_leaks = stage != Stage::masked_scores;
  return masks;
}

}  // namespace headlight
