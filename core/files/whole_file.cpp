#include "core/files/whole_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include "core/tensor/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& target, const std::string& reason) {
  throw FileError(target.string(), "cannot be written: " + reason);
}

std::string last_error() {
  return errno != 0 ? std::strerror(errno) : "the disk may be full";
}

/// Removes its file unless it was given away by a rename.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path temporary_name(const fs::path& folder, const fs::path& target) {
  std::random_device random;
  fs::path name = ".";
  name += target.filename();
  name += "." + std::to_string(random()) + ".tmp";
  return folder / name;
}

void copy_into(const fs::path& from, const fs::path& device, const fs::path& target) {
  errno = 0;
  std::ifstream in(from, std::ios::binary);
  std::ofstream out(device, std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  out.close();
  if (!in || !out) fail(target, last_error());
}

}  // namespace

void write_bytes(const fs::path& path, std::span<const std::byte> bytes, const fs::path& subject) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail(subject, last_error());
}

void write_whole_file(const fs::path& target, const std::function<void(const fs::path&)>& write) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (target.filename().empty() || fs::is_directory(status)) fail(target, "it is a folder");
  // A symbolic link keeps pointing where it does; what it points to is replaced.
  const fs::path real = fs::exists(status) ? fs::canonical(target, error) : target;
  if (error && fs::exists(status)) fail(target, error.message());
  const fs::path folder = real.has_parent_path() ? real.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) fail(target, "there is no folder " + folder.string());

  const bool is_device = fs::exists(status) && !fs::is_regular_file(status);
  const TemporaryFile temporary(temporary_name(is_device ? fs::temp_directory_path() : folder, real));
  write(temporary.path());
  if (is_device) return copy_into(temporary.path(), real, target);
  fs::rename(temporary.path(), real, error);
  if (error) fail(target, error.message());
}

void write_whole_file(const fs::path& target, std::span<const std::byte> bytes) {
  write_whole_file(target, [&](const fs::path& temporary) { write_bytes(temporary, bytes, target); });
}

}  // namespace headlight
