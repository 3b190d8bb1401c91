// headlight … --animation: the default film, and films of a view.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/base/image/png_image.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;

class Film {
 public:
  Film() : folder_(fs::temp_directory_path() / ("headlight-film-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(folder_);
  }
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;
  ~Film() { fs::remove_all(folder_); }

  /// The pictures of the film in order; empty if the program refused.
  std::vector<fs::path> shot(const std::string& options) const {
    const fs::path frames = folder_ / "frames";
    fs::remove_all(frames);
    std::vector<fs::path> pictures;
    if (!run("--animation \"" + frames.string() + "/\" " + options)) return pictures;
    for (const fs::directory_entry& entry : fs::directory_iterator(frames)) pictures.push_back(entry.path());
    std::ranges::sort(pictures);
    return pictures;
  }
  std::string screenshot(const std::string& options) const {
    const fs::path out = folder_ / "picture.png";
    REQUIRE(run("--screenshot \"" + out.string() + "\" " + options));
    return pixels(out);
  }
  /// The pixels above the timeline at the foot, which differs in every picture.
  static std::string pixels(const fs::path& png) {
    constexpr std::size_t foot = 30;
    std::ifstream stream(png, std::ios::binary);
    const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
    const Image image = decode_png(file);
    return {image.rgba.begin(),
            image.rgba.end() - static_cast<std::ptrdiff_t>(foot * 4 * static_cast<std::size_t>(image.width))};
  }

 private:
  static bool run(const std::string& arguments) {
    return std::system(
               ("\"" + places::program() + "\" --text \"the cat\" --d-model 4 --heads 2 --size 320x200 " + arguments)
                   .c_str()) == 0;
  }
  fs::path folder_;
};

}  // namespace

TEST_CASE(
    "an animation of which nothing else is said is the presented pass: the sentence, every step as it ends, the "
    "sentence, in 40 to 60 seconds") {
  const Film film;
  const std::string followed = "--select weights:0,0,1,0 ";
  const std::vector<fs::path> pictures = film.shot(followed);
  constexpr double tick = 0.08;
  CHECK(static_cast<double>(pictures.size()) * tick < 61);
  CHECK(static_cast<double>(pictures.size()) * tick > 39);
  const std::string sentence = film.screenshot(followed + "--present --level sentence");
  CHECK(Film::pixels(pictures.front()) == sentence);
  CHECK(Film::pixels(pictures.back()) == sentence);
  // The film pauses on each complete step, so its pictures are in the film, in order.
  auto at = pictures.begin();
  for (const char* stage : {"query", "Q", "scores", "weights", "head_outputs", "concat", "output"}) {
    INFO(stage);
    const std::string whole = film.screenshot(followed + "--present --level operation:" + stage);
    at = std::find_if(at, pictures.end(), [&](const fs::path& picture) { return Film::pixels(picture) == whole; });
    CHECK(at != pictures.end());
  }
}

TEST_CASE("an animation with --view shows that view, moment by moment, with the panels around it") {
  const Film film;
  const std::vector<fs::path> pictures = film.shot("--level pipeline --seconds-per-step 0.1");
  REQUIRE_FALSE(pictures.empty());
  CHECK(Film::pixels(pictures.front()) == film.screenshot("--level pipeline --step 0"));
}
