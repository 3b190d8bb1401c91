#include "core/base/files/recent_files.h"

#include <algorithm>
#include <sstream>

#include "core/base/files/error_place.h"
#include "core/base/files/own_files.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// "model:english", which is no path; "" for a path. Lists of older versions have it behind a folder.
std::string shipped_model_in(const std::string& line) {
  const std::string last = line.substr(line.find_last_of("/\\") + 1);
  return last.starts_with("model:") ? last : std::string();
}

/// The lines that can be paths: valid text, absolute, without repetitions; and shipped models.
std::vector<std::string> read_paths(const fs::path& file) {
  std::vector<std::string> paths;
  std::istringstream stream(read_own_file(file, 1 << 20).value_or(""));
  for (std::string line; paths.size() < RecentFiles::most && std::getline(stream, line);) {
    const bool valid = !line.empty() && is_utf8(line) && line.find('\0') == std::string::npos;
    if (const std::string model = shipped_model_in(line); valid && !model.empty()) line = model;
    else if (!valid || !path_from(line).is_absolute()) continue;
    if (std::find(paths.begin(), paths.end(), line) == paths.end()) paths.push_back(line);
  }
  return paths;
}

void write_paths(const fs::path& file, const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + '\n';
  write_own_file(file, text);  // if the disk is full or read-only, the list is lost when the program ends
}

}  // namespace

RecentFiles::RecentFiles(fs::path file) : file_(std::move(file)) {
  if (!file_.empty()) paths_ = read_paths(file_);
}

void RecentFiles::add(const std::string& path) {
  std::error_code error;
  const std::string model = shipped_model_in(path);
  const std::string line = model.empty() ? utf8_from(fs::absolute(path_from(path), error).lexically_normal()) : model;
  if (error || line.find_first_of("\n\r") != std::string::npos) return;
  if (!file_.empty()) paths_ = read_paths(file_);
  std::erase(paths_, line);
  paths_.insert(paths_.begin(), line);
  if (paths_.size() > most) paths_.resize(most);
  if (!file_.empty()) write_paths(file_, paths_);
}

}  // namespace headlight
