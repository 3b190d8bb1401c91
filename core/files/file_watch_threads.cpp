// Watching from a thread. To a model that runs (core/files/file_watch.h) it says that somebody looks; what such a
// model writes comes whole and need not stand still.
#include <chrono>

#include "core/files/file_watch.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;
constexpr auto between_looks = 500ms;

}  // namespace

void FileWatch::watch(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (path == path_) return;
  path_ = path;
  ready_ = false;
  if (!path.empty()) known_ = stamp_of(path_from(path));
  if (!path.empty() && !thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& quit) { look(quit); });
  moved_.notify_all();
}

void FileWatch::look(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  FileStamp seen = known_;
  while (!quit.stop_requested()) {
    if (path_.empty()) moved_.wait(lock, quit, [this] { return !path_.empty(); });
    moved_.wait_for(lock, quit, between_looks, [] { return false; });
    if (path_.empty() || quit.stop_requested()) continue;
    const std::string path = path_;
    lock.unlock();  // a network drive may take its time
    const std::string looking = looking_file(path);
    if (!looking.empty()) touch(looking);
    const FileStamp now = stamp_of(path_from(path));
    lock.lock();
    const bool stands = now == seen || !looking.empty();
    seen = now;
    if (path != path_ || !stands || now == known_) continue;
    known_ = now;
    ready_ = true;
    lock.unlock();
    changed_();
    lock.lock();
  }
}

}  // namespace headlight
