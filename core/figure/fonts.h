// The one door to fontconfig: which font file serves for what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

enum class FontRole : std::uint8_t {
  text,    ///< labels: Inter, else DejaVu Sans, else whatever sans-serif there is
  strong,  ///< titles: the same, semi-bold (bold where that is all there is)
  mono,    ///< numbers, tabular: JetBrains Mono, else DejaVu Sans Mono
  math,    ///< formulas, serif italic: STIX Two Text, else Latin Modern or CMU, else DejaVu Serif
  cjk,     ///< Chinese: WenQuanYi Micro Hei, else Noto Sans CJK
};

struct FontFile {
  std::string path;
  int face_index = 0;  ///< within a collection (.ttc)
  std::string family;
};

/// Throws FileError where the system has no font at all. For cjk: nothing better than the plain face may be found.
FontFile find_font(FontRole role);
/// The families that serve a role, most wanted first, between commas; then those that have what it lacks.
std::string font_families(FontRole role);
/// The family itself that a generic name ("serif") stands for here; any other name as it is. Before another family in a
/// list, a generic name would count for nothing.
std::string installed_family(const std::string& family);
/// Whether a family of this name is installed. A generic one always is.
bool has_family(const std::string& family);

/// The names of all that are installed, in their order.
std::vector<std::string> installed_families();

struct FontStyle {
  int weight = 400;  ///< as CSS counts it: 700 bold
  bool italic = false;
};
/// Of a font file's letters; regular for a family's name.
FontStyle font_style(const std::string& font);

}  // namespace headlight
