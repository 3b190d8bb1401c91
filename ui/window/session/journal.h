// Journal: keeps the open document on disk, so that the next start can recover it after a crash. Every window has a
// file in the folder and locks a second file for as long as it lives; an unlocked file belongs to no running window.
// Files are written aside, synced and renamed, so they are never partial.
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
  /// Creates the folder if needed. If it cannot be written, nothing is kept and trouble() says why.
  explicit Journal(std::filesystem::path folder);
  /// Keeps the file for the next start, unless close() was called.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Hands `text` to the writer thread; only the newest waiting text is written.
  void keep(std::string text);
  /// Removes this window's file: the window closed normally, or there is nothing to lose.
  void close();
  /// Blocks until everything is on disk.
  void wait();
  std::string trouble() const;

  /// The document of a window that crashed. This window holds it until forget() or its own end.
  struct Found {
    std::filesystem::path file;
    std::string text;
    std::string when;  ///< local time, "2024-05-31 14:02"
  };
  /// The newest one; unset if there is none.
  std::optional<Found> find();
  void forget(const Found& found);
  /// Renames a file that cannot be read, so that it is not found again but not lost either.
  void set_aside(const Found& found);

 private:
  void begin();
  void end();
  void work(std::stop_token quit);

  std::filesystem::path folder_, file_;
  int lock_ = -1;
  std::vector<std::pair<std::filesystem::path, int>> held_;  ///< locks of found files
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> waiting_;
  bool writing_ = false;
  std::string trouble_;
  std::jthread worker_;
};

}  // namespace headlight
