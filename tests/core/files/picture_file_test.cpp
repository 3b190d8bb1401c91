// Reading and resizing picture files, compared with PIL (tests/fixtures/make_pictures.py).
#include "core/base/files/picture_file.h"

#include <cstdlib>
#include <fstream>

#include "core/base/arrays/array_file.h"
#include "core/base/image/picture_input.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;

namespace {

const auto pictures = samples::fixture("pictures");

/// The largest difference between bytes of two pictures [height, width, 3]; 999 if the sizes differ.
int largest_difference(const Image& got, const Tensor& expected) {
  if (expected.shape() != Shape{got.height, got.width, 3}) return 999;
  int most = 0;
  for (std::size_t i = 0; i < expected.values().size(); ++i)
    most = std::max(most, std::abs(got.rgba[i / 3 * 4 + i % 3] - static_cast<int>(expected.values()[i])));
  return most;
}

std::string said_of(const std::filesystem::path& path) {
  try {
    read_picture(path.string());
  } catch (const FileError& error) { return error.what(); }
  return "";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("pictures are resized as PIL resizes them, with every filter") {
  Image source(40, 31);
  for (int y = 0; y < source.height; ++y) {
    for (int x = 0; x < source.width; ++x) {
      const auto byte = [&](int c) { return static_cast<std::uint8_t>((37 * x + 91 * y + 53 * c + 7 * x * y) % 256); };
      source.set(x, y, {byte(0), byte(1), byte(2), 255});
    }
  }
  const auto expected = open_arrays(pictures / "resized.npz");
  CHECK(expected->entries().size() == 18);
  for (const ArrayEntry& entry : expected->entries()) {
    INFO(entry.name);
    const std::string filter = entry.name.substr(0, entry.name.find('_'));
    bool known = false;
    for (int i = 0; i <= static_cast<int>(Resampling::hamming); ++i) {
      if (name(static_cast<Resampling>(i)) != filter) continue;
      known = true;
      const Image made = resized(source, static_cast<int>(entry.shape[1]), static_cast<int>(entry.shape[0]),
                                 static_cast<Resampling>(i));
      CHECK(largest_difference(made, expected->load(entry.name)) == 0);
    }
    CHECK(known);
  }
}

TEST_CASE("picture files are read as PIL reads them: palettes, bits, greys, alpha, inks, turned by EXIF") {
  const auto expected = open_arrays(pictures / "read.npz");
  int read = 0;
  for (const ArrayEntry& entry : expected->entries()) {
    INFO(entry.name);
    const auto path = pictures / entry.name;
    if (said_of(path).find("built without libjpeg") != std::string::npos) continue;
    CHECK(largest_difference(read_picture(path.string()), expected->load(entry.name)) <= 1);
    ++read;
  }
  CHECK(read >= 6);
}

TEST_CASE("a JPEG that is cut off or spoilt is refused with a sentence") {
  const samples::TempFolder folder;
  const std::string whole = bytes_of(pictures / "colour.jpg");
  if (said_of(pictures / "colour.jpg").empty()) {
    for (const std::size_t length : {std::size_t{3}, std::size_t{40}, whole.size() - 40}) {
      std::ofstream(folder / "cut.jpg", std::ios::binary) << whole.substr(0, length);
      CHECK_THAT(said_of(folder / "cut.jpg"), ContainsSubstring("is a damaged JPEG picture"));
    }
  }
}

TEST_CASE("a picture of too many pixels is refused before it is decoded, and one too narrow before it is resized") {
  const samples::TempFolder folder;
  std::string jpeg = bytes_of(pictures / "colour.jpg");
  const std::size_t frame = jpeg.find("\xFF\xC0");
  REQUIRE(frame != std::string::npos);
  for (const std::size_t at : {5, 6, 7, 8}) jpeg[frame + at] = '\x60';
  std::ofstream(folder / "huge.jpg", std::ios::binary) << jpeg;
  if (said_of(pictures / "colour.jpg").empty())
    CHECK_THAT(said_of(folder / "huge.jpg"),
               ContainsSubstring("has 24672 × 24672 pixels; expected at most 100 million"));
  PictureSteps steps;
  steps.shorter_side = 224;
  CHECK_THROWS_WITH(prepared(Image(2000, 1, {0, 0, 0, 255}), steps, "line.png"), ContainsSubstring("is not so narrow"));
}

TEST_CASE("the middle of a picture is cropped, and a picture smaller than the crop is padded with black") {
  Image source(4, 3, {0, 0, 0, 255});
  source.set(1, 1, {200, 0, 0, 255});
  PictureSteps steps;
  steps.crop_width = 1, steps.crop_height = 1;
  CHECK(prepared(source, steps, "").at(0, 0) == Rgba{200, 0, 0, 255});
  steps.crop_width = 7, steps.crop_height = 6;
  const Image padded = prepared(source, steps, "");
  CHECK(padded.at(3, 3) == Rgba{200, 0, 0, 255});
  CHECK(padded.at(0, 0) == Rgba{0, 0, 0, 255});
}
