#include "core/base/files/whole_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#include <array>
#include <fstream>
#include <optional>
#include <random>

#include "core/base/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

using Chunks = std::span<const std::span<const std::byte>>;

Message last_error() { return errno != 0 ? std::strerror(errno) : "the disk may be full"; }

/// Writes to a new file: one that is there, or a link, is an error.
void write_parts(const fs::path& path, Chunks parts, const fs::path& subject) {
#ifdef O_NOFOLLOW
  if (!Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)).open())
    fail_to_write(subject, last_error());
#endif
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  for (const std::span<const std::byte> bytes : parts)
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail_to_write(subject, last_error());
}

constexpr const char* temporary_prefix = ".headlight-";
constexpr const char* temporary_ending = ".tmp";
constexpr const char* whole_ending = ".whole";

fs::path temporary_name(const fs::path& folder) {
  return folder / (temporary_prefix + std::to_string(std::random_device{}()) + temporary_ending);
}

/// Whether no program has locked this file or folder of this user: whoever makes one holds its lock until the end.
bool is_abandoned(const fs::path& path) {
#ifdef LOCK_NB
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat about {};
  return opened.open() && ::fstat(opened.number(), &about) == 0 && about.st_uid == ::geteuid() &&
         ::flock(opened.number(), LOCK_EX | LOCK_NB) == 0;
#else
  return false;
#endif
}

/// Writes the file to the disk itself, so that after a power cut there is the old file or the new one. Returns "" or
/// the error.
std::string flush_to_disk([[maybe_unused]] const fs::path& path, [[maybe_unused]] bool folder) {
#if defined(__unix__) || defined(__APPLE__)
  const int file = ::open(path.c_str(), folder ? O_RDONLY | O_DIRECTORY : O_RDONLY | O_CLOEXEC);
  if (file < 0) return folder ? std::string() : std::strerror(errno);
  const bool done = ::fsync(file) == 0 || errno == EINVAL || errno == EROFS;  // or this disk cannot sync
  const std::string reason = done ? std::string() : std::strerror(errno);
  ::close(file);
  return folder ? std::string() : reason;
#else
  return {};
#endif
}

