// The commands, each from a command line to an exit status. Errors are exceptions, caught in main.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/commands/command_line.h"
#include "core/export/export_options.h"
#include "core/network/network.h"
#include "core/run/pipeline.h"

namespace headlight {

using Command = int(const CommandLine& line);
Command trace_command, render_command, bundle_command, handout_command, mask_code_command, predict_command,
    heads_command, patch_command, explain_command, list_command, window_command, screenshot_command, animation_command,
    frames_command;
/// 1 where a stage differs.
Command compare_command;
/// 2 where the lesson has a mistake.
Command lesson_command;
/// compare_command for each file of a folder, as a table. `trace` is what they should give.
int compare_folder(const CommandLine& line, const std::shared_ptr<const Trace>& trace, const Run& run);

/// Of --ablate mean, what stands in the place of heads that are left out: their means over --texts; else null.
std::shared_ptr<const MeanHeads> means_over_texts(const CommandLine& line, const Network& network);

/// What was taken for granted, on standard error.
void print_assumptions(const CommandLine& line, const std::vector<Assumption>& assumptions);

/// Reads the arguments (without the program's name), does what they say, and turns errors into one line on standard
/// error. The program's exit status.
int run_command_line(const std::vector<std::string>& arguments);

// Parts of a logit and the lens, as JSON and as text: predict --why, predict --lens, explain --cell logit_parts:…

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
