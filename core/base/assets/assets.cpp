#include "core/base/assets/assets.h"

#include <cstdlib>
#include <map>
#include <string>

#include "core/base/files/places.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path& program_folder() {
  static fs::path folder = running_program().parent_path();
  return folder;
}

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  const auto append = [&](const std::vector<fs::path>& more) { found.insert(found.end(), more.begin(), more.end()); };
  if (const char* named = std::getenv("HEADLIGHT_ASSETS"); named != nullptr && *named != '\0')
    found.emplace_back(named);
  if (!program_folder().empty()) append(data_folders_of_program(program_folder()));
  append(own_data_folders());
  append(shared_data_folders());
  found.emplace_back(HEADLIGHT_INSTALLED_DATA);
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

std::vector<fs::path> asset_files(std::string_view folder, std::string_view extension) {
  std::map<fs::path, fs::path> by_name;
  for (const fs::path& place : folders()) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(place / fs::path(folder), none)) {
      if (entry.path().extension() == fs::path(extension)) by_name.try_emplace(entry.path().filename(), entry.path());
    }
  }
  std::vector<fs::path> files;
  for (const auto& [name, path] : by_name) files.push_back(path);
  return files;
}

void remember_executable(const fs::path& program) {
  if (!program_folder().empty()) return;
  std::error_code failed;
  const fs::path real = fs::canonical(program, failed);
  if (!failed) program_folder() = real.parent_path();
}

}  // namespace headlight
