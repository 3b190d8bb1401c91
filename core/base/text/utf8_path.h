// Paths are UTF-8 in files and settings, whatever the system's encoding.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace headlight {

inline std::filesystem::path path_from(const std::string& utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

inline std::string utf8_from(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

/// With forward slashes, which every system accepts.
inline std::string portable_utf8_from(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return {text.begin(), text.end()};
}

/// The part after the last slash of either kind.
inline std::string_view file_name_of(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

}  // namespace headlight
