#include "core/assets/assets.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "core/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path& installed_assets() {
  static fs::path folder;
  return folder;
}

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (const char* named = std::getenv("HEADLIGHT_ASSETS"); named != nullptr && *named != '\0')
    found.emplace_back(named);
  found.emplace_back(HEADLIGHT_ASSETS_DIR);
  if (!installed_assets().empty()) found.push_back(installed_assets());
  return found;
}

}  // namespace

fs::path asset(std::string_view relative) {
  for (const fs::path& folder : folders()) {
    std::error_code ignored;
    if (fs::path candidate = folder / fs::path(relative); fs::exists(candidate, ignored)) return candidate;
  }
  throw FileError(std::string(relative), "not among the program's own files",
                  "expected an installed headlight, or HEADLIGHT_ASSETS naming its assets folder");
}

void remember_executable(const fs::path& program) {
  std::error_code failed;
  const fs::path real = fs::canonical(program, failed);
  if (!failed) installed_assets() = real.parent_path().parent_path() / "share" / "headlight";
}

}  // namespace headlight
