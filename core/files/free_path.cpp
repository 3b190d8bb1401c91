#include "core/files/free_path.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <system_error>

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Permissions do not tell: the file system may be read-only. Trying does.
bool can_be_written_to(const fs::path& folder) {
  if (folder.empty()) return false;
  std::random_device random;
  const fs::path trial = folder / (".headlight." + std::to_string(random()) + ".tmp");
  const bool written = static_cast<bool>(std::ofstream(trial));
  std::error_code ignored;
  fs::remove(trial, ignored);
  return written;
}

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  if (home == nullptr) home = std::getenv("USERPROFILE");
  return home != nullptr ? fs::path(home) : fs::path();
}

}  // namespace

fs::path free_path(const fs::path& folder, const std::string& stem, const std::string& extension) {
  fs::path path = folder / (stem + extension);
  std::error_code ignored;  // a folder that cannot be read fails when it is written to
  for (int i = 2; fs::exists(path, ignored); ++i) path = folder / (stem + "_" + std::to_string(i) + extension);
  return path;
}

fs::path writable_folder(const char* place) {
  std::error_code gone;
  const fs::path current = fs::current_path(gone), home = home_folder();
  for (const fs::path& folder : {gone ? fs::path() : current, home.empty() ? home : home / place, home}) {
    if (can_be_written_to(folder)) return fs::absolute(folder);
  }
  return fs::temp_directory_path();
}

}  // namespace headlight
