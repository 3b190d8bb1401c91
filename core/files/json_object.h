// A small JSON file that is one object, such as a config.json: bounded in size and depth before anything is made of it,
// because what goes through a tree by recursion has only so much stack.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "core/tensor/message.h"

namespace headlight {

/// Throws FileError where the file cannot be opened, has more than `most` bytes, is nested deeper than deepest_json or
/// is no object; `expected` says what it should have been.
nlohmann::json read_json_object(const std::filesystem::path& path, const Message& expected,
                                std::uintmax_t most = 16 << 20);

}  // namespace headlight
