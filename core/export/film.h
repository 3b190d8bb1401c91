// Films: a sequence of pictures, written as a file that plays them or as a folder of pictures for a video
// encoder.
#pragma once

#include <memory>
#include <string>

#include "core/image/png_image.h"

namespace headlight {

class Film {
 public:
  virtual ~Film() = default;
  /// All frames have the size of the first; `seconds` is how long the frame is shown, at most 65.
  virtual void add(Image frame, double seconds) = 0;
  virtual bool fits(const Image& frame) const = 0;
  /// Writes the whole film; a film that is destroyed before leaves no file. Throws FileError.
  virtual void finish() = 0;
};

/// By the ending of `path`: .png for an animated PNG, .gif, or a folder (a name that ends in /, or an existing one),
/// which gets 00001.png, 00002.png, …, `tick` seconds each; a frame that is shown longer is repeated. A
/// folder that holds anything but such pictures is refused. Throws FileError.
std::unique_ptr<Film> film_to(const std::string& path, double tick);

}  // namespace headlight
