// What the tests of whole files share.
#pragma once

#include <iterator>
#include <span>

#include "core/base/files/whole_file.h"
#include "tests/core/files/samples.h"

namespace headlight::samples {

inline std::ptrdiff_t files_in(const TempFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
}

inline void write_whole(const std::filesystem::path& path, std::string_view text) {
  write_whole_file(path, std::as_bytes(std::span(text)));
}

}  // namespace headlight::samples
