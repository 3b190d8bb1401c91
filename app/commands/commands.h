// The commands, each from a command line to an exit status. Errors are exceptions, caught in main.
#pragma once

#include <memory>

#include "app/commands/command_line.h"
#include "core/export/export_options.h"
#include "core/network/network.h"
#include "core/run/pipeline.h"

namespace headlight {

int trace_command(const CommandLine& line);
int render_command(const CommandLine& line);
int bundle_command(const CommandLine& line);
int handout_command(const CommandLine& line);
int mask_code_command(const CommandLine& line);
int predict_command(const CommandLine& line);
int heads_command(const CommandLine& line);
int patch_command(const CommandLine& line);
int explain_command(const CommandLine& line);
/// 1 where a stage differs.
int compare_command(const CommandLine& line);
/// The same for each file of a folder, as a table. `trace` is what they should give.
int compare_folder(const CommandLine& line, const std::shared_ptr<const Trace>& trace, const Run& run);
/// 2 where the lesson has a mistake.
int lesson_command(const CommandLine& line);
int list_command(const CommandLine& line);
int window_command(const CommandLine& line);
int screenshot_command(const CommandLine& line);
int animation_command(const CommandLine& line);
int frames_command(const CommandLine& line);

/// Of --ablate mean, what stands in the place of heads that are left out: their means over --texts; else null.
std::shared_ptr<const MeanHeads> means_over_texts(const CommandLine& line, const Network& network);

/// What was taken for granted, on standard error.
void print_assumptions(const CommandLine& line, const std::vector<Assumption>& assumptions);

/// Reads the arguments (without the program's name), does what they say, and turns errors into one line on standard
/// error. The program's exit status.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace headlight
