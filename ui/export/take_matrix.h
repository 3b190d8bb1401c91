// Taking a matrix or the mask out of the window: onto the clipboard or into a file.
#pragma once

#include "ui/document/action.h"
#include "ui/look/words.h"

namespace headlight {

/// Numbers in the fewest digits that give the same float32 back; a figure in the window's colours. The document's
/// notice then says what was copied or where the file is, or its error why there is none.
void take_matrix(Document& document, const TakeMatrix& take, const Words& words);

/// Into a file, or onto the clipboard as code. The document's notice then says where it is, or its error why not.
void take_mask(Document& document, MaskFormat format, const Words& words);

}  // namespace headlight
