#include "tests/places.h"

#include <fstream>
#include <iterator>

namespace headlight::places {

std::string fixtures() { return HEADLIGHT_FIXTURES; }
std::string sentences() { return fixtures() + "/sentences"; }
std::string assets() { return HEADLIGHT_ASSETS; }
std::string baselines() { return HEADLIGHT_BASELINES; }
std::string program() { return HEADLIGHT_PROGRAM; }

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace headlight::places
