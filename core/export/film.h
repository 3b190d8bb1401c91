// Films: pictures that follow one another, into a file that plays them or into a folder of pictures that an encoder
// takes.
#pragma once

#include <memory>
#include <string>

#include "core/image/png_image.h"

namespace headlight {

class Film {
 public:
  virtual ~Film() = default;
  /// All frames have the size of the first; `seconds` is how long it stands, at most 65.
  virtual void add(Image frame, double seconds) = 0;
  virtual bool fits(const Image& frame) const = 0;
  /// The whole film, or, where it is let go of before, nothing. Throws FileError.
  virtual void finish() = 0;
};

/// By the ending of `path`: .png for an animated PNG, .gif, or a folder (a name that ends in /, or one that is there),
/// which gets 00001.png, 00002.png, … that stand `tick` seconds each: one that stands longer comes several times. A
/// folder that holds anything but such pictures is refused. Throws FileError.
std::unique_ptr<Film> film_to(const std::string& path, double tick);

}  // namespace headlight
