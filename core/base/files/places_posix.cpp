#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/files/places.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path place_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

}  // namespace

fs::path running_program() {
  std::error_code failed;  // without this link, remember_executable() gives the path
  return fs::read_symlink("/proc/self/exe", failed);
}

fs::path home_folder() { return place_in("HOME"); }

fs::path state_folder() {
  constexpr const char* name = "headlight";
  const fs::path home = home_folder();
#if defined(__APPLE__)
  return home.empty() ? fs::path() : home / "Library" / "Application Support" / name;
#else
  const fs::path state = place_in("XDG_STATE_HOME");
  if (state.is_absolute()) return state / name;  // the XDG specification says to ignore relative paths
  return home.empty() ? fs::path() : home / ".local" / "state" / name;
#endif
}

std::vector<fs::path> own_data_folders() {
  const fs::path data = place_in("XDG_DATA_HOME"), home = home_folder();
  if (!data.empty()) return {data / "headlight"};
  return home.empty() ? std::vector<fs::path>() : std::vector{home / ".local" / "share" / "headlight"};
}

std::vector<fs::path> data_folders_of_program(const fs::path& program_folder) {
  return {program_folder.parent_path() / "share" / "headlight"};
}

std::vector<fs::path> shared_data_folders() {
  const std::string named = place_in("XDG_DATA_DIRS").string();
  std::string_view paths = named.empty() ? "/usr/local/share:/usr/share" : std::string_view(named);
  std::vector<fs::path> found;
  while (!paths.empty()) {
    const std::size_t colon = paths.find(':');
    if (colon != 0) found.push_back(fs::path(paths.substr(0, colon)) / "headlight");
    paths.remove_prefix(colon == std::string_view::npos ? paths.size() : colon + 1);
  }
  return found;
}

}  // namespace headlight
