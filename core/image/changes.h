// Inside core/image: what of a picture is new since the one before.
#pragma once

#include "core/image/png_image.h"

namespace headlight {

struct ChangedPart {
  int x = 0, y = 0, width = 0, height = 0;
};
/// The smallest rectangle outside of which `now` equals `before`; 0 wide where all does, everything where `before` is
/// empty.
ChangedPart changed_part(const Image& now, const Image& before);
/// That rectangle of `now`, see-through where it equals `before`, which the viewer still has.
Image changes(const Image& now, const Image& before, const ChangedPart& part);

}  // namespace headlight
