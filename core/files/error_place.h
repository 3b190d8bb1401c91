// How the readers of core/files complain: one sentence on one line, about a file or a part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

/// What an error is about. `path` is as the person wrote it; `part` is e.g. `array "x"` and may be empty.
struct ErrorPlace {
  std::string path;
  std::string part = {};

  /// Throws FileError: `path: part: wrong; expected …`.
  [[noreturn]] void fail(const std::string& wrong, const std::string& expected = {}) const;
  /// The same of what is cut short, damaged or written by nobody's library.
  [[noreturn]] void fail_damaged(const std::string& wrong) const;
  /// The same file, the array of that name.
  ErrorPlace array(std::string_view name) const;
};

/// In double quotes, whatever is not printable ASCII or UTF-8 text escaped as \xNN, cut after 60 bytes: text from a
/// file can then neither break the line nor flood it.
std::string in_quotes(std::string_view text);
/// "1 byte", "512 bytes", "1.3 GB"
std::string byte_count(std::uint64_t bytes);
bool is_utf8(std::string_view text);

/// What the first bytes of a file give away: `starts with "\x89PNG", a PNG picture`; empty for an empty file.
std::string first_look(std::string_view head);
/// Whether first_look knows what the file is instead.
bool is_something_else(std::string_view head);

}  // namespace headlight
