// Pictures as pixels, and as PNG files in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/image/theme.h"

namespace headlight {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  ///< 4 bytes a pixel, row by row from the top left, not premultiplied

  Image() = default;
  Image(int w, int h, Rgba fill = {0, 0, 0, 0});
  Rgba at(int x, int y) const;
  void set(int x, int y, Rgba colour);
};

/// A whole PNG file: RGB where every pixel is opaque, else RGBA. `dots_per_inch` is noted in it, so that a paper places
/// the picture at its true size; 0 leaves it out.
std::vector<std::uint8_t> encode_png(const Image& image, float dots_per_inch = 0);
/// The same, always RGBA.
std::vector<std::uint8_t> encode_rgba_png(const Image& image);
struct PngSize {
  std::uint32_t width = 0, height = 0;
};
/// What a PNG file says of its size, without decoding it: 65 bytes can claim 20000 × 20000. Throws FileError as
/// decode_png.
PngSize png_size(std::span<const std::uint8_t> file);
/// Throws FileError for what is not a PNG.
Image decode_png(std::span<const std::uint8_t> file);

}  // namespace headlight
