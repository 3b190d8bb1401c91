// Caches font atlases. The tests' windows use few different ones, and making one takes longer than most tests.
#if defined(HEADLIGHT_REMEMBERS_FONTS)
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

#if IMGUI_VERSION_NUM < 19200
// ImGuiFreeType::GetBuilderForFreeType(), as GCC and Clang name it for the linker.
extern "C" const ImFontBuilderIO* __real__ZN13ImGuiFreeType21GetBuilderForFreeTypeEv();
extern "C" const ImFontBuilderIO* __wrap__ZN13ImGuiFreeType21GetBuilderForFreeTypeEv();

namespace {

/// Everything that an atlas is made from. Atlases with equal keys have equal glyphs.
using AtlasKey = std::vector<std::uint32_t>;

AtlasKey key_of(const ImFontAtlas& atlas) {
  AtlasKey key{static_cast<std::uint32_t>(atlas.TexDesiredWidth)};
  for (const ImFontConfig& config : atlas.ConfigData) {
    std::uint32_t pixels = 0;
    std::memcpy(&pixels, &config.SizePixels, sizeof pixels);
    key.insert(key.end(), {static_cast<std::uint32_t>(config.FontDataSize), static_cast<std::uint32_t>(config.FontNo),
                           pixels, config.MergeMode ? 1u : 0u});
    for (const ImWchar* range = config.GlyphRanges; *range != 0; ++range) key.push_back(*range);
  }
  return key;
}

struct MadeFont {
  ImVector<ImFontGlyph> glyphs;
  float ascent = 0, descent = 0;
  int surface = 0;
};

struct MadeAtlas {
  std::vector<MadeFont> fonts;
  ImVector<ImFontAtlasCustomRect> rectangles;
  int width = 0, height = 0;
};

MadeAtlas taken_from(const ImFontAtlas& atlas) {
  MadeAtlas made{{}, atlas.CustomRects, atlas.TexWidth, atlas.TexHeight};
  for (const ImFont* font : atlas.Fonts) {
    made.fonts.push_back({font->Glyphs, font->Ascent, font->Descent, font->MetricsTotalSurface});
  }
  return made;
}

/// Restores a built atlas, except the pixels of its glyphs, which no test reads.
void put_into(ImFontAtlas& atlas, const MadeAtlas& made) {
  ImFontAtlasBuildInit(&atlas);
  atlas.CustomRects = made.rectangles;
  atlas.TexWidth = made.width;
  atlas.TexHeight = made.height;
  atlas.TexUvScale = {1 / static_cast<float>(made.width), 1 / static_cast<float>(made.height)};
  const std::size_t pixels = static_cast<std::size_t>(made.width) * static_cast<std::size_t>(made.height);
  atlas.TexPixelsAlpha8 = static_cast<unsigned char*>(ImGui::MemAlloc(pixels));
  for (ImFontConfig& config : atlas.ConfigData) {
    const MadeFont& font = made.fonts[static_cast<std::size_t>(atlas.Fonts.find(config.DstFont) - atlas.Fonts.begin())];
    ImFontAtlasBuildSetupFont(&atlas, config.DstFont, &config, font.ascent, font.descent);
  }
  for (int i = 0; i < atlas.Fonts.Size; ++i) {
    atlas.Fonts[i]->Glyphs = made.fonts[static_cast<std::size_t>(i)].glyphs;
    atlas.Fonts[i]->MetricsTotalSurface = made.fonts[static_cast<std::size_t>(i)].surface;
    atlas.Fonts[i]->DirtyLookupTables = true;
  }
  ImFontAtlasBuildFinish(&atlas);
}

bool build(ImFontAtlas* atlas) {
  static std::map<AtlasKey, MadeAtlas> all;
  const AtlasKey key = key_of(*atlas);
  if (const auto found = all.find(key); found != all.end()) {
    put_into(*atlas, found->second);
    return true;
  }
  if (!__real__ZN13ImGuiFreeType21GetBuilderForFreeTypeEv()->FontBuilder_Build(atlas)) return false;
  all.emplace(key, taken_from(*atlas));
  return true;
}

}  // namespace

const ImFontBuilderIO* __wrap__ZN13ImGuiFreeType21GetBuilderForFreeTypeEv() {
  static constexpr ImFontBuilderIO builder{build};
  return &builder;
}
#endif
#endif
