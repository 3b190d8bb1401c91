// A small JSON file that is one object, such as a config.json: limited in size and depth before it is used,
// because recursion through a tree needs stack.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "core/tensor/message.h"

namespace headlight {

/// Throws FileError if the file cannot be opened, has more than `most` bytes, is nested deeper than deepest_json or
/// is no object; `expected` says what it should have been.
nlohmann::json read_json_object(const std::filesystem::path& path, const Message& expected,
                                std::uintmax_t most = 16 << 20);

}  // namespace headlight
