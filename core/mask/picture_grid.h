// The patches of a picture among a sequence's tokens, for row(), col() and neighborhood(r) of the mask language.
#pragma once

#include <string_view>

#include "core/tensor/tensor.h"

namespace headlight {

/// rows × columns patches, row by row from token `first` on. Other tokens (cls, registers, words) lie outside.
struct PictureGrid {
  Index rows = 0, columns = 0;  ///< 0: no grid
  Index first = 0;
  bool there() const { return rows > 0; }
  bool operator==(const PictureGrid&) const = default;
};

/// "14x14", the last 196 of `tokens`, or "24x24@5", those from token 5 on. Throws SettingError.
PictureGrid picture_grid(std::string_view text, Index tokens);

}  // namespace headlight
