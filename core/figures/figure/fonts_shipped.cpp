// The fonts of a program without fontconfig: the font files in its assets.
#include <algorithm>
#include <array>
#include <set>

#include "core/base/assets/assets.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/figure/fonts.h"

namespace headlight {
namespace {

// A few Chinese letters, those of the program's own texts, until the whole font is loaded.
constexpr const char* few_letters = "wqy-microhei-few.ttf";

struct Shipped {
  FontRole role;
  const char *file, *family, *like;  ///< `like`: a replacement on the reader's machine
};
constexpr std::array shipped{
    Shipped{FontRole::text, "Inter-Regular.otf", "Inter", "sans-serif"},
    Shipped{FontRole::strong, "Inter-SemiBold.otf", "Inter", "sans-serif"},
    Shipped{FontRole::mono, "JetBrainsMono-Regular.ttf", "JetBrains Mono", "monospace"},
    Shipped{FontRole::math, "STIX-Italic.otf", "STIX", "serif"},
    Shipped{FontRole::cjk, "wqy-microhei.ttc", "WenQuanYi Micro Hei", "sans-serif"},
};

const Shipped& entry(FontRole role) {
  for (const Shipped& each : shipped) {
    if (each.role == role) return each;
  }
  return shipped.front();
}

}  // namespace

FontFile find_font(FontRole role) {
  const Shipped& found = entry(role);
  try {
    return {utf8_from(asset(std::string("fonts/") + found.file)), 0, found.family};
  } catch (const FileError&) {
    if (role != FontRole::cjk) throw;
    return {utf8_from(asset(std::string("fonts/") + few_letters)), 0, found.family};
  }
}

std::string font_families(FontRole role) {
  const Shipped& found = entry(role);
  return std::string(found.family) + ",WenQuanYi Micro Hei,Noto Sans CJK SC," + found.like;
}

FontStyle font_style(const std::string&) { return {}; }

std::vector<std::string> installed_families() {
  std::set<std::string> names;
  for (const Shipped& each : shipped) names.insert(each.family);
  return {names.begin(), names.end()};
}

std::string installed_family(const std::string& family) { return family; }

bool has_family(const std::string& family) {
  return family == "sans" || std::ranges::any_of(shipped, [&](const Shipped& each) {
           return family == each.family || family == each.like;
         });
}

void refuse_font(const std::string& family) {
  throw SettingError("--font", Message("\"{0}\" is not among the fonts of this program", family),
                     "expected the name of a family that it brings along, such as Inter or serif");
}

}  // namespace headlight
