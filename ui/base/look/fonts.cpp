#include "ui/base/look/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

#include <imgui_freetype.h>

#include "core/base/files/load_budget.h"
#include "core/base/text/unicode.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"

namespace headlight {
namespace {

struct Size {
  Face face;
  float points;
};
// The font sizes of the window at scale 1, with larger ones for a zoomed canvas and presentations, spaced closely
// enough that text can always be drawn at one of them. No text is smaller than the first size of its face.
constexpr std::array sizes{
    Size{Face::ui, 13},   Size{Face::ui, 15},   Size{Face::ui, 18},   Size{Face::ui, 21},   Size{Face::ui, 26},
    Size{Face::ui, 34},   Size{Face::bold, 13}, Size{Face::bold, 16}, Size{Face::bold, 20}, Size{Face::bold, 26},
    Size{Face::bold, 34}, Size{Face::mono, 12}, Size{Face::mono, 14}, Size{Face::mono, 17}, Size{Face::mono, 20},
    Size{Face::mono, 28}, Size{Face::mono, 40}, Size{Face::math, 10}, Size{Face::math, 13}, Size{Face::math, 16},
    Size{Face::math, 18}, Size{Face::math, 22}, Size{Face::math, 26}, Size{Face::math, 36},
};

// If the window has room for type up to twice these sizes, the largest size that fits.
constexpr std::array large_sizes{Size{Face::ui, 52}, Size{Face::bold, 52}, Size{Face::bold, 68}, Size{Face::math, 46}};

// Characters beyond Latin-1 that formulas, labels and controls use.
constexpr const char* symbols =
    "−∞√∑Σ·×÷≤≥≠≈→←↑↓⌊⌋ᵀ′αβγθμσδ₀₁₂₃₄₅₆₇₈₉ₕₖ∈∘⊙⊕"
    "…–—“”‘’›‹•▸▾▴△▶⏸◀✕✓⚠½¼²³␀";

constexpr std::size_t first_cjk = 0x2E80;  // Chinese characters and all code points after them

bool needs_cjk(const ImVector<ImWchar>& ranges) {
  for (int i = 0; i + 1 < ranges.Size; i += 2) {
    if (ranges[i + 1] >= first_cjk) return true;
  }
  return false;
}

/// Whether the font lacks a wanted Chinese character.
bool any_is_lacking(const ImFont& font, const std::vector<bool>& wanted) {
  for (std::size_t character = first_cjk; character <= 0xFFEF; ++character) {
    const bool has_none = character >= 0xD800 && character < 0xF900;  // surrogates, private use
    if (wanted[character] && !has_none && font.FindGlyphNoFallback(static_cast<ImWchar>(character)) == nullptr)
      return true;
  }
  return false;
}

constexpr std::uint64_t largest_font = 1u << 30;  // bytes: more than any font has
constexpr double atlas_pixels = 24e6;             // four bytes each, on the graphics card; more if glyphs are larger
constexpr double most_atlas_pixels = 150e6;       // with the characters of the interface alone
// Dear ImGui 1.86 keeps glyphs in blocks of 256 × 256 pixels and writes beyond one with a larger glyph. At this size
// the widest glyphs of the usual faces have 57,000.
constexpr float largest_glyph = 200;
// A text gets room for this many characters of its own, however many the interface needs.
constexpr double least_given = 500;

/// Formulas and large numbers have no Chinese characters.
bool holds_cjk(const Size& size) { return size.face != Face::math && (size.face != Face::mono || size.points < 24); }

/// The sizes in pixels that glyphs are made at: none is above `most`, and none is there twice.
template <typename Each>
void each_baked(std::span<const Size> of_window, float scale, float most, Each each) {
  Size last{Face::ui, 0};
  for (const Size& size : of_window) {
    const float pixels = std::min(size.points * scale, most);
    if (size.face == last.face && pixels == last.points) continue;
    last = {size.face, pixels};
    each(size, pixels);
  }
}

/// The maximum atlas area of a character, in all sizes that have it.
double pixels_of_a_character(float scale, float most, bool cjk) {
  double sum = 0;
  each_baked(sizes, scale, most, [&](const Size& size, float pixels) {
    if (!cjk || holds_cjk(size)) sum += std::pow(static_cast<double>(pixels) + 2, 2);
  });
  return sum;
}

/// The atlas area of `seen` together with the usual characters.
double pixels_of(const std::vector<bool>& seen, float scale, float most) {
  const auto middle = seen.begin() + first_cjk;
  const auto others = static_cast<double>(std::count(seen.begin(), middle, true)) + 200,
             cjk = static_cast<double>(std::count(middle, seen.end(), true));
  return others * pixels_of_a_character(scale, most, false) + cjk * pixels_of_a_character(scale, most, true);
}

/// The area that may be filled: the packing of the glyphs leaves gaps.
double texture_area(int texture_limit) {
  const double side = std::min(texture_limit, 16384);
  return std::min(0.8 * side * side, most_atlas_pixels);
}

/// The largest size at which the characters of the interface fit into the atlas. Larger type is drawn from it, blurred.
float largest_that_fits(const std::vector<bool>& seen, float scale, int texture_limit, double larger) {
  float most = largest_glyph;
  while (most > 16 && pixels_of(seen, scale, most) * larger > texture_area(texture_limit))
    most = std::floor(most * 0.9f);
  return most;
}

/// The number of further characters that fit if `taken` pixels are used.
double room_for_characters(float scale, float most, double taken, int texture_limit) {
  const double one = pixels_of_a_character(scale, most, true),
               wanted = atlas_pixels * std::clamp(std::pow(static_cast<double>(scale), 2), 1.0, 3.0);
  return std::max(std::min(std::max((wanted - taken) / one, least_given), (texture_area(texture_limit) - taken) / one),
                  0.0);
}

/// The characters of `text` that are not in `kept`, the most frequent first, at most `most`.
std::vector<char32_t> most_frequent(const std::string& text, const std::vector<bool>& kept, std::size_t most) {
  std::vector<std::pair<std::size_t, char32_t>> counts;
  std::unordered_map<char32_t, std::size_t> places;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    const bool control = character < 0x20;  // have no glyphs, and a range that begins with 0 would end ImGui's list
    if (control || character > IM_UNICODE_CODEPOINT_MAX || (character < kept.size() && kept[character])) continue;
    const auto [place, added] = places.emplace(character, counts.size());
    if (added) counts.emplace_back(0, character);
    ++counts[place->second].first;
  }
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (counts.size() > most) counts.resize(most);
  std::vector<char32_t> chosen;
  for (const auto& [count, character] : counts) chosen.push_back(character);
  return chosen;
}

void mark(std::vector<bool>& seen, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) seen[next_character(text, at)] = true;
}

