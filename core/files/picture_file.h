// Picture files.
#pragma once

#include <string>

#include "core/image/png_image.h"

namespace headlight {

/// A PNG as opaque RGB: alpha is left out as PIL's convert("RGB") does, of 16 bits the upper 8 are taken, of an
/// animation the first picture. Throws FileError for what is no picture, cut off, or of more than 100 million pixels,
/// before these are decoded.
Image read_picture(const std::string& file);

}  // namespace headlight
