#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/base/tensor/error.h"
#include "core/figures/export/animation.h"
#include "tests/catch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("headlight-film-" + std::to_string(std::random_device()()))) {
    fs::create_directory(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::vector<std::string> names(const fs::path& within = {}) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_ / within)) found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }

 private:
  fs::path path_;
};

const Image picture(8, 6, {10, 20, 30, 255});

}  // namespace

TEST_CASE("a film in a folder is numbered pictures, repeated as long as each stays, and appears at once") {
  const Folder folder;
  const auto film = film_to(folder / "frames/", 0.1);
  film->add(picture, 0.3);
  film->add(Image(8, 6, {40, 0, 0, 255}), 0.1);
  CHECK_FALSE(fs::exists(folder / "frames"));
  film->finish();
  CHECK(folder.names("frames") == std::vector<std::string>{"00001.png", "00002.png", "00003.png", "00004.png"});
  CHECK(folder.names() == std::vector<std::string>{"frames"});
}

TEST_CASE("a film that is abandoned leaves no files") {
  const Folder folder;
  for (const char* name : {"frames/", "film.gif", "film.png"}) film_to(folder / name, 0.1)->add(picture, 0.3);
  CHECK(folder.names().empty());
}

TEST_CASE("the folder of an older film is replaced as a whole") {
  const Folder folder;
  for (const int count : {5, 2}) {
    const auto film = film_to(folder / "frames/", 0.1);
    for (int i = 0; i < count; ++i) film->add(picture, 0.1);
    film->finish();
    CHECK(folder.names("frames").size() == static_cast<std::size_t>(count));
  }
  CHECK(folder.names().size() == 1);
}

TEST_CASE(
    "a folder that holds other things, a file in its place, an unknown ending and a missing parent are refused before "
    "anything is drawn") {
  const Folder folder;
  fs::create_directory(folder / "mine");
  std::ofstream(folder / "mine/letter.txt") << "dear";
  std::ofstream(folder / "file") << "text";
  const auto said = [&](const std::string& name) -> std::string {
    try {
      film_to(folder / name, 0.1);
    } catch (const FileError& error) { return error.what(); }
    return {};
  };
  CHECK(said("mine/").find("letter.txt") != std::string::npos);
  CHECK(said("mine").find("letter.txt") != std::string::npos);  // a folder is recognised also without its slash
  CHECK(said("file/").find("is a file") != std::string::npos);
  CHECK(said("film.mov").find("expected") != std::string::npos);
  CHECK(said("nowhere/film.gif").find("there is no folder") != std::string::npos);
  CHECK(said("nowhere/frames/").find("there is no folder") != std::string::npos);
  CHECK(folder.names() == std::vector<std::string>{"file", "mine"});
}
