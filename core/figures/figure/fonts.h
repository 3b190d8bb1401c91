// The only user of fontconfig: the font file for each role.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

enum class FontRole : std::uint8_t {
  text,    ///< labels: Inter, else DejaVu Sans, else any sans-serif font
  strong,  ///< titles: the same in semi-bold (bold if there is no semi-bold)
  mono,    ///< numbers, tabular: JetBrains Mono, else DejaVu Sans Mono
  math,    ///< formulas, serif italic: STIX Two Text, else Latin Modern or CMU, else DejaVu Serif
  cjk,     ///< Chinese: WenQuanYi Micro Hei, else Noto Sans CJK
};

struct FontFile {
  std::string path;
  int face_index = 0;  ///< within a collection (.ttc)
  std::string family;
};

/// Throws FileError if the system has no fonts. For cjk, the result can be the plain face if there is nothing better.
FontFile find_font(FontRole role);
/// The families for a role, separated by commas: preferred ones first, then fallbacks for missing characters.
std::string font_families(FontRole role);
/// The actual family of a generic name ("serif"); any other name unchanged. A generic name before another family in a
/// list would be ignored.
std::string installed_family(const std::string& family);
/// Whether a family of this name is installed. Generic names always are.
bool has_family(const std::string& family);
/// Throws SettingError for a --font that has no family, with what a font can be in this program.
[[noreturn]] void refuse_font(const std::string& family);

/// The sorted names of all installed families.
std::vector<std::string> installed_families();

struct FontStyle {
  int weight = 400;  ///< as in CSS: 700 is bold
  bool italic = false;
};
/// The style of a font file; regular for a family's name.
FontStyle font_style(const std::string& font);

}  // namespace headlight
