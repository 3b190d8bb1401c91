// What part of a trace the command line asks for.
#pragma once

#include "app/commands/command_line.h"
#include "core/figure/stage_figure.h"

namespace headlight {

// Both throw SettingError.

/// A stage or parameter that this run has.
Stage stage_of(const std::string& name, const Trace& trace);
/// From --batch and --head N, N,M,… or all.
StageCut cut_of(const CommandLine& line, const Trace& trace, Stage stage);

}  // namespace headlight
