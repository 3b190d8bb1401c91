// The most recently opened files, kept between runs of the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

class RecentFiles {
 public:
  static constexpr std::size_t most = 12;

  /// Stored in `file`, one path per line, the newest first; a missing or damaged file counts as empty. Without a file,
  /// the list is only in memory.
  explicit RecentFiles(std::filesystem::path file = {});

  /// Absolute paths and shipped models, "model:english"; the newest first.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Moves the path to the front. Keeps paths that another window has added since. If the file cannot be written, that
  /// is ignored: the list is then lost when the program ends.
  void add(const std::string& path);

 private:
  std::filesystem::path file_;
  std::vector<std::string> paths_;
};

}  // namespace headlight
