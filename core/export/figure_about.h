// The description in a figure's file: whose attention it shows, on which words, and what of it is random.
#pragma once

#include <string>

#include "core/export/export_options.h"

namespace headlight {

/// "model:english · layer 2 · head 1 · batch entry 0 of 2 · text: the girl looked at", without parts that say nothing.
std::string about_figure(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
