// A path for a file that the user gave no name: an unused one, in a folder that can be written to.
#pragma once

#include <filesystem>
#include <string>

namespace headlight {

/// `folder`/`stem``extension`, or with "_2", "_3", … after the stem while that exists already.
std::filesystem::path free_path(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& extension);

/// The current folder; if nothing can be written there, the home folder's `place` ("Pictures"), else the home
/// folder, else the one for temporary files. Absolute.
std::filesystem::path writable_folder(const char* place);

}  // namespace headlight
