// Several sentences, a batch entry each, stand in a field of one line with " / " between them.
#pragma once

#include <string>

#include "ui/frame/frame.h"

namespace headlight {

/// Kept from frame to frame.
const std::string& in_one_line(const Frame& frame, const std::string& lines);
/// The same the other way round, but for one at the end, after which nothing is typed yet.
std::string as_lines(std::string text);

}  // namespace headlight
