// How a vision network prepares a picture: it resizes it like PIL, crops it and normalises it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/image/png_image.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

/// PIL's filters, with its numbers.
enum class Resampling : std::uint8_t { nearest, lanczos, bilinear, bicubic, box, hamming };
std::string_view name(Resampling filter);

/// Applied in this order; a size of 0 skips a step.
struct PictureSteps {
  int width = 0, height = 0;  ///< target size
  int shorter_side = 0;       ///< or the target length of the shorter side; the longer side keeps the proportion
  Resampling filter = Resampling::bilinear;
  int crop_width = 0, crop_height = 0;  ///< from the centre; pixels outside the picture are black
  float factor = 1.0F / 255;            ///< multiplies the bytes
  std::array<float, 3> mean{0, 0, 0}, deviation{1, 1, 1};
};

/// Like PIL's Image.resize for 8-bit channels: horizontally, then vertically, with fixed-point weights. A filter is
/// widened when it shrinks the picture.
Image resized(const Image& image, int width, int height, Resampling filter);
/// Resized and cropped. Throws FileError about `file` if the result has more pixels than a picture may have.
Image prepared(const Image& image, const PictureSteps& steps, const std::string& file);
/// [3, height, width]: (byte · factor − mean) / deviation.
Tensor pixels_of(const Image& image, const PictureSteps& steps);

}  // namespace headlight
