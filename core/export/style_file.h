// A group's own style for figures: a JSON file of render's options, {"font": "serif", "font-size": 7, "norm": "log",
// "letters": true}.
#pragma once

#include <string>

#include "core/export/export_options.h"

namespace headlight {

/// Applies what the file says. Throws FileError for what is no such file and for options that say what is drawn rather
/// than how (stage, batch, head, rows, cols, kind), SettingError as the options themselves do.
void apply_style_file(ExportOptions& options, const std::string& path);

}  // namespace headlight
