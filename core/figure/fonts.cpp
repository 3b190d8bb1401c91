#include "core/figure/fonts.h"

#include <memory>
#include <vector>

#include <fontconfig/fontconfig.h>

#include "core/tensor/error.h"

namespace headlight {
namespace {

template <auto destroy>
struct Destroy {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using Pattern = std::unique_ptr<FcPattern, Destroy<FcPatternDestroy>>;
using CharSet = std::unique_ptr<FcCharSet, Destroy<FcCharSetDestroy>>;

/// fontconfig keeps one configuration a process; it is given back when the program ends.
void start_fontconfig() {
  struct Session {
    Session() { FcInit(); }
    ~Session() { FcFini(); }
  };
  static const Session session;
}

struct Wish {
  std::vector<const char*> families;  // most wanted first; the last is fontconfig's generic
  int weight = FC_WEIGHT_REGULAR;
  int slant = FC_SLANT_ROMAN;
};

Wish wish_for(FontRole role) {
  switch (role) {
    case FontRole::text:
      return {{"Inter", "DejaVu Sans", "sans-serif"}};
    case FontRole::strong:
      return {{"Inter", "DejaVu Sans", "sans-serif"}, FC_WEIGHT_DEMIBOLD};
    case FontRole::mono:
      return {{"JetBrains Mono", "DejaVu Sans Mono", "monospace"}};
    case FontRole::math:
      return {{"STIX Two Text", "STIX", "CMU Serif", "Latin Modern Roman", "DejaVu Serif", "serif"},
              FC_WEIGHT_REGULAR,
              FC_SLANT_ITALIC};
    case FontRole::cjk:
      break;
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

const FcChar8* bytes(const char* text) {
  return reinterpret_cast<const FcChar8*>(text);
}

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

std::optional<FontFile> fallback_font(char32_t character) {
  start_fontconfig();
  const CharSet needed(FcCharSetCreate());
  FcCharSetAddChar(needed.get(), static_cast<FcChar32>(character));
  const Pattern wanted(FcPatternCreate());
  for (const char* family : {"Inter", "DejaVu Sans", "WenQuanYi Micro Hei", "Noto Sans CJK SC"}) {
    FcPatternAddString(wanted.get(), FC_FAMILY, bytes(family));
  }
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, needed.get());
  FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
  // FcFontMatch weighs the family over the characters; the sorted list holds each font's own set to look into.
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const std::unique_ptr<FcFontSet, Destroy<FcFontSetDestroy>> sorted(
      FcFontSort(nullptr, wanted.get(), FcTrue, nullptr, &result));
  for (int i = 0; sorted && i < sorted->nfont; ++i) {
    FcCharSet* has = nullptr;
    FcChar8 *path = nullptr, *family = nullptr;
    int face = 0;
    FcPattern* font = sorted->fonts[i];
    if (FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch ||
        FcCharSetHasChar(has, static_cast<FcChar32>(character)) == FcFalse ||
        FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch) {
      continue;
    }
    FcPatternGetInteger(font, FC_INDEX, 0, &face);
    FcPatternGetString(font, FC_FAMILY, 0, &family);
    return FontFile{reinterpret_cast<const char*>(path), face & 0xffff,
                    family != nullptr ? reinterpret_cast<const char*>(family) : ""};
  }
  return {};
}

}  // namespace headlight
