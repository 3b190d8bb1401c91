// What writing a file whole needs of the system: locks that end with their process, and bytes that reach the disk.
// One file for each kind of system.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/files/descriptor.h"

namespace headlight {

using Chunks = std::span<const std::span<const std::byte>>;

/// Makes an empty file. Returns false, with errno, if something is there already, if only a link.
bool make_new_file(const std::filesystem::path& path);
/// Locks a folder until the returned descriptor is closed or the process ends.
Descriptor lock_folder(const std::filesystem::path& folder);
/// Whether no program holds the lock of this file or folder of this user: whoever makes one holds it until the end.
bool is_abandoned(const std::filesystem::path& path);
/// Writes the file to the disk itself, so that after a power cut there is the old file or the new one. Returns "" or
/// the error.
std::string flush_to_disk(const std::filesystem::path& path, bool folder);
/// Writes through a file that has no name until it is complete and on the disk, so that a stopped program leaves
/// nothing. Returns false, with nothing done, if the system has no such files. `status`: of `real`, which is replaced.
bool write_nameless(const std::filesystem::path& real, const std::filesystem::path& folder, Chunks parts,
                    const std::filesystem::file_status& status, const std::filesystem::path& target);

}  // namespace headlight
