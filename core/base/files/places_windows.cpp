#include <cstdlib>
#include <string>

#include "core/base/files/places.h"
#include "core/base/files/windows.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// In UTF-16, so that names of any language are whole.
fs::path place_in(const wchar_t* variable) {
  const wchar_t* value = ::_wgetenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

fs::path below(const fs::path& folder, const char* name) { return folder.empty() ? folder : folder / name; }

}  // namespace

fs::path running_program() {
  std::wstring path(32768, L'\0');  // the longest that Windows has
  path.resize(::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

fs::path home_folder() { return place_in(L"USERPROFILE"); }

fs::path state_folder() { return below(place_in(L"APPDATA"), "headlight"); }

std::vector<fs::path> own_data_folders() {
  const fs::path state = state_folder();
  return state.empty() ? std::vector<fs::path>() : std::vector{state / "assets"};
}

/// Unpacked from its zip, the program lies beside its assets; a build tree is laid out as on other systems.
std::vector<fs::path> data_folders_of_program(const fs::path& program_folder) {
  return {program_folder / "assets", program_folder.parent_path() / "share" / "headlight"};
}

std::vector<fs::path> shared_data_folders() { return {}; }

}  // namespace headlight
