// Taking the mask out of the window: into a file, or onto the clipboard as code.
#pragma once

#include "ui/document/action.h"
#include "ui/look/words.h"

namespace headlight {

/// The document's notice then says where it is, or its error why not.
void take_mask(Document& document, MaskFormat format, const Words& words);

}  // namespace headlight
