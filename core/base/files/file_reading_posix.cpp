#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/files/file_reading.h"

namespace headlight {

namespace fs = std::filesystem;

Descriptor open_to_read(const fs::path& path) { return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

std::size_t read_at(const Descriptor& file, std::uint64_t at, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const auto got = ::pread(file.number(), out.data() + done, out.size() - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

fs::file_time_type change_time(const fs::path& path, std::error_code& error) {
  return fs::last_write_time(path, error);
}

std::error_code replace_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error;
}

}  // namespace headlight
