// Recognises a dropped file as a mask.
#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace headlight {

/// Whether the file is a mask. A picture or a table always is; a single array, or a file of arrays without attention,
/// only if one is `wanted`. Never throws; false for files that cannot be opened.
bool is_mask_file(const std::string& path, bool wanted);
/// The scenario with that mask: it becomes file(), and the expression becomes file() unless it uses it already.
Scenario with_mask_file(Scenario scenario, const std::string& path);

}  // namespace headlight
