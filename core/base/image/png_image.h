// Pictures as pixels, and as PNG files in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/image/theme.h"

namespace headlight {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  ///< 4 bytes per pixel, row by row from the top left, not premultiplied

  Image() = default;
  Image(int w, int h, Rgba fill = {0, 0, 0, 0});
  Rgba at(int x, int y) const;
  void set(int x, int y, Rgba colour);
};

/// A whole PNG file: RGB if every pixel is opaque, otherwise RGBA. `dots_per_inch` is stored in it, so that documents
/// show the picture at its true size; 0 omits it.
std::vector<std::uint8_t> encode_png(const Image& image, float dots_per_inch = 0);
/// Always RGBA.
std::vector<std::uint8_t> encode_rgba_png(const Image& image);
struct PngSize {
  std::uint32_t width = 0, height = 0;
};
/// What a PNG file says of its size, without decoding it: 65 bytes can claim 20000 × 20000. Throws FileError as
/// decode_png.
PngSize png_size(std::span<const std::uint8_t> file);
/// Throws FileError for what is not a PNG.
Image decode_png(std::span<const std::uint8_t> file);

/// As encode_png(); `about` is its description, in UTF-8, "" for none.
std::vector<std::uint8_t> encode_described_png(const Image& image, float dots_per_inch, const std::string& about);

struct ChangedPart {
  int x = 0, y = 0, width = 0, height = 0;
};
/// The smallest rectangle outside of which `now` equals `before`; width 0 if they are equal, everything if `before` is
/// empty.
ChangedPart changed_part(const Image& now, const Image& before);
/// That rectangle of `now`, transparent where it equals `before`.
Image changes(const Image& now, const Image& before, const ChangedPart& part);

}  // namespace headlight
