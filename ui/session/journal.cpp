#include "ui/session/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest = 64u << 20;  // larger files were not written by this program

/// Locks the journal's lock file; −1 if another process holds the lock.
int try_lock(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

fs::path lock_of(fs::path file) { return file.replace_extension(".lock"); }

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string time_of(const fs::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return {};
  std::tm local{};
  ::localtime_r(&about.st_mtime, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

}  // namespace

Journal::Journal(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  std::random_device random;
  const std::string name = std::to_string(::getpid()) + "-" + std::to_string(random());
  file_ = folder_ / (name + ".json");
  lock_ = try_lock(lock_of(file_));
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

std::string Journal::write_synced(const fs::path& file, const std::string& text) {
  fs::path beside = file;
  beside += ".new";
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return std::strerror(errno);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  const bool whole = done == text.size() && ::fsync(descriptor) == 0;
  const std::string reason = whole ? std::string() : std::strerror(errno);
  ::close(descriptor);
  if (whole && ::rename(beside.c_str(), file.c_str()) == 0) {
    sync_folder(file.parent_path());
    return {};
  }
  ::unlink(beside.c_str());
  return reason.empty() ? std::strerror(errno) : reason;
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
    const int descriptor = try_lock(lock_of(file));
    if (descriptor < 0) continue;  // belongs to an open window
    held_.emplace_back(file, descriptor);
    if (fs::file_size(file, error) > largest || error) continue;
    std::ifstream stream(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    return Found{file, std::move(text), time_of(file)};
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
