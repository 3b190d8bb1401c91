// A file that a person drops on the window: is it a mask?
#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace headlight {

/// Whether the file is to be taken as a mask. A picture or a table is one anywhere; a single array, or a file of arrays
/// that holds no attention, only where one is `wanted`. Never throws: what cannot be opened is none.
bool is_mask_file(const std::string& path, bool wanted);
/// The scenario with that mask in force: it is file(), which becomes the expression unless that names it already.
Scenario with_mask_file(Scenario scenario, const std::string& path);

}  // namespace headlight
