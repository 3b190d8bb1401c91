// Opening a mask, saving it, and copying it as code.
#pragma once

#include "ui/document/document.h"
#include "ui/frame/frame.h"

namespace headlight {

/// Draws "Open a mask…   Save: npy npz csv png   Copy as: PyTorch FlexAttention NumPy", ending at `right`; shorter if
/// it would begin before `left`.
void draw_mask_take(const Frame& frame, float left, ImVec2 right);

}  // namespace headlight
