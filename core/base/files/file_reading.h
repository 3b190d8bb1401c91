// Reading a file that other programs, and this one, may write, replace or remove meanwhile. One file for each kind of
// system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/base/files/descriptor.h"

namespace headlight {

/// Opens a file to read it. On failure the descriptor is not open, and errno says why.
Descriptor open_to_read(const std::filesystem::path& path);
/// The bytes from `at` on; returns how many there were. Threads may read from one descriptor at the same time.
std::size_t read_at(const Descriptor& file, std::uint64_t at, std::span<std::byte> out);
/// When the file was changed last, as finely as the system knows it.
std::filesystem::file_time_type change_time(const std::filesystem::path& path, std::error_code& error);
/// Gives `from` the name `to` in one step. A file that has that name is replaced, also while open_to_read() holds it.
std::error_code replace_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headlight
