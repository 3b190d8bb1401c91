// Atomic writing of files: into a temporary file in the same folder, which is then renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "core/base/files/descriptor.h"
#include "core/base/tensor/message.h"

namespace headlight {

/// Calls `write` with the path of a temporary file in the target's folder that does not exist yet, then renames it to
/// the target. On any failure or exception, the temporary file is removed and the old target is kept. Also removes
/// what killed programs left in the folder (remove_abandoned()). A target that is not a regular file,
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

/// What is at `path`, if anything. Throws FileError about `target` if the system refuses the name.
std::filesystem::file_status status_of(const std::filesystem::path& path, const std::filesystem::path& target);

/// The folder that `target` is in. Throws FileError if it does not exist.
std::filesystem::path folder_for(const std::filesystem::path& target);

/// A place in a folder for what is not whole yet; what is left there at the end is removed. It is in a private folder
/// that is locked as long as its process lives, so that remove_abandoned() finds those of killed programs.
class Temporary {
 public:
  /// Throws FileError about `target` like write_whole_file().
  Temporary(const std::filesystem::path& folder, const std::filesystem::path& target);
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary();
  /// Where a file or a folder can be made; nothing is there yet.
  std::filesystem::path path() const { return folder_ / "new"; }
  /// A second place.
  std::filesystem::path aside() const { return folder_ / "old"; }

 private:
  std::filesystem::path folder_;
  Descriptor lock_;
};
/// Removes the temporary files and folders of this user in `folder` whose process was killed, and only those.
void remove_abandoned(const std::filesystem::path& folder);
/// The name of a temporary file that remove_abandoned() knows, to be locked by who makes it.
std::string abandonable_name(unsigned int number);

/// Creates the folder and its missing parents. Throws FileError about `target`.
void make_folder(const std::filesystem::path& folder, const std::filesystem::path& target);

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
