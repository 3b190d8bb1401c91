// Files of a folder as one ZIP archive.
#pragma once

#include <filesystem>
#include <string>

namespace headlight {

/// Packs the files of `folder` and of the folders in it, by name, under `inside`/ in the archive; the same files give
/// the same bytes. The archive appears whole or not at all. Throws FileError.
void write_zip(const std::filesystem::path& target, const std::filesystem::path& folder, const std::string& inside);

}  // namespace headlight
