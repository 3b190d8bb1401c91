// The mask in and out of the window: from a file, as a file, or as code on the clipboard.
#pragma once

#include "ui/document/document.h"
#include "ui/frame/frame.h"

namespace headlight {

/// "Open a mask…   Save: npy npz csv png   Copy as: PyTorch FlexAttention NumPy", ending at `right`; shorter where it
/// would begin before `left`.
void draw_mask_take(const Frame& frame, float left, ImVec2 right);

}  // namespace headlight
