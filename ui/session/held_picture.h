// A presentation's picture that is held while the document behind it changes.
#pragma once

#include "ui/document/document.h"
#include "ui/frame/frame.h"
#include "ui/look/words.h"
#include "ui/timeline/timeline.h"

namespace headlight {

struct HeldPicture {
  Document document;  ///< as it was
  Timeline timeline;
  Words words;
};

/// In the corner: what its stillness is, and what ends it.
void draw_held_mark(const Frame& frame, ImVec2 window);

}  // namespace headlight
