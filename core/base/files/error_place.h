// Errors of the readers in core/base/arrays: one sentence on one line, about a file or a part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"

namespace headlight {

/// The subject of an error. `path` is as the user wrote it; `part` is e.g. `array "x"` and may be empty.
struct ErrorPlace {
  std::string path;
  Message part = {};

  /// Throws FileError: `path: part: wrong; expected …`.
  [[noreturn]] void fail(const Message& wrong, const Message& expected = {}) const;
  /// The same for a file that is truncated, damaged or not written by a known library.
  [[noreturn]] void fail_damaged(const Message& wrong) const;
  /// The same file, with the array of that name as the part.
  ErrorPlace array(std::string_view name) const;
};

/// The text in double quotes, with everything except printable ASCII and UTF-8 text escaped as \xNN, cut after 60
/// bytes, so that text from a file cannot break or flood the error's line.
Message in_quotes(std::string_view text);
/// "\"a\", \"b\" and 3 more"
Message first_in_quotes(const std::vector<std::string>& names, std::size_t most);
/// "1 byte", "512 bytes", "1.3 GB"
Message byte_count(std::uint64_t bytes);
bool is_utf8(std::string_view text);

/// What the first bytes of a file show: `starts with "\x89PNG", a PNG picture`; empty for an empty file.
Message first_look(std::string_view head);
/// Whether first_look() recognises another kind of file.
bool is_something_else(std::string_view head);

}  // namespace headlight
