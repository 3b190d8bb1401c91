// What a network of pictures does to one before it looks at it: resized as PIL resizes, cropped, normalised.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/image/png_image.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// PIL's filters, by its numbers.
enum class Resampling : std::uint8_t { nearest, lanczos, bilinear, bicubic, box, hamming };
std::string_view name(Resampling filter);

/// In this order; a size of 0 leaves a step out.
struct PictureSteps {
  int width = 0, height = 0;  ///< resized to,
  int shorter_side = 0;       ///< or to this, the longer side in proportion
  Resampling filter = Resampling::bilinear;
  int crop_width = 0, crop_height = 0;  ///< out of the middle; what lies outside is black
  float factor = 1.0F / 255;            ///< times the bytes
  std::array<float, 3> mean{0, 0, 0}, deviation{1, 1, 1};
};

/// As PIL's Image.resize of 8-bit channels: horizontally, then vertically, with weights in fixed point; a filter is
/// widened where the picture gets smaller.
Image resized(const Image& image, int width, int height, Resampling filter);
/// Resized and cropped. Throws FileError about `file` where that takes more pixels than a picture may have.
Image prepared(const Image& image, const PictureSteps& steps, const std::string& file);
/// [3, height, width]: (byte · factor − mean) / deviation.
Tensor pixels_of(const Image& image, const PictureSteps& steps);

}  // namespace headlight
