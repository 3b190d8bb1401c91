// Bytes as text, RFC 4648.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace headlight {

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace headlight
