// Picture files, read as PIL reads them.
#pragma once

#include <string>

#include "core/image/png_image.h"

namespace headlight {

/// A PNG or JPEG as opaque RGB, turned upright by EXIF: alpha is left out as PIL's convert("RGB") does, of 16 bits the
/// upper 8 are taken, of an animation the first picture. Throws FileError for what is no picture, cut off, or of more
/// than 100 million pixels, before these are decoded; and for a JPEG where the build found no libjpeg.
Image read_picture(const std::string& file);

/// Of a JPEG file's bytes, for read_picture().
Image read_jpeg(const std::string& file, const std::string& bytes);
/// Throws FileError where a picture has too many pixels.
void check_pixels(const std::string& file, double width, double height);

}  // namespace headlight
