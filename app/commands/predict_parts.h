// Parts of a logit and the lens, as JSON and as text: predict --why, predict --lens, explain --cell logit_parts:…
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/commands/command_line.h"
#include "core/network/network.h"

namespace headlight {

/// `asked` is "WORD" or "WORD,OTHER"; the pass keeps its parts (RunOptions::parts). Throw SettingError.
nlohmann::ordered_json why_json(const NetworkRun& pass, Index entry, const std::string& asked);
/// The `top` parts that count most, the rest as one.
void print_why(const NetworkRun& pass, Index entry, const std::string& asked, Index top);

/// "logit_parts:b,q,WORD" or "logit_parts:b,q,WORD,PART": the sum that the logit is, or that its part is.
inline constexpr std::string_view logit_parts_cell = "logit_parts:";
int explain_logit(const CommandLine& line);

nlohmann::ordered_json lens_json(const NetworkRun& pass, Index entry);
void print_lens(const NetworkRun& pass, Index entry);

}  // namespace headlight
