// Copies a matrix or the mask, or saves it to a file.
#pragma once

#include "ui/document/action.h"
#include "ui/look/words.h"

namespace headlight {

/// Numbers have as few digits as reproduce the float32; figures have the window's colours. The result is shown as a
/// notice or an error.
void take_matrix(Document& document, const TakeMatrix& take, const Words& words);

/// Saves the mask to a file, or copies it as code. The result is shown as a notice or an error.
void take_mask(Document& document, MaskFormat format, const Words& words);

}  // namespace headlight
