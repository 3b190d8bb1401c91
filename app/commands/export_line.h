// What of a trace the command line asks for, and how it is to look.
#pragma once

#include "app/commands/command_line.h"
#include "core/export/export_options.h"

namespace headlight {

/// Throws SettingError.
ExportOptions export_options_of(const CommandLine& line);

}  // namespace headlight
