// Writes the journal on a thread, since disks can be slow.
#include <utility>

#include "core/base/files/own_files.h"
#include "ui/window/session/journal.h"

namespace headlight {

void Journal::begin() {
  worker_ = std::jthread([this](std::stop_token quit) { work(std::move(quit)); });
}

void Journal::end() {
  worker_.request_stop();
  changed_.notify_all();
  worker_.join();
}

void Journal::work(std::stop_token quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [&] { return waiting_.has_value(); })) {
    const std::string text = std::exchange(waiting_, {}).value();
    writing_ = true;
    lock.unlock();
    const std::string trouble = write_own_file(file_, text);
    lock.lock();
    writing_ = false;
    trouble_ = trouble;
    changed_.notify_all();
  }
}

void Journal::keep(std::string text) {
  if (lock_ < 0) return;
  const std::scoped_lock lock(mutex_);
  waiting_ = std::move(text);
  changed_.notify_all();
}

void Journal::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_ && !writing_; });
}

}  // namespace headlight
