#include <cerrno>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/base/files/descriptor.h"
#include "core/base/files/own_files.h"
#include "core/base/files/places.h"
#include "core/base/files/whole_file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Whether the open folder is this user's and no other user can write into it, after it was made private.
bool make_private(const Descriptor& folder) {
  struct stat about {};
  if (::fstat(folder.number(), &about) != 0) return false;
  if (about.st_uid != ::geteuid()) {
    errno = EPERM;
    return false;
  }
  if ((about.st_mode & 0777) == 0700 || ::fchmod(folder.number(), 0700) == 0) return true;
  return (about.st_mode & 0022) == 0;  // a disk without modes
}

void make_parents(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0) ::chmod(made.c_str(), 0700);  // the umask took away bits
  }
}

/// The state folder itself may be a link to another disk; below it, links are not followed.
Descriptor open_own_folder(const fs::path& folder) {
  const fs::path state = state_folder();
  const fs::path inside = state.empty() ? fs::path() : folder.lexically_normal().lexically_relative(state);
  const bool below = !inside.empty() && *inside.begin() != "..";
  const fs::path first = below ? state : folder;
  make_parents(first);
  Descriptor at(::open(first.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (below ? 0 : O_NOFOLLOW)));
  if (!at.open() || !make_private(at)) return Descriptor();
  for (const fs::path& part : below ? inside : fs::path()) {
    if (part == "." || part.empty()) continue;
    ::mkdirat(at.number(), part.c_str(), 0700);
    at = Descriptor(::openat(at.number(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!at.open() || !make_private(at)) return Descriptor();
  }
  return at;
}

/// A regular file of this user that has no other name; `flags` as in open().
Descriptor open_own_file(const Descriptor& folder, const fs::path& name, int flags) {
  Descriptor file(::openat(folder.number(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  struct stat about {};
  if (!file.open() || ::fstat(file.number(), &about) != 0) return Descriptor();
  if (S_ISREG(about.st_mode) && about.st_uid == ::geteuid() && about.st_nlink <= 1) return file;
  errno = EPERM;
  return Descriptor();
}

bool write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Whether `name` is still the open file: another process may have removed it, taking it for that of a killed program.
bool is_still_there(const Descriptor& folder, const fs::path& name, const Descriptor& file) {
  struct stat named {
  }, opened{};
  return ::fstatat(folder.number(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(file.number(), &opened) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

bool write_beside(const Descriptor& folder, const fs::path& name, std::string_view text, bool synced) {
  const fs::path beside = abandonable_name(std::random_device{}());
  const Descriptor file = open_own_file(folder, beside, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.open()) return false;
  ::flock(file.number(), LOCK_EX);
  const bool whole = write_all(file, text) && (!synced || ::fsync(file.number()) == 0) &&
                     ::renameat(folder.number(), beside.c_str(), folder.number(), name.c_str()) == 0;
  const int reason = errno;
  if (!whole) ::unlinkat(folder.number(), beside.c_str(), 0);
  else if (synced) ::fsync(folder.number());
  errno = reason;
  return whole;
}

}  // namespace

std::string write_own_file(const fs::path& file, std::string_view text, bool synced) {
  const Descriptor folder = open_own_folder(file.parent_path());
  if (!folder.open()) return std::strerror(errno);
  remove_abandoned(file.parent_path());
  const fs::path name = file.filename();
  // Once more if another process took the new file, not yet locked, for that of a killed program.
  const bool written =
      write_beside(folder, name, text, synced) || (errno == ENOENT && write_beside(folder, name, text, synced));
  return written ? std::string() : std::strerror(errno);
}

std::optional<std::string> read_own_file(const fs::path& file, std::size_t most) {
  const Descriptor folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open()) return {};
  const Descriptor opened = open_own_file(folder, file.filename(), O_RDONLY);
  struct stat about {};
  if (!opened.open() || ::fstat(opened.number(), &about) != 0 || static_cast<std::size_t>(about.st_size) > most)
    return {};
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t got = ::read(opened.number(), text.data() + at, text.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    at += static_cast<std::size_t>(got);
  }
  text.resize(at);
  return text;
}

bool touch_own_file(const fs::path& file) {
  const Descriptor folder = open_own_folder(file.parent_path());
  const Descriptor opened = folder.open() ? open_own_file(folder, file.filename(), O_WRONLY | O_CREAT) : Descriptor();
  return opened.open() && ::futimens(opened.number(), nullptr) == 0;
}

int lock_own_file(const fs::path& file) {
  const Descriptor folder = open_own_folder(file.parent_path());
  if (!folder.open()) return -1;
  for (int tries = 0; tries < 8; ++tries) {
    Descriptor opened = open_own_file(folder, file.filename(), O_RDWR | O_CREAT);
    if (!opened.open() || ::flock(opened.number(), LOCK_EX | LOCK_NB) != 0) return -1;
    if (is_still_there(folder, file.filename(), opened)) return opened.release();
  }
  return -1;
}

}  // namespace headlight
