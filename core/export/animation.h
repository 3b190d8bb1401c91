// Sequences of pictures: as an animated PNG, as a GIF, and as a film of either kind or a folder of pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/image/png_image.h"

namespace headlight {

/// An animated PNG: programs without animation support show the first picture. Format: https://www.w3.org/TR/png-3/
/// (acTL, fcTL, fdAT).
class AnimationWriter {
 public:
  /// All frames have the size of the first and are opaque: alpha is ignored. A frame equal to the last one only extends
  /// its duration; of other frames, only the changed part is stored. `seconds` is the duration, at most 65.
  void add(Image frame, double seconds);
  /// Whether the frame has the size of the previous frames.
  bool fits(const Image& frame) const;
  int frames() const { return static_cast<int>(frames_.size()); }
  /// The whole file, repeated forever; at least one frame must have been added.
  std::vector<std::uint8_t> finish() const;

 private:
  struct Part {
    int x = 0, y = 0, width = 0, height = 0;
    double seconds = 0;
    std::vector<std::uint8_t> compressed;  ///< contents of the file's data chunks, concatenated
  };

  Image last_;
  std::vector<Part> frames_;
};

/// A GIF, for chats and slides that do not play animated PNGs. Each frame has its own 256 colours; these are exact if
/// it has no more. Format: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
class GifWriter {
 public:
  GifWriter();
  GifWriter(GifWriter&&) noexcept;
  GifWriter& operator=(GifWriter&&) noexcept;
  ~GifWriter();

  /// As AnimationWriter::add. Times are in hundredths of a second; rounding errors are compensated in later frames.
  /// Throws InputError for more than 65,535 pixels per side, the limit of the format.
  void add(Image frame, double seconds);
  bool fits(const Image& frame) const;
  int frames() const { return frames_; }
  /// The whole file, repeated forever; at least one frame must have been added. No frame can be added afterwards.
  std::vector<std::uint8_t> finish();

 private:
  struct File;
  /// Writes the last frame, once its duration is known.
  void write_last();

  std::unique_ptr<File> file_;
  Image shown_, last_;  ///< the picture in the file so far; the next frame
  double seconds_ = 0;  ///< of the last
  double owed_ = 0;     ///< seconds lost by rounding
  int frames_ = 0;
};

/// At most `most` colours for the opaque pixels of a picture: its own if they suffice, otherwise by median cut
/// (Heckbert 1982). `index` has one entry per pixel.
struct IndexedPicture {
  std::vector<Rgba> colours;
  std::vector<std::uint8_t> index;
};
IndexedPicture indexed(const Image& image, int most);

/// Written as a file that plays the pictures, or as a folder of them for a video encoder.
class Film {
 public:
  virtual ~Film() = default;
  /// All frames have the size of the first; `seconds` is how long the frame is shown, at most 65.
  virtual void add(Image frame, double seconds) = 0;
  virtual bool fits(const Image& frame) const = 0;
  /// Writes the whole film; a film that is destroyed before finish() leaves no file. Throws FileError.
  virtual void finish() = 0;
};

/// Chosen by `path`: .png for an animated PNG, .gif, or a folder (a name that ends in /, or an existing folder). A
/// folder gets 00001.png, 00002.png, …, `tick` seconds each; a frame with a longer duration is repeated. A folder with
/// any other contents is refused. Throws FileError.
std::unique_ptr<Film> film_to(const std::string& path, double tick);

}  // namespace headlight
