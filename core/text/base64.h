// Bytes as text, RFC 4648.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headlight {

std::string base64(std::span<const std::uint8_t> bytes);
/// Unset if it is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace headlight
