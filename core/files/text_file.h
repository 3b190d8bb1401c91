// The text of a whole file, where it is small enough.
#pragma once

#include <filesystem>
#include <string>

#include "core/files/error_place.h"

namespace headlight {

/// Throws FileError about `place` where there is no such file, where it is no regular one, where it has more than
/// `most` bytes, and where it cannot be read.
std::string whole_text(const std::filesystem::path& path, std::uint64_t most, const ErrorPlace& place);
/// The same of a path as a person wrote it.
std::string whole_text(const std::string& path, std::uint64_t most);

}  // namespace headlight
