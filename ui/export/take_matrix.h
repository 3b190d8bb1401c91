// Taking a matrix or the mask out of the window: onto the clipboard or into a file.
#pragma once

#include "ui/document/action.h"
#include "ui/look/words.h"

namespace headlight {

/// Numbers have as few digits as reproduce the float32; figures have the window's colours. The result is shown as a
/// notice or an error.
void take_matrix(Document& document, const TakeMatrix& take, const Words& words);

/// Into a file, or onto the clipboard as code. The document's notice then says where it is, or its error why not.
void take_mask(Document& document, MaskFormat format, const Words& words);

}  // namespace headlight
