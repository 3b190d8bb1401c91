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
#include <string_view>
#include <thread>
#include <vector>

#include "core/tensor/tensor.h"

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

/// The name that the model is watched by, of a file in such a folder; "" for any other. Looks at the path alone.
std::string_view watched_name(std::string_view path);
inline bool same_run(std::string_view a, std::string_view b) {
  return !watched_name(a).empty() && a.substr(0, a.find_last_of("/\\")) == b.substr(0, b.find_last_of("/\\"));
}
/// What changes on disk when there is something new to show: latest.npz for a recorded call, else the file itself.
std::string file_to_follow(const std::string& path);
/// "looking" beside a file of such a folder; "" for any other.
std::string looking_file(const std::string& path);
void touch(const std::string& looking);

struct RecordedStep {
  Index step = 0;
  std::string path;
};
/// Of the folder that `path` is in, oldest first.
std::vector<RecordedStep> recorded_steps(const std::string& path);
/// The gradients of the loss by the weights of a layer, [B, H, n_q, n_k]; undefined where no backward pass has run.
Tensor recorded_gradients(const std::string& step, Index layer);

/// The names of models that are or were watched and have a recorded call, the newest first.
std::vector<std::string> watched_runs();
/// The newest recorded call. Throws SettingError.
std::string newest_of_run(const std::string& name);

}  // namespace headlight
