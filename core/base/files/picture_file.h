// Picture files, read as PIL reads them.
#pragma once

#include <string>

#include "core/base/image/png_image.h"

namespace headlight {

/// Reads a PNG or JPEG as opaque RGB, rotated according to EXIF. Alpha is dropped as PIL's convert("RGB") does; of 16
/// bits the upper 8 are used; of an animation the first picture. Throws FileError if the file is not a picture, is
/// truncated, or has more than 100 million pixels (before decoding them), and for a JPEG if the program was built
/// without libjpeg.
Image read_picture(const std::string& file);

/// Decodes the bytes of a JPEG file, for read_picture().
Image read_jpeg(const std::string& file, const std::string& bytes);
/// Throws FileError if a picture has too many pixels.
void check_pixels(const std::string& file, double width, double height);

}  // namespace headlight
