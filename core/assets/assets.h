// Where the files that ship with the program are found: lessons, models, translations, colour maps.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace headlight {

/// The path of a shipped file or folder, e.g. asset("colormaps/viridis.txt"). Looked for in this order: the folder that
/// the environment's HEADLIGHT_ASSETS names; ../share/headlight beside the program's folder, which a build tree links
/// to the sources' assets; one's own and the system's data folders (XDG_DATA_HOME, XDG_DATA_DIRS); where the library
/// was to be installed. Throws FileError where none has it.
std::filesystem::path asset(std::string_view relative);

/// Every file of that ending in a folder of assets, shipped and one's own, by name; of two with one name the first that
/// asset() would find.
std::vector<std::filesystem::path> asset_files(std::string_view folder, std::string_view extension);

/// The folder of a person's own lessons, colour maps and styles, laid out as the shipped ones; it need not exist. Empty
/// where there is no home.
std::vector<std::filesystem::path> own_data_folders();

/// Tells asset() where the program lies, from main's argv[0], on systems that cannot be asked (other than Linux). Call
/// once, before any thread starts.
void remember_executable(const std::filesystem::path& program);

}  // namespace headlight
