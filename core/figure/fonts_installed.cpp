#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <fontconfig/fontconfig.h>

#include "core/figure/fonts.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using Pattern = std::unique_ptr<FcPattern, Destroy<FcPatternDestroy>>;

/// fontconfig keeps one configuration a process. It is not given back at the end: Pango's maps of fonts live as long,
/// and FcFini falls over what they still hold.
void start_fontconfig() {
  static const bool started = FcInit() == FcTrue;
  static_cast<void>(started);
}

struct Wish {
  std::vector<const char*> families;  // most wanted first; the last is fontconfig's generic
  int weight = FC_WEIGHT_REGULAR;
  int slant = FC_SLANT_ROMAN;
};

Wish wish_for(FontRole role) {
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
  return FontFile{text(path), face & 0xffff, text(family)};  // the high half names a variable font's instance
}

const FcChar8* bytes(const char* text) { return reinterpret_cast<const FcChar8*>(text); }

}  // namespace

FontFile find_font(FontRole role) {
  start_fontconfig();
  const Wish wish = wish_for(role);
  for (const char* family : wish.families) {
    const Pattern wanted(FcPatternCreate());
    FcPatternAddString(wanted.get(), FC_FAMILY, bytes(family));
    FcPatternAddInteger(wanted.get(), FC_WEIGHT, wish.weight);
    FcPatternAddInteger(wanted.get(), FC_SLANT, wish.slant);
    FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
    const std::optional<FontFile> found = match(wanted);
    // fontconfig always answers with something: only the family asked for counts, until the generic one.
    if (found && (found->family == family || family == wish.families.back())) return *found;
  }
  throw FileError("fonts", "fontconfig finds no font", "expected Inter or DejaVu Sans (fonts-dejavu-core)");
}

std::string font_families(FontRole role) {
  std::string text;
  for (const char* family : wish_for(role).families) text.append(text.empty() ? "" : ",").append(family);
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

/// What fontconfig would take for it.
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

/// The family of a font file, which is known to fontconfig from then on.
std::optional<std::string> family_in(const std::string& path) {
  const Pattern inside = described(path);
  if (!inside || FcConfigAppFontAddFile(nullptr, bytes(path.c_str())) == FcFalse) return {};
  return family_of(inside.get());
}

/// The family that serves for this name: itself where it is installed, a font file's own, what fontconfig puts in the
/// place of a generic or a well-known one ("serif", "Times"); none for any other.
std::optional<std::string> family_for(const std::string& name) {
  start_fontconfig();
  if (names_file(name)) return family_in(name);
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, bytes(name.c_str()));
  if (const Set found = listed(wanted); found && found->nfont > 0) return name;
  const std::string taken = matched(name);
  const bool generic = name == "sans-serif" || name == "sans" || name == "monospace" || name == "serif";
  // For a name that it does not know it takes what it takes for every other.
  if (taken.empty() || (!generic && taken == matched("no such family"))) return {};
  return taken;
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

}  // namespace headlight
