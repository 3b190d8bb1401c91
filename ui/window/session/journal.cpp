#include "ui/window/session/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include <unistd.h>

#include "core/base/files/own_files.h"
#include "ui/dialogs/open/folder_listing.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest = 64u << 20;  // larger files were not written by this program

fs::path lock_of(fs::path file) { return file.replace_extension(".lock"); }

std::string time_of(const fs::path& file) {
  std::error_code error;
  const fs::file_time_type changed = fs::last_write_time(file, error);
  return error ? std::string() : local_time(changed);
}

/// Removes the lock files of windows that have ended and left nothing to recover.
void remove_dead_locks(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    fs::path journal = entry->path();
    if (journal.extension() != ".lock" || fs::exists(journal.replace_extension(".json"), error)) continue;
    const int lock = lock_own_file(entry->path());
    if (lock < 0) continue;
    std::error_code unremoved;
    fs::remove(entry->path(), unremoved);
    ::close(lock);
  }
}

}  // namespace

Journal::Journal(fs::path folder) : folder_(std::move(folder)) {
  remove_dead_locks(folder_);
  std::random_device random;
  const std::string name = std::to_string(::getpid()) + "-" + std::to_string(random());
  file_ = folder_ / (name + ".json");
  lock_ = lock_own_file(lock_of(file_));
  if (lock_ < 0) trouble_ = std::strerror(errno);
  begin();
}

Journal::~Journal() {
  end();
  if (lock_ >= 0) {
    std::error_code ignored;
    if (!fs::exists(file_, ignored)) fs::remove(lock_of(file_), ignored);
    ::close(lock_);
  }
  for (const auto& [file, descriptor] : held_) ::close(descriptor);
}

void Journal::close() {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.reset();
  }
  wait();
  std::error_code ignored;
  fs::remove(file_, ignored);
}

std::string Journal::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

std::optional<Journal::Found> Journal::find() {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".json" || entry->path() == file_) continue;
    const bool ours = std::ranges::any_of(held_, [&](const auto& held) { return held.first == entry->path(); });
    if (!ours) files.emplace_back(entry->last_write_time(error), entry->path());
  }
  std::ranges::sort(files, std::greater<>());
  for (const auto& [time, file] : files) {
    const int descriptor = lock_own_file(lock_of(file));
    if (descriptor < 0) continue;  // belongs to an open window
    held_.emplace_back(file, descriptor);
    if (std::optional<std::string> text = read_own_file(file, largest))
      return Found{file, std::move(*text), time_of(file)};
  }
  return std::nullopt;
}

void Journal::set_aside(const Found& found) {
  std::error_code ignored;
  fs::path aside = found.file;
  fs::rename(found.file, aside.replace_extension(".broken"), ignored);
  forget(found);
}

void Journal::forget(const Found& found) {
  std::error_code ignored;
  fs::remove(found.file, ignored);
  fs::remove(lock_of(found.file), ignored);
  const auto held = std::ranges::find(held_, found.file, [](const auto& each) { return each.first; });
  if (held == held_.end()) return;
  ::close(held->second);
  held_.erase(held);
}

}  // namespace headlight
