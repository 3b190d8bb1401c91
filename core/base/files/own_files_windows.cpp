// The state folder is in the user's profile, which Windows keeps to its user. A lock is a file opened without sharing.
#include <cerrno>
#include <random>
#include <span>
#include <system_error>

#include <io.h>

#include "core/base/files/file_locks.h"
#include "core/base/files/file_reading.h"
#include "core/base/files/own_files.h"
#include "core/base/files/whole_file.h"
#include "core/base/files/windows.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool write_own_bytes(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const int written =
        ::_write(file.number(), text.data(), static_cast<unsigned>(std::min<std::size_t>(text.size(), 1 << 24)));
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string write_beside(const fs::path& file, std::string_view text, bool synced) {
  const fs::path beside = file.parent_path() / abandonable_name(std::random_device{}());
  bool whole = false;
  if (const Descriptor opened = open_file(beside, GENERIC_WRITE, 0, CREATE_NEW); opened.open())
    whole = write_own_bytes(opened, text) && (!synced || ::_commit(opened.number()) == 0);
  std::string reason = whole ? std::string() : std::generic_category().message(errno);
  std::error_code error;
  if (whole) error = replace_file(beside, file);
  if (error) reason = error.message();
  if (!reason.empty()) fs::remove(beside, error);
  return reason;
}

}  // namespace

std::string write_own_file(const fs::path& file, std::string_view text, bool synced) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return error.message();
  remove_abandoned(file.parent_path());
  // Once more if another process took the new file, closed but not yet renamed, for that of a killed program.
  return write_beside(file, text, synced).empty() ? std::string() : write_beside(file, text, synced);
}

std::optional<std::string> read_own_file(const fs::path& file, std::size_t most) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error || size > most || !fs::is_regular_file(file, error)) return {};
  const Descriptor opened = open_to_read(file);
  if (!opened.open()) return {};
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(read_at(opened, 0, std::as_writable_bytes(std::span(text))));
  return text;
}

bool touch_own_file(const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!open_file(file, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_ALWAYS).open()) return false;
  fs::last_write_time(file, fs::file_time_type::clock::now(), error);
  return !error;
}

int lock_own_file(const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  // It may be removed while it is held; whoever wants it to read or write does not get it.
  return open_file(file, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, OPEN_ALWAYS).release();
}

}  // namespace headlight
