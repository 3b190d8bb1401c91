// What writing a file will need, from counts alone, so that it is refused before anything is computed for it.
#pragma once

#include <string>

#include "core/figures/export/export_options.h"

namespace headlight {

/// Throws SettingError if the chosen part is more than a file with this ending can be made of in seconds.
void check_needs(const Trace& trace, const ExportOptions& options, const std::string& extension);
/// The same for all stages of the trace, in a bundle.
void check_bundle_needs(const Trace& trace);
/// The same for a picture of every stage and head, on paper.
void check_handout_needs(const Trace& trace);

}  // namespace headlight
