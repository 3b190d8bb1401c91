// Which font families there are to choose from.
#pragma once

#include <string>
#include <vector>

namespace headlight {

/// The names of all that are installed, in their order.
std::vector<std::string> installed_families();

}  // namespace headlight
