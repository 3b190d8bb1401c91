// Journal: what is open in this window, on disk soon after each change, for the next start to find after a crash.
//
// Every window has a file of its own in the folder, and beside it one that it holds locked for as long as it lives: a
// file whose lock is free belongs to nobody any more. Whole or not at all: written beside, synced, renamed.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headlight {

class Journal {
 public:
  /// Made where it is missing. A folder that cannot be written to keeps nothing: trouble() says why.
  explicit Journal(std::filesystem::path folder);
  /// What was kept stays for the next start, unless close() was called.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Written by a thread of its own; of several that wait, the newest.
  void keep(std::string text);
  /// Nothing is to be found of this window: it is closed properly, or there is nothing to lose.
  void close();
  /// Blocks until what was given is on disk.
  void wait();
  std::string trouble() const;

  /// What a window left behind that is gone. It is this window's to answer for until it is forgotten or this one goes.
  struct Found {
    std::filesystem::path file;
    std::string text;
    std::string when;  ///< local time, "2024-05-31 14:02"
  };
  /// The newest, if there is one.
  std::optional<Found> find();
  void forget(const Found& found);
  /// Renames what cannot be read, so that it is not found again, but not lost.
  void set_aside(const Found& found);

 private:
  void begin();
  void end();
  void work(std::stop_token quit);
  /// "" or why not.
  static std::string write_synced(const std::filesystem::path& file, const std::string& text);

  std::filesystem::path folder_, file_;
  int lock_ = -1;
  std::vector<std::pair<std::filesystem::path, int>> held_;  ///< of what was found
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> waiting_;
  bool writing_ = false;
  std::string trouble_;
  std::jthread worker_;
};

}  // namespace headlight
