// Writing a file whole or not at all: into a temporary file beside it, which then takes its name.
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

/// Calls `write` with the path of a temporary file that does not exist yet, in the target's folder, then gives that
/// file the target's name. Whatever fails (or throws), the temporary is removed and what stood there before stays as
/// it was; a temporary that a killed program left in the folder an hour ago or earlier is removed. A target that is no
/// ordinary file, such as a pipe or /dev/null, is written to instead of replaced. Throws FileError "PATH: cannot be
/// written: …", and whatever `write` throws.
void write_whole_file(const std::filesystem::path& target,
                      const std::function<void(const std::filesystem::path& temporary)>& write);
/// The same of bytes that are there already; on Linux a program that is killed meanwhile leaves no temporary either.
void write_whole_file(const std::filesystem::path& target, std::span<const std::byte> bytes);
/// The same of a text or a list of bytes.
template <typename Contents>
requires(sizeof(*std::data(std::declval<const Contents&>())) ==
         1) void write_whole_file(const std::filesystem::path& target, const Contents& contents) {
  write_whole_file(target, std::as_bytes(std::span(contents)));
}
/// The same of parts that follow one another.
void write_whole_file(const std::filesystem::path& target, std::span<const std::span<const std::byte>> parts);

/// Throws FileError "PATH: cannot be written: REASON; expected …".
[[noreturn]] void fail_to_write(const std::filesystem::path& target, const Message& reason,
                                const Message& expected = "expected a place that can be written to");

/// The folder that `target` is in. Throws FileError if it does not exist.
std::filesystem::path folder_for(const std::filesystem::path& target);

/// A file or folder that is removed in the end with all that it holds, unless it was renamed.
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
/// A new, empty folder beside the target. Throws FileError as write_whole_file() does.
Temporary temporary_folder(const std::filesystem::path& target);

/// The plain inner step: `bytes` into a new file at `path`. `subject` is whom the FileError is about.
void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes,
                 const std::filesystem::path& subject);

/// `folder`/`stem``extension`, or with "_2", "_3", … after the stem while that exists already.
std::filesystem::path free_path(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& extension);

/// The current folder; if nothing can be written there, the home folder's `place` ("Pictures"), else the home
/// folder, else the one for temporary files. Absolute.
std::filesystem::path writable_folder(const char* place);

}  // namespace headlight
