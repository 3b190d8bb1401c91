// What is done to a picture before a network sees it, as preprocessor_config.json says, and the patches it is cut into.
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

/// What a kind of preprocessor does where its file says nothing.
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
/// The grid of config.json's image_size and patch_size, and what is done to a picture before.
PictureSpec picture_of(NetworkBuilder& b, const Preprocessor& usual);

}  // namespace headlight
