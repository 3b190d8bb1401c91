// Pictures that follow one another, as an animated PNG: every program shows it, and those that know no animation show
// the first picture. Format: https://www.w3.org/TR/png-3/ (acTL, fcTL, fdAT).
#pragma once

#include <cstdint>
#include <vector>

#include "core/image/png_image.h"

namespace headlight {

class AnimationWriter {
 public:
  /// All frames have the size of the first and are opaque: their alpha is ignored. A frame equal to the last one only
  /// lengthens it; of the others, what changed is kept. `seconds` is how long it stands, at most 65.
  void add(Image frame, double seconds);
  /// Whether it has the size of the frames so far.
  bool fits(const Image& frame) const;
  int frames() const { return static_cast<int>(frames_.size()); }
  /// The whole file, played for ever; at least one frame was added.
  std::vector<std::uint8_t> finish() const;

 private:
  struct Part {
    int x = 0, y = 0, width = 0, height = 0;
    double seconds = 0;
    std::vector<std::uint8_t> compressed;  ///< what the file's data chunks hold, joined
  };

  Image last_;
  std::vector<Part> frames_;
};

}  // namespace headlight
