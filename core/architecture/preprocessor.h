// How a picture is prepared for a network, by preprocessor_config.json, and the patches it is cut into.
#pragma once

#include <array>
#include <string>

#include "core/architecture/network_builder.h"

namespace headlight {

/// {"height", "width"}, a number for both, or {"shortest_edge"} alone.
struct SizeSaid {
  int width = 0, height = 0, shorter_side = 0;
};
SizeSaid size_said(const Config& config, const char* field, bool number_is_shorter_side = false);

/// The defaults of a kind of preprocessor.
struct Preprocessor {
  bool crops = false;
  bool number_is_shorter_side = false;
  Resampling filter = Resampling::bilinear;
  std::array<float, 3> mean{0.5F, 0.5F, 0.5F}, deviation{0.5F, 0.5F, 0.5F};
};

/// preprocessor_config.json beside config.json; without one, what is usual, at `width` × `height`.
PictureSteps steps_of(NetworkBuilder& b, const Preprocessor& usual, int width, int height);
/// Square patches of a picture of this size.
void set_grid(const NetworkBuilder& b, PictureSpec& picture, const SizeSaid& image);
/// The grid from config.json's image_size and patch_size, and how a picture is prepared.
PictureSpec picture_of(NetworkBuilder& b, const Preprocessor& usual);

}  // namespace headlight
