// What a figure's file says of itself: whose attention it shows, on which words, and whether anything of it is random.
#pragma once

#include <string>

#include "core/export/export_options.h"

namespace headlight {

/// "model:english · layer 2 · head 1 · batch entry 0 of 2 · text: the girl looked at", parts that say nothing left out.
std::string about_figure(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