/// The length of the longest prefix, in whole UTF-8 characters, that leaves room for "…"; the whole text if it fits.
std::size_t fitting(const Fonts& fonts, Face face, float pixels, std::string_view text, float width) {
  if (text_size(fonts, face, pixels, text).x <= width + 0.5f) return text.size();
  const float room = width - text_size(fonts, face, pixels, "…").x;
  const auto is_inside = [&](std::size_t at) {
    return at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  // Doubling makes the cost of a long word proportional to its width, not to the square of it.
  std::size_t length = std::min<std::size_t>(64, text.size());
  while (length < text.size() && text_size(fonts, face, pixels, text.substr(0, length)).x <= room)
    length = std::min(2 * length, text.size());
  while (is_inside(length)) --length;
  while (length > 0 && text_size(fonts, face, pixels, text.substr(0, length)).x > room) {
    do --length;
    while (is_inside(length));
  }
  return length;
}

}  // namespace

FontRole role_of(Face face) {
  switch (face) {
    case Face::ui: return FontRole::text;
    case Face::bold: return FontRole::strong;
    case Face::mono: return FontRole::mono;
    case Face::math: return FontRole::math;
  }
  return FontRole::text;
}

void Fonts::note(std::string_view text) const {
  if (left_out_.empty() || compat::dynamic_fonts) return;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t letter = next_character(text, at);
    if (letter < 0x80 || letter >= in_sight_.known.size() || in_sight_.known[letter]) continue;
    in_sight_.known[letter] = true;
    in_sight_.letters.push_back(letter);
    if (left_out_[letter] && !std::ranges::binary_search(came_first_, letter)) in_sight_.lacking = true;
  }
}

