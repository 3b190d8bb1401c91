// The commands: each takes a command line and returns an exit status. They throw exceptions, which main catches.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/commands/command_line.h"
#include "core/compute/network/network.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/export/export_options.h"

namespace headlight {

using Command = int(const CommandLine& line);
Command trace_command, render_command, bundle_command, handout_command, mask_code_command, predict_command,
    heads_command, patch_command, train_command, page_command, explain_command, list_command, window_command,
    screenshot_command, animation_command, frames_command;
/// Returns 1 if a stage differs.
Command compare_command;
/// Returns 2 if the lesson has a mistake.
Command lesson_command;
/// compare_command for each file in a folder, as a table. `trace` has the expected numbers.
int compare_folder(const CommandLine& line, const std::shared_ptr<const Trace>& trace, const Run& run);

/// The scenario of a command that reads a model.
Scenario network_scenario(const CommandLine& line);
/// With the threads of the command line.
Run run_of(const CommandLine& line);
std::shared_ptr<const Trace> trace_of(const CommandLine& line);

/// Prints it on standard output, with U+FFFD in place of invalid UTF-8.
void print_json(const nlohmann::ordered_json& json);
/// Throws FileError if the network has no output head.
void check_predicts(const CommandLine& line, const Network& network);

/// For --ablate mean, the means over --texts that replace the outputs of heads; otherwise null.
std::shared_ptr<const MeanHeads> means_over_texts(const CommandLine& line, const Network& network);

/// Prints the assumptions on standard error.
void print_assumptions(const CommandLine& line, const std::vector<Assumption>& assumptions);

/// Parses the arguments (without the program's name), runs the command, and prints errors as one line on standard
/// error. Returns the program's exit status.
int run_command_line(const std::vector<std::string>& arguments);

// Parts of a logit and the lens, as JSON and as text: predict --why, predict --lens, explain --cell logit_parts:…

/// `asked` is "WORD" or "WORD,OTHER"; the pass must keep its parts (RunOptions::parts). Throw SettingError.
nlohmann::ordered_json why_json(const NetworkRun& pass, Index entry, const std::string& asked);
/// Prints the `top` largest parts, and the sum of the others.
void print_why(const NetworkRun& pass, Index entry, const std::string& asked, Index top);

/// "logit_parts:b,q,WORD" or "logit_parts:b,q,WORD,PART": the sum of a logit's parts, or of one part.
inline constexpr std::string_view logit_parts_cell = "logit_parts:";
int explain_logit(const CommandLine& line);

nlohmann::ordered_json lens_json(const NetworkRun& pass, Index entry);
void print_lens(const NetworkRun& pass, Index entry);

}  // namespace headlight
