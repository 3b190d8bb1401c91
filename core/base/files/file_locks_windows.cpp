// A lock is a file that is opened without sharing: Windows opens it again only once its process has closed it or ended.
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <io.h>

#include "core/base/files/file_locks.h"
#include "core/base/files/windows.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

fs::path lock_in(const fs::path& folder) { return folder / "lock"; }

}  // namespace

Descriptor open_file(const fs::path& path, unsigned long access, unsigned long share, unsigned long creation) {
  HANDLE const file = ::CreateFileW(path.c_str(), access, share, nullptr, creation, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    const DWORD reason = ::GetLastError();
    const bool held = reason == ERROR_SHARING_VIOLATION || reason == ERROR_LOCK_VIOLATION;
    errno = held                                                               ? EBUSY
            : reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND ? ENOENT
            : reason == ERROR_FILE_EXISTS || reason == ERROR_ALREADY_EXISTS    ? EEXIST
            : reason == ERROR_DISK_FULL                                        ? ENOSPC
                                                                               : EACCES;
    return Descriptor();
  }
  return Descriptor(::_open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_BINARY | _O_NOINHERIT));
}

bool make_new_file(const fs::path& path) { return open_file(path, GENERIC_WRITE, 0, CREATE_NEW).open(); }

Descriptor lock_folder(const fs::path& folder) { return open_file(lock_in(folder), GENERIC_WRITE, 0, CREATE_NEW); }

bool is_abandoned(const fs::path& path) {
  std::error_code error;
  const fs::path lock = fs::is_directory(path, error) ? lock_in(path) : path;
  return open_file(lock, GENERIC_READ, FILE_SHARE_DELETE, OPEN_EXISTING).open() || errno == ENOENT;
}

std::string flush_to_disk(const fs::path& path, bool folder) {
  if (folder) return {};  // Windows keeps names in a journal of its own
  const Descriptor file = open_file(path, GENERIC_WRITE, FILE_SHARE_READ, OPEN_EXISTING);
  if (!file.open()) return std::generic_category().message(errno);
  return ::_commit(file.number()) == 0 ? std::string() : std::generic_category().message(errno);
}

bool write_nameless(const fs::path&, const fs::path&, Chunks, const fs::file_status&, const fs::path&) { return false; }

}  // namespace headlight
