// Files that hold a mask and nothing else: besides those of open_arrays, black-and-white pictures and tables of
// numbers.
#pragma once

#include <filesystem>
#include <memory>

#include "core/files/array_file.h"

namespace headlight {

/// PNG: an array "mask" of bool, a pixel a cell, true where it is nearer to white than to black (transparent counts as
/// white). Other text: "mask" of float32, a line a row, cells 0, 1, true, false or any number, apart by commas,
/// semicolons, tabs or spaces. Everything else as open_arrays. Throws FileError.
std::shared_ptr<const ArrayFile> open_mask_arrays(const std::filesystem::path& path);

/// Whether a file of that name can be a mask only: .png, .csv, .tsv, .txt.
bool is_mask_name(const std::filesystem::path& path);

}  // namespace headlight
