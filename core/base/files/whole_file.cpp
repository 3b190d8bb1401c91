#include "core/base/files/whole_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <system_error>

#include "core/base/files/file_locks.h"
#include "core/base/files/file_reading.h"
#include "core/base/files/places.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

Message last_error() { return errno != 0 ? std::strerror(errno) : "the disk may be full"; }

/// Writes to a new file: one that is there, or a link, is an error.
void write_parts(const fs::path& path, Chunks parts, const fs::path& subject) {
  if (!make_new_file(path)) fail_to_write(subject, last_error());
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
    lock_ = lock_folder(folder_);
    if (fs::exists(folder_, error)) return;  // else another process took it for an abandoned one before it was locked
  }
  fail_to_write(target, "temporary folders there are removed by something else");
}

Temporary::~Temporary() {
  std::error_code ignored;
  lock_ = Descriptor();  // Windows does not remove an open file
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
                 std::optional<Chunks> parts) {
  std::error_code error;
  const fs::path real = link_end(target, target);  // a symbolic link stays, its target is replaced
  const fs::file_status status = status_of(real, target);
  if (target.filename().empty() || fs::is_directory(status))
    fail_to_write(target, "it is a folder", "expected the name of a file");
  const fs::path folder = folder_for(real);

  const bool is_device = fs::exists(status) && !fs::is_regular_file(status);
  if (!is_device) remove_abandoned(folder);
  if (!is_device && parts && write_nameless(real, folder, *parts, status, target)) {
    flush_to_disk(folder, true);
    return;
  }
  const Temporary temporary(is_device ? fs::temp_directory_path() : folder, target);
  write(temporary.path());
  if (is_device) return copy_into(temporary.path(), real, target);
  if (fs::exists(status)) fs::permissions(temporary.path(), status.permissions(), error);
  if (const std::string reason = flush_to_disk(temporary.path(), false); !reason.empty()) fail_to_write(target, reason);
  error = replace_file(temporary.path(), real);
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
