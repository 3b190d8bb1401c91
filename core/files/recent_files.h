// The files that were opened last, remembered from one run of the program to the next.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

/// Where the program keeps what it remembers of this person: $XDG_STATE_HOME or ~/.local/state, %APPDATA%, or
/// ~/Library/Application Support, each with "headlight" behind it. Empty where the system names none.
std::filesystem::path state_folder();

class RecentFiles {
 public:
  static constexpr std::size_t most = 12;

  /// Kept in `file`, a path a line, the newest first; one that is missing or damaged counts as empty. Without a name
  /// they are kept in memory alone.
  explicit RecentFiles(std::filesystem::path file = {});

  /// Absolute paths, the newest first.
  const std::vector<std::string>& paths() const { return paths_; }
  /// To the front. What another window has added since is kept. A file that cannot be written is no one's concern here:
  /// then the list is lost with the program.
  void add(const std::string& path);

 private:
  std::filesystem::path file_;
  std::vector<std::string> paths_;
};

}  // namespace headlight
