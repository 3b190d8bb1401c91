// Pictures against their baselines in tests/baselines. A missing baseline fails and is written, to be looked at and
// committed. Type is left out (--bare): fonts differ between machines, the cells must not.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/base/image/png_image.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void check_against_baseline(const std::string& name, const std::string& arguments) {
  const fs::path baseline = fs::path(places::baselines()) / (name + ".png");
  const fs::path made = fs::temp_directory_path() / ("headlight-baseline-" + name + ".png");
  const std::string command =
      "\"" + places::program() + "\" render " + arguments + " --bare -o \"" + made.string() + "\"";
  REQUIRE(std::system(command.c_str()) == 0);
  if (!fs::exists(baseline)) {
    fs::copy_file(made, baseline);
    FAIL("no baseline; wrote " << baseline << ": look at it, then commit it");
  }
  const Image now = decode_png(bytes_of(made));
  const Image wanted = decode_png(bytes_of(baseline));
  fs::remove(made);
  REQUIRE(now.width == wanted.width);
  REQUIRE(now.height == wanted.height);
  int worst = 0;
  for (std::size_t i = 0; i < now.rgba.size(); ++i)
    worst = std::max(worst, std::abs(int{now.rgba[i]} - int{wanted.rgba[i]}));
  CHECK(worst <= 2);  // only rounding of colours may differ
}

}  // namespace

TEST_CASE("render gives the baseline's picture: masked weights") {
  check_against_baseline("weights", "lesson:first-light --stage weights --head 0 --size 300x300");
}

TEST_CASE("render gives the baseline's picture: signed scores in the dark theme") {
  check_against_baseline("scaled_scores-dark",
                         "lesson:first-light --stage scaled_scores --head 2 --size 300x300 --theme dark");
}

TEST_CASE("render gives the baseline's picture: NaN rows, which no colour of the map stands for") {
  check_against_baseline("nan", "lesson:masked-self-attention --stage weights --batch 1 --size 200x200");
}
