// Where the files that ship with the program are found: lessons, translations, colour maps.
#pragma once

#include <filesystem>
#include <string_view>

namespace headlight {

/// The path of a shipped file or folder, e.g. asset("colormaps/viridis.txt"). Looked for in this order: the folder that
/// the environment's HEADLIGHT_ASSETS names, the source tree this was built from, ../share/headlight beside the
/// program's folder (see remember_executable). Throws FileError where none has it.
std::filesystem::path asset(std::string_view relative);

/// Tells asset() where the program lies, from main's argv[0] or better. Call once, before any thread starts.
void remember_executable(const std::filesystem::path& program);

}  // namespace headlight
