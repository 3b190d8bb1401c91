// Watches files on a thread. For a model that runs (core/base/arrays/file_watch.h) the thread also touches the file
// "looking", which tells it that someone watches. Such a model replaces a file at once, so the thread need not wait
// until the file stops changing.
#include <chrono>

#include "core/base/arrays/file_watch.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;
constexpr auto check_interval = 500ms;

}  // namespace

void FileWatch::watch(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (path == path_) return;
  path_ = path;
  ready_ = false;
  if (!path.empty()) known_ = stamp_of(path_from(path));
  if (!path.empty() && !thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& quit) { poll(quit); });
  moved_.notify_all();
}

void FileWatch::poll(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  FileStamp previous = known_;
  while (!quit.stop_requested()) {
    if (path_.empty()) moved_.wait(lock, quit, [this] { return !path_.empty(); });
    moved_.wait_for(lock, quit, check_interval, [] { return false; });
    if (path_.empty() || quit.stop_requested()) continue;
    const std::string path = path_;
    lock.unlock();  // a network drive can be slow
    const std::string looking = looking_file(path);
    if (!looking.empty()) touch(looking);
    const FileStamp current = stamp_of(path_from(path));
    lock.lock();
    const bool finished = current == previous || !looking.empty();  // a run's file is replaced at once
    previous = current;
    if (path != path_ || !finished || current == known_) continue;
    known_ = current;
    ready_ = true;
    lock.unlock();
    changed_();
    lock.lock();
  }
}

}  // namespace headlight
