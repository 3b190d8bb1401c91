// Files that Headlight writes by itself, not on command: what it remembers of its user, below state_folder(). Somebody
// else may have laid a link or a pipe where one is expected. So each folder below the state folder is entered without
// following a link, must belong to this user, and is made private to them (0700, whatever the umask); each file must be
// a regular one of this user.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

/// Replaces the file as a whole, and its folders if they are missing. Returns why it failed; "" on success. `synced`:
/// it is on the disk when this returns.
std::string write_own_file(const std::filesystem::path& file, std::string_view text, bool synced = true);
/// The file's text; unset if there is none, or it has more than `most` bytes.
std::optional<std::string> read_own_file(const std::filesystem::path& file, std::size_t most);
/// Creates the file empty if it is missing, and sets its time to now. Returns whether it did.
bool touch_own_file(const std::filesystem::path& file);
/// Creates the file if it is missing, and locks it until the returned descriptor is closed. −1 and errno if another
/// process holds the lock, or the file cannot be opened.
int lock_own_file(const std::filesystem::path& file);

}  // namespace headlight
