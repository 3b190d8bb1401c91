// Atomic writing of files: into a temporary file in the same folder, which is then renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "core/tensor/message.h"

namespace headlight {

/// Calls `write` with the path of a temporary file in the target's folder that does not exist yet, then renames it to
/// the target. On any failure or exception, the temporary file is removed and the old target is kept. Also removes
/// temporary files that a killed program left in the folder more than an hour ago. A target that is not a regular file,
/// such as a pipe or /dev/null, is written to instead of replaced. Throws FileError "PATH: cannot be written: …", and
/// everything that `write` throws.
void write_whole_file(const std::filesystem::path& target,
                      const std::function<void(const std::filesystem::path& temporary)>& write);
/// The same for bytes in memory; on Linux, a program that is killed meanwhile leaves no temporary file either.
void write_whole_file(const std::filesystem::path& target, std::span<const std::byte> bytes);
/// The same for a text or a list of bytes.
template <typename Contents>
requires(sizeof(*std::data(std::declval<const Contents&>())) ==
         1) void write_whole_file(const std::filesystem::path& target, const Contents& contents) {
  write_whole_file(target, std::as_bytes(std::span(contents)));
}
/// The same for consecutive parts.
void write_whole_file(const std::filesystem::path& target, std::span<const std::span<const std::byte>> parts);

/// Throws FileError "PATH: cannot be written: REASON; expected …".
[[noreturn]] void fail_to_write(const std::filesystem::path& target, const Message& reason,
                                const Message& expected = "expected a place that can be written to");

/// The folder that `target` is in. Throws FileError if it does not exist.
std::filesystem::path folder_for(const std::filesystem::path& target);

/// A file or folder that is removed with its contents at the end, unless it was renamed.
class Temporary {
 public:
  explicit Temporary(std::filesystem::path path) : path_(std::move(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
/// A new, empty folder next to the target. Throws FileError like write_whole_file().
Temporary temporary_folder(const std::filesystem::path& target);

/// The basic step: writes `bytes` to a new file at `path`. `subject` is the subject of the FileError.
void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes,
                 const std::filesystem::path& subject);

/// `folder`/`stem``extension`; if that exists, with "_2", "_3", … after the stem.
std::filesystem::path free_path(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& extension);

/// The current folder; if nothing can be written there, the home folder's `place` ("Pictures"), else the home
/// folder, else the one for temporary files. Absolute.
std::filesystem::path writable_folder(const char* place);

}  // namespace headlight
