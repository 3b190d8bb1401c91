#include "core/files/recent_files.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>

#include "core/files/error_place.h"
#include "core/files/whole_file.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

/// Lines that can be paths: text, absolute, each once.
std::vector<std::string> read_paths(const fs::path& file) {
  constexpr std::uintmax_t largest = 1 << 20;
  std::error_code error;
  std::vector<std::string> paths;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > largest) return paths;
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; paths.size() < RecentFiles::most && std::getline(stream, line);) {
    const bool sound = !line.empty() && is_utf8(line) && line.find('\0') == std::string::npos;
    if (!sound || !path_from(line).is_absolute()) continue;
    if (std::find(paths.begin(), paths.end(), line) == paths.end()) paths.push_back(line);
  }
  return paths;
}

void write_paths(const fs::path& file, const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + '\n';
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  try {
    write_whole_file(file, text);
  } catch (const FileError&) {  // a full or read-only disk: the list goes with the program
  }
}

}  // namespace

fs::path state_folder() {
  constexpr const char* name = "headlight";
#if defined(_WIN32)
  const fs::path roaming = from_environment("APPDATA");
  return roaming.empty() ? fs::path() : roaming / name;
#else
  const fs::path home = from_environment("HOME");
#if defined(__APPLE__)
  return home.empty() ? fs::path() : home / "Library" / "Application Support" / name;
#else
  const fs::path state = from_environment("XDG_STATE_HOME");
  if (state.is_absolute()) return state / name;  // the specification has relative ones ignored
  return home.empty() ? fs::path() : home / ".local" / "state" / name;
#endif
#endif
}

RecentFiles::RecentFiles(fs::path file) : file_(std::move(file)) {
  if (!file_.empty()) paths_ = read_paths(file_);
}

void RecentFiles::add(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path_from(path), error).lexically_normal();
  const std::string line = utf8_from(whole);
  if (error || line.find_first_of("\n\r") != std::string::npos) return;
  if (!file_.empty()) paths_ = read_paths(file_);
  std::erase(paths_, line);
  paths_.insert(paths_.begin(), line);
  if (paths_.size() > most) paths_.resize(most);
  if (!file_.empty()) write_paths(file_, paths_);
}

}  // namespace headlight
