// A small file read whole: its text, or the JSON object that it is, such as a config.json. Size and depth are limited
// before anything is read, because recursion through a tree needs stack.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "core/files/error_place.h"
#include "core/tensor/message.h"

namespace headlight {

/// Throws FileError about `place` where there is no such file, where it is no regular one, where it has more than
/// `most` bytes, and where it cannot be read.
std::string whole_text(const std::filesystem::path& path, std::uint64_t most, const ErrorPlace& place);
/// The same of a path as a person wrote it.
std::string whole_text(const std::string& path, std::uint64_t most);

/// Throws FileError if the file cannot be opened, has more than `most` bytes, is nested deeper than deepest_json or
/// is no object; `expected` says what it should have been.
nlohmann::json read_json_object(const std::filesystem::path& path, const Message& expected,
                                std::uintmax_t most = 16 << 20);

}  // namespace headlight
