// What an SVG says of itself: readers show the title, searches find both.
#pragma once

#include <string>

namespace headlight {

/// The same file with a <title> and a <desc>.
std::string with_svg_about(std::string svg, const std::string& title, const std::string& description);

}  // namespace headlight
