// predict --why and --lens, as JSON and as text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/network/network.h"

namespace headlight {

/// `asked` is "WORD" or "WORD,OTHER"; the pass keeps its parts (RunOptions::parts). Throw SettingError.
nlohmann::ordered_json why_json(const NetworkRun& pass, Index entry, const std::string& asked);
/// The `top` parts that count most, the rest as one.
void print_why(const NetworkRun& pass, Index entry, const std::string& asked, Index top);

nlohmann::ordered_json lens_json(const NetworkRun& pass, Index entry);
void print_lens(const NetworkRun& pass, Index entry);

}  // namespace headlight
