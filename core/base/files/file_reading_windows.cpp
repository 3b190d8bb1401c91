// A file that is opened with all kinds of sharing can be removed and replaced; others are locked until they are closed.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <io.h>

#include "core/base/files/file_reading.h"
#include "core/base/files/windows.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

/// FILE_RENAME_INFO as Windows 10 reads it.
struct RenameHead {
  DWORD flags;
  HANDLE folder;
  DWORD name_bytes;
};

constexpr int file_rename_info_ex = 22;
constexpr DWORD replace_if_exists = 1, posix_semantics = 2;

/// The old file loses its name and lives on for who has it open.
bool rename_over_open(const fs::path& from, const fs::path& to) {
  HANDLE const file =
      ::CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return false;
  std::error_code error;
  const std::wstring name = fs::absolute(to, error).make_preferred().wstring();
  const std::size_t name_at = offsetof(RenameHead, name_bytes) + sizeof(DWORD);
  const std::size_t name_bytes = name.size() * sizeof(wchar_t);
  std::vector<std::byte> info(std::max(sizeof(RenameHead), name_at + name_bytes + sizeof(wchar_t)));
  const RenameHead head{replace_if_exists | posix_semantics, nullptr, static_cast<DWORD>(name_bytes)};
  std::memcpy(info.data(), &head, sizeof head);
  std::memcpy(info.data() + name_at, name.c_str(), name_bytes + sizeof(wchar_t));
  const bool renamed = ::SetFileInformationByHandle(file, static_cast<FILE_INFO_BY_HANDLE_CLASS>(file_rename_info_ex),
                                                    info.data(), static_cast<DWORD>(info.size())) != 0;
  ::CloseHandle(file);
  return renamed;
}

/// Where the step above is not known, as on a memory stick: in two steps. A program that is killed between them leaves
/// the old file under another name, which nothing removes by itself.
bool swap_with_open(const fs::path& from, const fs::path& to) {
  const fs::path aside = to.parent_path() / (".headlight-" + std::to_string(std::random_device{}()) + ".old");
  if (!::MoveFileExW(to.c_str(), aside.c_str(), 0)) return false;
  if (!::MoveFileExW(from.c_str(), to.c_str(), 0)) {
    ::MoveFileExW(aside.c_str(), to.c_str(), 0);
    return false;
  }
  ::DeleteFileW(aside.c_str());
  return true;
}

}  // namespace

Descriptor open_to_read(const fs::path& path) {
  return open_file(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, OPEN_EXISTING);
}

std::size_t read_at(const Descriptor& file, std::uint64_t at, std::span<std::byte> out) {
  HANDLE const handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file.number()));
  std::size_t done = 0;
  while (done < out.size()) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(at + done);
    place.OffsetHigh = static_cast<DWORD>((at + done) >> 32);
    DWORD got = 0;
    const auto part = static_cast<DWORD>(std::min<std::size_t>(out.size() - done, std::size_t{1} << 30));
    if (!::ReadFile(handle, out.data() + done, part, &got, &place) || got == 0) break;
    done += got;
  }
  return done;
}

/// The standard library's last_write_time() knows seconds alone.
fs::file_time_type change_time(const fs::path& path, std::error_code& error) {
  WIN32_FILE_ATTRIBUTE_DATA about{};
  error.clear();
  if (!::GetFileAttributesExW(path.c_str(), GetFileExInfoStandard, &about)) {
    error.assign(static_cast<int>(::GetLastError()), std::system_category());
    return fs::file_time_type::min();
  }
  // In 100 ns since 1601.
  const auto ticks = static_cast<std::int64_t>(std::uint64_t{about.ftLastWriteTime.dwHighDateTime} << 32 |
                                               about.ftLastWriteTime.dwLowDateTime);
  constexpr std::int64_t from_1601_to_1970 = 116'444'736'000'000'000;
  const std::chrono::sys_time since_1970{std::chrono::nanoseconds((ticks - from_1601_to_1970) * 100)};
  return std::chrono::file_clock::from_sys(since_1970);
}

std::error_code replace_file(const fs::path& from, const fs::path& to) {
  DWORD reason = 0;
  for (int tries = 0; tries < 10; ++tries) {
    if (::MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING)) return {};
    reason = ::GetLastError();
    if (reason != ERROR_ACCESS_DENIED && reason != ERROR_SHARING_VIOLATION) break;
    if (rename_over_open(from, to) || swap_with_open(from, to)) return {};
    ::Sleep(20);  // a virus scanner may hold a new file for a moment
  }
  return {static_cast<int>(reason), std::system_category()};
}

}  // namespace headlight
