#include <cmath>
#include <cstring>

#include <gif_lib.h>

#include "core/figures/export/animation.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

struct Reader {
  const std::vector<std::uint8_t>& bytes;
  std::size_t at = 0;
};

int read_bytes(GifFileType* gif, GifByteType* out, int count) {
  auto& reader = *static_cast<Reader*>(gif->UserData);
  const auto left = static_cast<int>(reader.bytes.size() - reader.at);
  const int taken = std::min(count, left);
  std::memcpy(out, reader.bytes.data() + reader.at, static_cast<std::size_t>(taken));
  reader.at += static_cast<std::size_t>(taken);
  return taken;
}

struct Shown {
  Image image;
  int delay = 0;
};

/// The frames that a player shows.
std::vector<Shown> play(const std::vector<std::uint8_t>& file) {
  Reader reader{file};
  int error = 0;
  GifFileType* gif = DGifOpen(&reader, read_bytes, &error);
  REQUIRE(gif != nullptr);
  REQUIRE(DGifSlurp(gif) == GIF_OK);
  Image canvas(gif->SWidth, gif->SHeight);
  std::vector<Shown> shown;
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& frame = gif->SavedImages[i];
    GraphicsControlBlock control{};
    REQUIRE(DGifSavedExtensionToGCB(gif, i, &control) == GIF_OK);
    const GifImageDesc& at = frame.ImageDesc;
    for (int y = 0; y < at.Height; ++y) {
      for (int x = 0; x < at.Width; ++x) {
        const int index = frame.RasterBits[y * at.Width + x];
        if (index == control.TransparentColor) continue;
        const GifColorType& c = at.ColorMap->Colors[index];
        canvas.set(at.Left + x, at.Top + y, {c.Red, c.Green, c.Blue, 255});
      }
    }
    shown.push_back({canvas, control.DelayTime});
  }
  DGifCloseFile(gif, &error);
  return shown;
}

}  // namespace

TEST_CASE("a GIF of few colours has the exact pixels and times of its frames") {
  GifWriter writer;
  Image frame(30, 20, {250, 250, 250, 255});
  writer.add(frame, 0.5);
  const Image first = frame;
  for (int i = 0; i < 12; ++i) frame.set(3 + i, 5, {static_cast<std::uint8_t>(20 * i), 10, 20, 255});
  writer.add(frame, 0.125);
  writer.add(frame, 0.125);  // an equal frame makes the last one stay longer
  frame.set(29, 19, {1, 2, 3, 255});
  writer.add(frame, 0.084);
  REQUIRE(writer.frames() == 3);
  const auto shown = play(writer.finish());
  REQUIRE(shown.size() == 3);
  CHECK(shown[0].image.rgba == first.rgba);
  CHECK(shown[2].image.rgba == frame.rgba);
  CHECK(shown[0].delay == 50);
  CHECK(shown[1].delay == 25);
  CHECK(shown[2].delay == 8);
}

TEST_CASE("a GIF's times are rounded to hundredths of a second, and the error does not accumulate") {
  GifWriter writer;
  for (int i = 0; i < 30; ++i) writer.add(Image(8, 8, {static_cast<std::uint8_t>(i), 0, 0, 255}), 1.0 / 30);
  int total = 0;
  for (const Shown& shown : play(writer.finish())) total += shown.delay;
  CHECK(total == 100);
}

TEST_CASE("a picture of thousands of colours stays similar with 255 colours") {
  Image picture(128, 128);
  for (int y = 0; y < 128; ++y) {
    for (int x = 0; x < 128; ++x)
      picture.set(x, y, {static_cast<std::uint8_t>(2 * x), static_cast<std::uint8_t>(2 * y), 128, 255});
  }
  const IndexedPicture palette = indexed(picture, 255);
  REQUIRE(palette.colours.size() == 255);
  double sum = 0;
  for (std::size_t i = 0; i < palette.index.size(); ++i) {
    const Rgba colour = palette.colours[palette.index[i]];
    sum += std::abs(colour.r - picture.rgba[4 * i]) + std::abs(colour.g - picture.rgba[4 * i + 1]);
  }
  CHECK(sum / static_cast<double>(palette.index.size()) <
        12);  // a grid of 16 steps of 16 has an error of 4 in a channel on average
  GifWriter writer;
  writer.add(picture, 1);
  CHECK(play(writer.finish()).size() == 1);
}