bool Fonts::covers(float scale, const std::string& words, const std::string& text) {
  if (scale != scale_ || large_ != made_large_ || seen_.empty() || lacks_in_sight()) return false;
  for (const char32_t letter : in_sight_.letters) in_sight_.known[letter] = false;
  in_sight_.letters.clear();
  if (words == words_ && text == text_) return true;
  for (const std::string* each : {&words, &text}) {
    for (std::size_t at = 0; at < each->size();) {
      if (!seen_[next_character(*each, at)]) return false;
    }
  }
  words_ = words;
  text_ = text;
  return true;
}

ImFont* Fonts::add(FontRole role, float pixels, const ImWchar* ranges, bool merge) {
  auto found = faces_.find(role);
  if (found == faces_.end()) {
    const FontFile file = find_font(role);
    found = faces_.emplace(role, FaceBytes{whole_text(file.path, largest_font), file.face_index}).first;
  }
  auto& [bytes, index] = found->second;
  ImFontConfig config;
  config.FontNo = static_cast<decltype(config.FontNo)>(index);
  config.MergeMode = merge;
  config.OversampleH = config.OversampleV = 1;
  config.PixelSnapH = false;
  return compat::add_font(*ImGui::GetIO().Fonts, bytes, pixels, config, ranges);
}

/// The characters of `text` that fit: the visible ones first, then the most frequent. Marks all of them as seen.
std::vector<char32_t> Fonts::chosen(const std::string& text, std::size_t room) {
  came_first_ = std::move(in_sight_.letters);
  in_sight_ = {};
  std::vector<bool> kept = seen_;
  std::vector<char32_t> chosen;
  const auto choose = [&](char32_t letter) {
    kept[letter] = true;
    chosen.push_back(letter);
  };
  for (const char32_t letter : came_first_) {
    if (!kept[letter] && chosen.size() < room && letter <= IM_UNICODE_CODEPOINT_MAX) choose(letter);
  }
  std::ranges::sort(came_first_);
  std::ranges::for_each(most_frequent(text, kept, room - chosen.size()), choose);
  mark(seen_, text);
  left_out_.clear();
  if (chosen.size() < room) return chosen;
  left_out_ = seen_;
  for (std::size_t letter = 0; letter < kept.size(); ++letter) {
    if (kept[letter]) left_out_[letter] = false;
  }
  in_sight_.known.assign(seen_.size(), false);
  return chosen;
}

void Fonts::load(float scale, const std::string& words, const std::string& text) {
  scale_ = scale;
  words_ = words;
  text_ = text;
  baked_.clear();
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
#if IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
#endif
  ImFontGlyphRangesBuilder wanted;
  wanted.AddRanges(atlas.GetGlyphRangesDefault());
  wanted.AddText(symbols);
  wanted.AddText(words.c_str());
  seen_.assign(0x110000, false);
  mark(seen_, words);
  const double larger = large_ ? 2 : 1;
  const float most = largest_that_fits(seen_, scale, texture_limit_, larger);
  const double room = room_for_characters(scale, most, pixels_of(seen_, scale, most) * larger, texture_limit_);
  for (const char32_t character : chosen(text, static_cast<std::size_t>(room))) {
    wanted.AddChar(static_cast<ImWchar>(character));
  }
  static ImVector<ImWchar> ranges;  // the atlas keeps a pointer to it until it is built
  ranges.clear();
  wanted.BuildRanges(&ranges);
  const bool cjk = needs_cjk(ranges);
  const auto make = [&](const Size& size, float pixels) {
    ImFont* font = add(role_of(size.face), pixels, ranges.Data, false);
    if (size.face != Face::mono) add(FontRole::mono, pixels, ranges.Data, true);  // signs that the face lacks
    if (cjk && holds_cjk(size)) add(FontRole::cjk, pixels, ranges.Data, true);
    baked_.push_back({size.face, std::round(pixels), font});
  };
  each_baked(sizes, scale, most, make);
  if (large_) each_baked(large_sizes, scale, most, make);
  made_large_ = large_;
  ImGui::GetIO().FontDefault = pick(Face::ui, TypeSize::body * scale);
#if IMGUI_VERSION_NUM < 19200
  int width = 2048;  // otherwise a tall atlas may exceed the maximum texture size
  const double area = pixels_of(seen_, scale, most) * larger / 0.8;
  while (width < 16384 && area / width > width) width *= 2;
  atlas.TexDesiredWidth = std::min(texture_limit_, width);
  atlas.Build();
#endif
  lacks_ = cjk && any_is_lacking(*pick(Face::ui, TypeSize::body * scale), seen_);
}

