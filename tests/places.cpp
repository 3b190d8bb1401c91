#include "tests/places.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace headlight::places {

namespace {

/// With its drive on Windows: what is read from a folder on another drive names the same file.
std::string whole(const char* path) { return std::filesystem::absolute(path).generic_string(); }

}  // namespace

std::string fixtures() { return whole(HEADLIGHT_FIXTURES); }
std::string sentences() { return fixtures() + "/sentences"; }
std::string assets() { return whole(HEADLIGHT_ASSETS); }
std::string baselines() { return whole(HEADLIGHT_BASELINES); }
std::string program() { return HEADLIGHT_PROGRAM; }

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string about_pdf(const std::filesystem::path& path) {
  const std::filesystem::path said = path.string() + ".about";
  const std::string command = "pdfinfo \"" + path.string() + "\" > \"" + said.string() + "\"";
  return std::system(command.c_str()) == 0 ? text_of(said) : std::string();
}

}  // namespace headlight::places
