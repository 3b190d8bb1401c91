// Finds the files that ship with the program: lessons, models, translations, colour maps.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace headlight {

/// The path of a shipped file or folder, e.g. asset("colormaps/viridis.txt"). Searched in this order: the folder in the
/// environment variable HEADLIGHT_ASSETS; ../share/headlight beside the program's folder, which a build tree links to
/// the source's assets; the user's and the system's data folders (XDG_DATA_HOME, XDG_DATA_DIRS); the library's
/// installation folder. Throws FileError if none has it.
std::filesystem::path asset(std::string_view relative);

/// All files with that ending in a folder of assets, shipped ones and the user's, sorted by name. If two have the same
/// name, the one that asset() finds.
std::vector<std::filesystem::path> asset_files(std::string_view folder, std::string_view extension);

/// Tells asset() where the program is, from main's argv[0], on systems that cannot be asked (other than Linux and
/// Windows). Call once, before any thread starts.
void remember_executable(const std::filesystem::path& program);

}  // namespace headlight
