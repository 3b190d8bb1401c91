// A PNG file that says what it shows.
#pragma once

#include <string>

#include "core/image/png_image.h"

namespace headlight {

/// As encode_png(); `about` is its description, in UTF-8, "" for none.
std::vector<std::uint8_t> encode_described_png(const Image& image, float dots_per_inch, const std::string& about);

}  // namespace headlight
