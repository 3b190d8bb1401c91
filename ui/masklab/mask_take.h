// The mask out of the window: as a file, or as code on the clipboard.
#pragma once

#include "ui/document/document.h"
#include "ui/frame.h"

namespace headlight {

/// "Save: npy npz csv png   Copy as: PyTorch FlexAttention NumPy", ending at `right`. Gives its width.
float draw_mask_take(const Frame& frame, ImVec2 right);

}  // namespace headlight
