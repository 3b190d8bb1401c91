#include "core/base/assets/assets.h"

#include <cstdlib>
#include <map>
#include <string>

#include "core/base/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path& program_folder() {
  static fs::path folder = [] {
    std::error_code failed;  // without this link, remember_executable() gives the path
    return fs::read_symlink("/proc/self/exe", failed).parent_path();
  }();
  return folder;
}

void append_each(std::string_view paths, std::vector<fs::path>& found) {
  while (!paths.empty()) {
    const std::size_t colon = paths.find(':');
    if (colon != 0) found.push_back(fs::path(paths.substr(0, colon)) / "headlight");
    paths.remove_prefix(colon == std::string_view::npos ? paths.size() : colon + 1);
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (const std::string named = variable("HEADLIGHT_ASSETS"); !named.empty()) found.emplace_back(named);
  if (!program_folder().empty()) found.push_back(program_folder().parent_path() / "share" / "headlight");
  for (const fs::path& own : own_data_folders()) found.push_back(own);
  const std::string system = variable("XDG_DATA_DIRS");
  append_each(system.empty() ? "/usr/local/share:/usr/share" : system, found);
  found.emplace_back(HEADLIGHT_INSTALLED_DATA);
  return found;
}

}  // namespace

std::vector<fs::path> own_data_folders() {
  std::vector<fs::path> found;
  const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (!data.empty()) {
    found.push_back(fs::path(data) / "headlight");
  } else if (!home.empty()) {
    found.push_back(fs::path(home) / ".local" / "share" / "headlight");
  }
  return found;
}

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
