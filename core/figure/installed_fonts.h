// Which font families there are to choose from.
#pragma once

#include <string>
#include <vector>

namespace headlight {

/// The names of all that are installed, in their order.
std::vector<std::string> installed_families();

struct FontStyle {
  int weight = 400;  ///< as CSS counts it: 700 bold
  bool italic = false;
};
/// Of a font file's letters; regular for a family's name.
FontStyle font_style(const std::string& font);

}  // namespace headlight