float Fonts::crisp(Face face, float pixels) const {
  if (compat::dynamic_fonts) {  // sizes in between are drawn from the nearest one, blurred
    const auto least = std::ranges::find(sizes, face, &Size::face);
    return std::max(std::round(pixels), std::round(least->points * scale_));
  }
  float best = 0, largest = 0;
  for (const Baked& baked : baked_) {
    if (baked.face != face) continue;
    largest = baked.pixels;
    if (best == 0 || largest <= pixels * 1.1f) best = largest;
  }
  return pixels > largest * 1.1f ? pixels : best;
}

ImFont* Fonts::pick(Face face, float pixels) const {
  ImFont* best = nullptr;
  for (const Baked& baked : baked_) {
    if (baked.face != face) continue;
    best = baked.font;
    if (compat::dynamic_fonts || baked.pixels >= pixels - 0.5f) break;
  }
  return best;
}

void draw_text(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
               std::string_view text) {
  if (text.empty()) return;
  fonts.note(text);
  pixels = fonts.crisp(face, pixels);
  const int first = list.IdxBuffer.Size;
  list.AddText(fonts.pick(face, pixels), pixels, {std::round(at.x), std::round(at.y)}, colour, text.data(),
               text.data() + text.size());
  if (Record* record = recording()) {
    const ImVec2 size = text_size(fonts, face, pixels, text);
    RecordedText drawn{std::string(text),
                       at,
                       {at.x + size.x, at.y + size.y},
                       list.GetClipRectMin(),
                       list.GetClipRectMax(),
                       face,
                       pixels,
                       colour};
    drawn.list = &list;
    drawn.first = first;
    drawn.last = list.IdxBuffer.Size;
    record->texts.push_back(std::move(drawn));
  }
}

ImVec2 text_size(const Fonts& fonts, Face face, float pixels, std::string_view text) {
  pixels = fonts.crisp(face, pixels);
  if (text.empty()) return {0, pixels};
  return fonts.pick(face, pixels)->CalcTextSizeA(pixels, 1e9f, 0, text.data(), text.data() + text.size());
}

void draw_elided(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
                 std::string_view text, float width) {
  const std::size_t length = fitting(fonts, face, pixels, text, width);
  draw_text(list, fonts, face, pixels, at, colour, text.substr(0, length));
  if (length == text.size()) return;
  at.x += text_size(fonts, face, pixels, text.substr(0, length)).x;
  draw_text(list, fonts, face, pixels, at, colour, "…");
}

void draw_turned(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 end, float degrees, ImU32 colour,
                 std::string_view text, float width) {
  const ImVec2 size = text_size(fonts, face, pixels, text);
  const int first = list.VtxBuffer.Size;
  const std::size_t recorded = recording() ? recording()->texts.size() : 0;
  draw_elided(list, fonts, face, pixels, {end.x - std::min(size.x, width), end.y - size.y / 2}, colour, text, width);
  if (Record* record = recording()) {
    for (std::size_t i = recorded; i < record->texts.size(); ++i) {
      record->texts[i].turned = true;
      record->texts[i].degrees = degrees;
      record->texts[i].pivot = end;
    }
  }
  const float angle = degrees * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& p = list.VtxBuffer[i].pos;
    const ImVec2 d{p.x - end.x, p.y - end.y};
    p = {end.x + d.x * c - d.y * s, end.y + d.x * s + d.y * c};
  }
}

std::string elide(const Fonts& fonts, Face face, float pixels, std::string_view text, float width) {
  const std::size_t length = fitting(fonts, face, pixels, text, width);
  return std::string(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

}  // namespace headlight
