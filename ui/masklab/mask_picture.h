// What the mask view shows, computed once for a trace, a view and a size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/pipeline/picture.h"

namespace headlight {

/// One pattern of the palette: its example at a small size.
struct PatternTile {
  std::string signature, predicate, expression;
  Tensor mask;  ///< [n, n], 1 = may attend
};

struct MaskPicture {
  HeatPicture mask, weights;  ///< side by side; where nothing is masked, `mask` is all ones
  Rect mask_card, weights_card;
  std::string statistics;     ///< allowed share and dead rows, in words
};

struct MaskKey {
  std::shared_ptr<const Trace> trace;
  Index batch = 0, head = 0;
  Theme theme = Theme::light;
  std::string colormap, language;
  Rect area{};
  float u = 0;
};

/// `area` in screen pixels.
MaskPicture make_mask_picture(const Frame& frame, Rect area);
/// Every pattern whose example needs nothing from a file.
std::vector<PatternTile> make_palette();

}  // namespace headlight
