// FileWatch: notices that a file on disk has changed.
//
// A thread asks for the file's size and time of change twice a second: that works on every system and for files on
// network drives, and it costs two system calls a second instead of frames. No thread runs while nothing is watched.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace headlight {

/// Identifies a state of a file: it differs after a change.
struct FileStamp {
  std::uintmax_t size = 0;
  std::filesystem::file_time_type changed;
  bool operator==(const FileStamp&) const = default;
};
/// For a missing file: equal to no other.
FileStamp stamp_of(const std::filesystem::path& path);

class FileWatch {
 public:
  /// `changed` is called from the watching thread; it must be quick and must not throw.
  explicit FileWatch(std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Watches this file from now on, "" for none. The same file again changes nothing.
  void watch(const std::string& path);
  /// Whether the file changed since it was watched or last taken, and has not changed for half a second, so that a file
  /// that is still being written is not read.
  bool take();

 private:
  void look(const std::stop_token& quit);

  std::function<void()> changed_;
  std::mutex mutex_;
  std::condition_variable_any moved_;
  std::string path_;
  FileStamp known_;
  bool ready_ = false;
  std::jthread thread_;
};

}  // namespace headlight
