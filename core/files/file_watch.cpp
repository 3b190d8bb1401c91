#include "core/files/file_watch.h"

#include <utility>

namespace headlight {

FileStamp stamp_of(const std::filesystem::path& path) {
  std::error_code error;  // whoever reads the file says what is wrong with it
  FileStamp stamp;
  stamp.size = std::filesystem::file_size(path, error);
  stamp.changed = std::filesystem::last_write_time(path, error);
  return stamp;
}

FileWatch::FileWatch(std::function<void()> changed) : changed_(std::move(changed)) {}

FileWatch::~FileWatch() = default;

bool FileWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, false);
}

}  // namespace headlight