/// The end of a chain of symbolic links, whether or not a file is there.
fs::path link_end(fs::path path, const fs::path& target) {
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    if (links > 40) fail_to_write(target, "its symbolic links lead in a circle", "expected the name of a file");
    const fs::path next = fs::read_symlink(path, error);
    if (error) fail_to_write(target, error.message().c_str());
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

void copy_into(const fs::path& from, const fs::path& device, const fs::path& target) {
  errno = 0;
  std::ifstream in(from, std::ios::binary);
  std::ofstream out(device, std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  out.close();
  if (!in || !out) fail_to_write(target, last_error());
}

#ifdef O_TMPFILE
/// Writes through a file that has no name until it is complete and on the disk, so that a stopped program leaves
/// nothing. Returns false, with nothing done, if the file system has no such files.
bool write_nameless(const fs::path& real, const fs::path& folder, Chunks parts, const fs::file_status& status,
                    const fs::path& target) {
  const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (!file.open()) return false;
  for (std::span<const std::byte> bytes : parts) {
    while (!bytes.empty()) {
      const auto written = ::write(file.number(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail_to_write(target, last_error());
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
#endif

}  // namespace

void fail_to_write(const fs::path& target, const Message& reason, const Message& expected) {
  throw FileError(target.string(), Message("cannot be written: {0}", reason), expected);
}

fs::file_status status_of(const fs::path& path, const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    fail_to_write(target, error.message().c_str());
  return status;
}

fs::path folder_for(const fs::path& target) {
  fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error))
    fail_to_write(target, Message("there is no folder {0}", folder.string()), "expected one that is there");
  return folder;
}

std::string abandonable_name(unsigned int number) { return temporary_prefix + std::to_string(number) + whole_ending; }

void remove_abandoned(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(temporary_prefix)) continue;
    std::error_code unremoved;
    const bool folder_of_one = name.ends_with(temporary_ending) && fs::is_directory(entry->symlink_status(unremoved));
    if ((folder_of_one || name.ends_with(whole_ending)) && is_abandoned(entry->path()))
      fs::remove_all(entry->path(), unremoved);
  }
}

Temporary::Temporary(const fs::path& folder, const fs::path& target) {
  for (int tries = 0; tries < 8; ++tries) {
    folder_ = temporary_name(folder);
    std::error_code error;
    if (!fs::create_directory(folder_, error) && !error) continue;
    if (error) fail_to_write(target, error.message().c_str());
    fs::permissions(folder_, fs::perms::owner_all, error);
#ifdef LOCK_NB
    lock_ = Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (lock_.open()) ::flock(lock_.number(), LOCK_EX);
#endif
    if (fs::exists(folder_, error)) return;  // else another process took it for an abandoned one before it was locked
  }
  fail_to_write(target, "temporary folders there are removed by something else");
}

Temporary::~Temporary() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void make_folder(const fs::path& folder, const fs::path& target) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(target, error.message().c_str());
}

void write_bytes(const fs::path& path, std::span<const std::byte> bytes, const fs::path& subject) {
  write_parts(path, std::array{bytes}, subject);
}

namespace {

/// Writes a file whole or not at all. If all bytes are given in `parts`, it avoids a named temporary file where it can.
void write_whole(const fs::path& target, const std::function<void(const fs::path&)>& write,
                 [[maybe_unused]] std::optional<Chunks> parts) {
  std::error_code error;
  const fs::path real = link_end(target, target);  // a symbolic link stays, its target is replaced
  const fs::file_status status = status_of(real, target);
  if (target.filename().empty() || fs::is_directory(status))
    fail_to_write(target, "it is a folder", "expected the name of a file");
  const fs::path folder = folder_for(real);

  const bool is_device = fs::exists(status) && !fs::is_regular_file(status);
  if (!is_device) remove_abandoned(folder);
#ifdef O_TMPFILE
  if (!is_device && parts && write_nameless(real, folder, *parts, status, target)) {
    flush_to_disk(folder, true);
    return;
  }
#endif
  const Temporary temporary(is_device ? fs::temp_directory_path() : folder, target);
  write(temporary.path());
  if (is_device) return copy_into(temporary.path(), real, target);
  if (fs::exists(status)) fs::permissions(temporary.path(), status.permissions(), error);
  if (const std::string reason = flush_to_disk(temporary.path(), false); !reason.empty()) fail_to_write(target, reason);
  fs::rename(temporary.path(), real, error);
  if (error) fail_to_write(target, error.message().c_str());
  flush_to_disk(folder, true);
}

}  // namespace

void write_whole_file(const fs::path& target, const std::function<void(const fs::path&)>& write) {
  write_whole(target, write, {});
}

void write_whole_file(const fs::path& target, std::span<const std::byte> bytes) {
  write_whole_file(target, std::array{bytes});
}

void write_whole_file(const fs::path& target, Chunks parts) {
  write_whole(
      target, [&](const fs::path& temporary) { write_parts(temporary, parts, target); }, parts);
}

namespace {

namespace fs = std::filesystem;

/// Tries to make a folder: permissions do not show whether the file system is read-only.
bool can_be_written_to(const fs::path& folder) {
  if (folder.empty()) return false;
  try {
    const Temporary tried(folder, folder);
    return true;
  } catch (const FileError&) { return false; }
}

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  if (home == nullptr) home = std::getenv("USERPROFILE");
  return home != nullptr ? fs::path(home) : fs::path();
}

}  // namespace

fs::path free_path(const fs::path& folder, const std::string& stem, const std::string& extension) {
  fs::path path = folder / (stem + extension);
  std::error_code ignored;  // if the folder cannot be read, writing to it gives the error message
  for (int i = 2; fs::exists(path, ignored); ++i) path = folder / (stem + "_" + std::to_string(i) + extension);
  return path;
}

fs::path writable_folder(const char* place) {
  std::error_code error;
  const fs::path current = fs::current_path(error), home = home_folder();
  for (const fs::path& folder : {error ? fs::path() : current, home.empty() ? home : home / place, home}) {
    if (can_be_written_to(folder)) return fs::absolute(folder);
  }
  return fs::temp_directory_path();
}

}  // namespace headlight
