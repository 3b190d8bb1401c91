// Pictures that follow one another: as an animated PNG, as a GIF, and as a film of either kind or a folder of pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/image/png_image.h"

namespace headlight {

/// An animated PNG. Programs without support for animation show the first picture. Format:
/// https://www.w3.org/TR/png-3/ (acTL, fcTL, fdAT).
class AnimationWriter {
 public:
  /// All frames have the size of the first and are opaque: their alpha is ignored. A frame that equals the last one
  /// only lengthens it; of other frames, only the changed part is stored. The frame is shown for `seconds`, at most 65.
  void add(Image frame, double seconds);
  int frames() const { return static_cast<int>(frames_.size()); }
  /// The whole file, which repeats without end. Requires at least one frame.
  std::vector<std::uint8_t> finish() const;

 private:
  struct PngFrame {
    int x = 0, y = 0, width = 0, height = 0;
    double seconds = 0;
    std::vector<std::uint8_t> compressed;  ///< what the file's data chunks hold, joined
  };

  Image last_;
  std::vector<PngFrame> frames_;
};

/// A GIF, for chats and slides that do not play an animated PNG. Each frame has a palette of its own; a frame of at
/// most 255 colours keeps them. Format: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
class GifWriter {
 public:
  GifWriter();
  ~GifWriter();

  /// Like AnimationWriter::add(). Times are rounded to hundredths of a second; the next frames make up for the error.
  /// Throws InputError for a side of more than 65,535 pixels, the largest size in the format.
  void add(Image frame, double seconds);
  int frames() const { return frames_; }
  /// The whole file, which repeats without end. Requires at least one frame; nothing can be added afterwards.
  std::vector<std::uint8_t> finish();

 private:
  struct File;
  /// Writes the last frame. It had to wait until the next one, since its time was unknown.
  void write_last();

  std::unique_ptr<File> file_;
  Image shown_, last_;  ///< what the file shows so far; the frame that follows
  double seconds_ = 0;  ///< of the last
  double owed_ = 0;     ///< seconds that rounding left out
  int frames_ = 0;
};

/// At most `most` colours for the opaque pixels of a picture: its own colours if it has no more, otherwise the result
/// of median cut (Heckbert 1982). `index` has one entry per pixel.
struct IndexedPicture {
  std::vector<Rgba> colours;
  std::vector<std::uint8_t> index;
};
IndexedPicture indexed(const Image& image, int most);

/// Writes pictures as a file that plays them, or as a folder of pictures for a video encoder.
class Film {
 public:
  virtual ~Film() = default;
  /// All frames have the size of the first; `seconds` is how long the frame is shown, at most 65.
  void add(Image frame, double seconds) {
    width_ = frame.width, height_ = frame.height;
    append(std::move(frame), seconds);
  }
  /// Whether it has the size of the frames so far.
  bool fits(const Image& frame) const { return width_ == 0 || (frame.width == width_ && frame.height == height_); }
  /// Writes the whole film; a film that is destroyed before leaves no file. Throws FileError.
  virtual void finish() = 0;

 private:
  virtual void append(Image frame, double seconds) = 0;

  int width_ = 0, height_ = 0;
};

/// By the ending of `path`: .png for an animated PNG, .gif, or a folder (a name that ends in /, or an existing one),
/// which gets 00001.png, 00002.png, …, `tick` seconds each; a frame that is shown longer is repeated. A folder that
/// holds anything but such pictures is refused. Throws FileError.
std::unique_ptr<Film> film_to(const std::string& path, double tick);

}  // namespace headlight
