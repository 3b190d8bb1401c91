// Pictures that follow one another, as an animated PNG: every program shows it, and those that know no animation show
// the first picture. Format: https://www.w3.org/TR/png-3/ (acTL, fcTL, fdAT).
#pragma once

#include <cstdint>
#include <memory>
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

// Pictures that follow one another, as a GIF: for chats and slides that play no animated PNG. Each frame has 256
// colours of its own, all of its colours where they are no more. Format:
// https://www.w3.org/Graphics/GIF/spec-gif89a.txt
class GifWriter {
 public:
  GifWriter();
  GifWriter(GifWriter&&) noexcept;
  GifWriter& operator=(GifWriter&&) noexcept;
  ~GifWriter();

  /// As AnimationWriter::add; times are kept to hundredths of a second, and what that rounds off is made up later.
  /// Throws InputError for more than 65,535 pixels a side, which the format has no number for.
  void add(Image frame, double seconds);
  bool fits(const Image& frame) const;
  int frames() const { return frames_; }
  /// The whole file, played for ever; at least one frame was added. Nothing can be added after it.
  std::vector<std::uint8_t> finish();

 private:
  struct File;
  /// The frame that waits for its time to be known.
  void write_last();

  std::unique_ptr<File> file_;
  Image shown_, last_;  ///< what the file shows so far; the frame that follows
  double seconds_ = 0;  ///< of the last
  double owed_ = 0;     ///< seconds that rounding left out
  int frames_ = 0;
};

/// At most `most` colours for the opaque pixels of a picture: its own where they suffice, else by median cut
/// (Heckbert 1982). `index` has one entry a pixel.
struct IndexedPicture {
  std::vector<Rgba> colours;
  std::vector<std::uint8_t> index;
};
IndexedPicture indexed(const Image& image, int most);

}  // namespace headlight
