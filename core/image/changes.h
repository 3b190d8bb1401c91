// Inside core/image: the difference between two pictures.
#pragma once

#include "core/image/png_image.h"

namespace headlight {

struct ChangedPart {
  int x = 0, y = 0, width = 0, height = 0;
};
/// The smallest rectangle outside of which `now` equals `before`; width 0 if they are equal, everything if `before` is
/// empty.
ChangedPart changed_part(const Image& now, const Image& before);
/// That rectangle of `now`, transparent where it equals `before`.
Image changes(const Image& now, const Image& before, const ChangedPart& part);

}  // namespace headlight
