#include <cerrno>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files/file_locks.h"
#include "core/base/files/whole_file.h"

namespace headlight {

namespace fs = std::filesystem;

bool make_new_file(const fs::path& path) {
  return Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)).open();
}

Descriptor lock_folder(const fs::path& folder) {
  Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (lock.open()) ::flock(lock.number(), LOCK_EX);
  return lock;
}

bool is_abandoned(const fs::path& path) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat about {};
  return opened.open() && ::fstat(opened.number(), &about) == 0 && about.st_uid == ::geteuid() &&
         ::flock(opened.number(), LOCK_EX | LOCK_NB) == 0;
}

std::string flush_to_disk(const fs::path& path, bool folder) {
  const Descriptor file(::open(path.c_str(), folder ? O_RDONLY | O_DIRECTORY : O_RDONLY | O_CLOEXEC));
  if (!file.open()) return folder ? std::string() : std::strerror(errno);
  const bool done = ::fsync(file.number()) == 0 || errno == EINVAL || errno == EROFS;  // or this disk cannot sync
  return done || folder ? std::string() : std::strerror(errno);
}

#ifdef O_TMPFILE
bool write_nameless(const fs::path& real, const fs::path& folder, Chunks parts, const fs::file_status& status,
                    const fs::path& target) {
  const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (!file.open()) return false;
  for (std::span<const std::byte> bytes : parts) {
    while (!bytes.empty()) {
      errno = 0;
      const auto written = ::write(file.number(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail_to_write(target, errno != 0 ? std::strerror(errno) : "the disk may be full");
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  if (fs::exists(status)) ::fchmod(file.number(), static_cast<mode_t>(status.permissions() & fs::perms::mask));
  if (::fsync(file.number()) != 0 && errno != EINVAL && errno != EROFS) fail_to_write(target, std::strerror(errno));
  const std::string open_file = "/proc/self/fd/" + std::to_string(file.number());
  const auto give_name = [&](const fs::path& name) {
    return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (!fs::exists(status) && give_name(real)) return true;
  const fs::path temporary = folder / abandonable_name(std::random_device{}());
  ::flock(file.number(), LOCK_EX | LOCK_NB);
  if (!give_name(temporary)) return false;  // linkat() does not replace a file, so a rename follows
  std::error_code error;
  fs::rename(temporary, real, error);
  if (!error) return true;
  ::unlink(temporary.c_str());
  fail_to_write(target, error.message().c_str());
}
#else
bool write_nameless(const fs::path&, const fs::path&, Chunks, const fs::file_status&, const fs::path&) { return false; }
#endif

}  // namespace headlight
