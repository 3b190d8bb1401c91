#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <fontconfig/fontconfig.h>

#include "core/base/tensor/error.h"
#include "core/figures/figure/fonts.h"

namespace headlight {
namespace {

using Pattern = std::unique_ptr<FcPattern, Destroy<FcPatternDestroy>>;

/// fontconfig has one configuration for each process. It is not released at the end: Pango's font maps are never
/// destroyed, and FcFini crashes while they use it.
void start_fontconfig() {
  static const bool started = FcInit() == FcTrue;
  static_cast<void>(started);
}

struct FontRequest {
  std::vector<const char*> families;  // the preferred family first; the last is a generic family of fontconfig
  int weight = FC_WEIGHT_REGULAR;
  int slant = FC_SLANT_ROMAN;
};

FontRequest request_for(FontRole role) {
  switch (role) {
    case FontRole::text: return {{"Inter", "DejaVu Sans", "sans-serif"}};
    case FontRole::strong: return {{"Inter", "DejaVu Sans", "sans-serif"}, FC_WEIGHT_DEMIBOLD};
    case FontRole::mono: return {{"JetBrains Mono", "DejaVu Sans Mono", "monospace"}};
    case FontRole::math:
      return {{"STIX Two Text", "STIX", "CMU Serif", "Latin Modern Roman", "DejaVu Serif", "serif"},
              FC_WEIGHT_REGULAR,
              FC_SLANT_ITALIC};
    case FontRole::cjk: break;
  }
  return {{"WenQuanYi Micro Hei", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "sans-serif"}};
}

std::optional<FontFile> match(const Pattern& wanted) {
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(nullptr, wanted.get(), &result));
  FcChar8 *path = nullptr, *family = nullptr;
  int face = 0;
  if (!found || FcPatternGetString(found.get(), FC_FILE, 0, &path) != FcResultMatch) return {};
  FcPatternGetString(found.get(), FC_FAMILY, 0, &family);
  FcPatternGetInteger(found.get(), FC_INDEX, 0, &face);
  const auto text = [](const FcChar8* s) { return s != nullptr ? std::string(reinterpret_cast<const char*>(s)) : ""; };
  return FontFile{text(path), face & 0xffff, text(family)};  // the upper 16 bits are the instance of a variable font
}

const FcChar8* bytes(const char* text) { return reinterpret_cast<const FcChar8*>(text); }

}  // namespace

FontFile find_font(FontRole role) {
  start_fontconfig();
  const FontRequest request = request_for(role);
  for (const char* family : request.families) {
    const Pattern wanted(FcPatternCreate());
    FcPatternAddString(wanted.get(), FC_FAMILY, bytes(family));
    FcPatternAddInteger(wanted.get(), FC_WEIGHT, request.weight);
    FcPatternAddInteger(wanted.get(), FC_SLANT, request.slant);
    FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
    const std::optional<FontFile> found = match(wanted);
    // fontconfig always finds some font. Only the requested family counts, except for the generic one.
    if (found && (found->family == family || family == request.families.back())) return *found;
  }
  throw FileError("fonts", "fontconfig finds no font", "expected Inter or DejaVu Sans (fonts-dejavu-core)");
}

std::string font_families(FontRole role) {
  std::string text;
  for (const char* family : request_for(role).families) text.append(text.empty() ? "" : ",").append(family);
  const std::size_t generic = text.rfind(',');
  return text.substr(0, generic) + ",WenQuanYi Micro Hei,Noto Sans CJK SC" + text.substr(generic);
}

namespace {

using Set = std::unique_ptr<FcFontSet, Destroy<FcFontSetDestroy>>;

Set listed(const Pattern& wanted) {
  const std::unique_ptr<FcObjectSet, Destroy<FcObjectSetDestroy>> fields(FcObjectSetBuild(FC_FAMILY, nullptr));
  return Set(FcFontList(nullptr, wanted.get(), fields.get()));
}

std::string family_of(const FcPattern* pattern) {
  FcChar8* family = nullptr;
  const bool has = FcPatternGetString(pattern, FC_FAMILY, 0, &family) == FcResultMatch;
  return has ? reinterpret_cast<const char*>(family) : "";
}

/// The family that fontconfig chooses for a name.
std::string matched(const std::string& family) {
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, bytes(family.c_str()));
  FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
  const std::optional<FontFile> found = match(wanted);
  return found ? found->family : std::string();
}

bool names_file(const std::string& font) {
  return font.find_first_of("/\\") != std::string::npos || font.ends_with(".ttf") || font.ends_with(".otf");
}

Pattern described(const std::string& file) {
  int count = 0;
  return Pattern(FcFreeTypeQuery(bytes(file.c_str()), 0, nullptr, &count));
}

/// The family of a font file, which fontconfig knows afterwards.
std::optional<std::string> family_in(const std::string& path) {
  const Pattern inside = described(path);
  if (!inside || FcConfigAppFontAddFile(nullptr, bytes(path.c_str())) == FcFalse) return {};
  return family_of(inside.get());
}

/// The family for a name: the name itself if it is installed, the family of a font file, or fontconfig's substitute for
/// a generic or well-known name ("serif", "Times"). None for other names.
std::optional<std::string> family_for(const std::string& name) {
  start_fontconfig();
  if (names_file(name)) return family_in(name);
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, bytes(name.c_str()));
  if (const Set found = listed(wanted); found && found->nfont > 0) return name;
  const std::string substitute = matched(name);
  const bool generic = name == "sans-serif" || name == "sans" || name == "monospace" || name == "serif";
  // fontconfig's choice for an unknown name is the same as for any unknown name.
  if (substitute.empty() || (!generic && substitute == matched("no such family"))) return {};
  return substitute;
}

}  // namespace

std::vector<std::string> installed_families() {
  start_fontconfig();
  const Pattern any(FcPatternCreate());
  const Set found = listed(any);
  std::set<std::string> names;
  for (int i = 0; found && i < found->nfont; ++i) {
    if (std::string name = family_of(found->fonts[i]); !name.empty()) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

FontStyle font_style(const std::string& font) {
  start_fontconfig();
  const Pattern inside = names_file(font) ? described(font) : nullptr;
  FontStyle style;
  int weight = 0, slant = 0;
  if (!inside) return style;
  if (FcPatternGetInteger(inside.get(), FC_WEIGHT, 0, &weight) == FcResultMatch)
    style.weight = FcWeightToOpenType(weight);
  if (FcPatternGetInteger(inside.get(), FC_SLANT, 0, &slant) == FcResultMatch) style.italic = slant != FC_SLANT_ROMAN;
  return style;
}

std::string installed_family(const std::string& family) { return family_for(family).value_or(family); }

bool has_family(const std::string& family) { return family_for(family).has_value(); }

void refuse_font(const std::string& family) {
  throw SettingError("--font", Message("\"{0}\" is not installed", family),
                     "expected a font file, or the name of a font family, such as DejaVu Serif or serif");
}

}  // namespace headlight
