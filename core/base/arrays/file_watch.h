// FileWatch: notices that a file on disk has changed.
//
// A thread reads the file's size and modification time twice a second. That works on every system and for files on
// network drives, and costs two system calls a second. No thread runs while nothing is watched.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// Identifies a state of a file: it differs after a change.
struct FileStamp {
  std::uintmax_t size = 0;
  std::filesystem::file_time_type changed;
  bool operator==(const FileStamp&) const = default;
};
/// For a missing file: not equal to any other stamp.
FileStamp stamp_of(const std::filesystem::path& path);

class FileWatch {
 public:
  /// `changed` is called from the watching thread; it must be quick and must not throw.
  explicit FileWatch(std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Watches this file from now on, "" for none. Does nothing for the file that is already watched.
  void watch(const std::string& path);
  /// Whether the file changed since it was watched or last taken, and has been unchanged for half a second, so that a
  /// file that is still being written is not read.
  bool take();

 private:
  void poll(const std::stop_token& quit);

  std::function<void()> changed_;
  std::mutex mutex_;
  std::condition_variable_any moved_;
  std::string path_;
  FileStamp known_;
  bool ready_ = false;
  std::jthread thread_;
};

/// The name under which a model is watched, from the path of a file in its folder; "" for any other path. Does not
/// access the disk.
std::string_view watched_name(std::string_view path);
inline bool same_run(std::string_view a, std::string_view b) {
  return !watched_name(a).empty() && a.substr(0, a.find_last_of("/\\")) == b.substr(0, b.find_last_of("/\\"));
}
/// The file that changes on disk when there is something new to show: latest.npz for a recorded call, otherwise the
/// file itself.
std::string file_to_follow(const std::string& path);
/// The path of "looking" in the same folder as a recorded file; "" for any other file.
std::string looking_file(const std::string& path);
void touch(const std::string& looking);

struct RecordedStep {
  Index step = 0;
  std::string path;
};
/// The recorded steps in the folder of `path`, oldest first.
std::vector<RecordedStep> recorded_steps(const std::string& path);
/// The gradients of the loss with respect to the weights of a layer, [B, H, n_q, n_k]; undefined if no backward pass
/// has run.
Tensor recorded_gradients(const std::string& step, Index layer);

/// The names of the models that are or were watched and have a recorded call, the newest first.
std::vector<std::string> watched_runs();
/// The newest recorded call. Throws SettingError.
std::string newest_of_run(const std::string& name);

}  // namespace headlight
