#include "core/figure/typesetter.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include FT_OUTLINE_H

#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <vector>

#include "core/tensor/error.h"
#include "core/text/utf8.h"

namespace headlight {
namespace {

struct CloseLibrary {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
};
struct CloseFace {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using Library = std::unique_ptr<FT_LibraryRec_, CloseLibrary>;
using Face = std::unique_ptr<FT_FaceRec_, CloseFace>;

struct Glyph {
  FT_Face face;
  FT_UInt index;
  float x;  // of its origin along the baseline, in ems
  float advance;
};

struct Rotation {
  float cosine, sine;
  explicit Rotation(float degrees)
      : cosine(std::cos(degrees * std::numbers::pi_v<float> / 180)),
        sine(std::sin(degrees * std::numbers::pi_v<float> / 180)) {}
  Point turn(float x, float y) const { return {x * cosine - y * sine, x * sine + y * cosine}; }
};

float anchored(Anchor anchor, float width) {
  return anchor == Anchor::start ? 0 : anchor == Anchor::middle ? -width / 2 : -width;
}

FT_Fixed fixed(float x) {
  return static_cast<FT_Fixed>(std::lround(x * 65536.0f));
}

void blend(Image& image, const FT_Bitmap& coverage, int left, int top, Rgba ink) {
  for (int row = 0; row < static_cast<int>(coverage.rows); ++row) {
    for (int col = 0; col < static_cast<int>(coverage.width); ++col) {
      const int x = left + col, y = top + row;
      const unsigned char share = coverage.buffer[row * coverage.pitch + col];
      if (share == 0 || x < 0 || y < 0 || x >= image.width || y >= image.height) continue;
      const float over = static_cast<float>(share) / 255.0f * static_cast<float>(ink.a) / 255.0f;
      const Rgba ground = image.at(x, y);
      const float under = static_cast<float>(ground.a) / 255.0f * (1 - over);
      Rgba result = mix(ground, ink, over / (over + under));
      result.a = static_cast<std::uint8_t>(std::lround((over + under) * 255));
      image.set(x, y, result);
    }
  }
}

/// Collects an outline in font units as path commands in units of the figure.
struct PathWriter {
  std::string path;
  Point origin;
  float scale;
  Rotation rotation;

  void put(char command, std::initializer_list<const FT_Vector*> points) {
    path += command;
    for (const FT_Vector* p : points) {
      const Point turned = rotation.turn(static_cast<float>(p->x) * scale, -static_cast<float>(p->y) * scale);
      char text[48];
      std::snprintf(text, sizeof text, "%.2f %.2f ", static_cast<double>(origin.x + turned.x),
                    static_cast<double>(origin.y + turned.y));
      path += text;
    }
  }
};

int move_to(const FT_Vector* to, void* writer) {
  auto& out = *static_cast<PathWriter*>(writer);
  if (!out.path.empty()) out.path += 'Z';
  out.put('M', {to});
  return 0;
}
int line_to(const FT_Vector* to, void* writer) {
  return static_cast<PathWriter*>(writer)->put('L', {to}), 0;
}
int conic_to(const FT_Vector* control, const FT_Vector* to, void* writer) {
  return static_cast<PathWriter*>(writer)->put('Q', {control, to}), 0;
}
int cubic_to(const FT_Vector* a, const FT_Vector* b, const FT_Vector* to, void* writer) {
  return static_cast<PathWriter*>(writer)->put('C', {a, b, to}), 0;
}

}  // namespace

struct Typesetter::Impl {
  Library library;
  std::map<std::pair<std::string, int>, Face> faces;  // by path and index
  std::map<FontRole, FT_Face> role_faces;
  std::map<char32_t, FT_Face> fallbacks;

  FT_Face open(const FontFile& font) {
    Face& face = faces[{font.path, font.face_index}];
    if (!face) {
      FT_Face opened = nullptr;
      if (FT_New_Face(library.get(), font.path.c_str(), font.face_index, &opened) != 0) {
        throw FileError(font.path, "is not a font that can be read", "expected what fontconfig promised");
      }
      face.reset(opened);
    }
    return face.get();
  }

  FT_Face face_of(FontRole role) {
    FT_Face& face = role_faces[role];
    if (face == nullptr) face = open(find_font(role));
    return face;
  }

  FT_Face face_for(char32_t character, FontRole role) {
    FT_Face own = face_of(role);
    if (FT_Get_Char_Index(own, character) != 0) return own;
    const auto known = fallbacks.find(character);
    if (known != fallbacks.end()) return known->second != nullptr ? known->second : own;
    const std::optional<FontFile> font = fallback_font(character);
    FT_Face other = font ? open(*font) : nullptr;
    fallbacks[character] = other;
    return other != nullptr ? other : own;
  }

  std::vector<Glyph> set(std::string_view text, FontRole role) {
    std::vector<Glyph> glyphs;
    float x = 0;
    for (std::size_t at = 0; at < text.size();) {
      const char32_t character = next_character(text, at);
      FT_Face face = face_for(character, role);
      const FT_UInt index = FT_Get_Char_Index(face, character);
      FT_Fixed advance = 0;
      FT_Get_Advance(face, index, FT_LOAD_NO_SCALE, &advance);
      const float ems = static_cast<float>(advance) / static_cast<float>(face->units_per_EM);
      glyphs.push_back({face, index, x, ems});
      x += ems;
    }
    return glyphs;
  }
};

Typesetter::Typesetter() : impl_(std::make_unique<Impl>()) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) throw FileError("fonts", "FreeType does not start");
  impl_->library.reset(library);
}

Typesetter::~Typesetter() = default;

float Typesetter::width(std::string_view text, FontRole role, float size) {
  const std::vector<Glyph> glyphs = impl_->set(text, role);
  return glyphs.empty() ? 0 : (glyphs.back().x + glyphs.back().advance) * size;
}

float Typesetter::half_height(FontRole role, float size) {
  FT_Face face = impl_->face_of(role);
  if (FT_Load_Char(face, 'H', FT_LOAD_NO_SCALE) != 0) return 0.36f * size;
  return static_cast<float>(face->glyph->metrics.height) / static_cast<float>(face->units_per_EM) * size / 2;
}

std::string Typesetter::elide(std::string_view text, FontRole role, float size, float max_width) {
  if (width(text, role, size) <= max_width) return std::string(text);
  const float room = max_width - width("…", role, size);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    next_character(text, at);
    if (width(text.substr(0, at), role, size) > room) break;
    kept = at;
  }
  while (kept > 0 && text[kept - 1] == ' ') --kept;
  return kept == 0 ? std::string() : std::string(text.substr(0, kept)) + "…";
}

void Typesetter::draw(Image& image, const Label& label, float scale) {
  const std::vector<Glyph> glyphs = impl_->set(label.text, label.role);
  const Rotation rotation(label.angle);
  const float start = anchored(label.anchor, width(label.text, label.role, label.size));
  FT_Matrix turn{fixed(rotation.cosine), fixed(rotation.sine), fixed(-rotation.sine), fixed(rotation.cosine)};
  for (const Glyph& glyph : glyphs) {
    FT_Set_Char_Size(glyph.face, 0, std::lround(label.size * scale * 64), 72, 72);
    if (FT_Load_Glyph(glyph.face, glyph.index, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) != 0) continue;
    if (glyph.face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) continue;
    const Point along = rotation.turn(start + glyph.x * label.size, 0);
    const float x = (label.at.x + along.x) * scale, y = (label.at.y + along.y) * scale;
    const float left = std::floor(x), top = std::floor(y);
    FT_Outline_Transform(&glyph.face->glyph->outline, &turn);
    FT_Outline_Translate(&glyph.face->glyph->outline, std::lround((x - left) * 64), std::lround((top - y) * 64));
    if (FT_Render_Glyph(glyph.face->glyph, FT_RENDER_MODE_NORMAL) != 0) continue;
    const FT_GlyphSlot slot = glyph.face->glyph;
    blend(image, slot->bitmap, static_cast<int>(left) + slot->bitmap_left, static_cast<int>(top) - slot->bitmap_top,
          label.colour);
  }
}

std::string Typesetter::outline(const Label& label) {
  const FT_Outline_Funcs commands{move_to, line_to, conic_to, cubic_to, 0, 0};
  const Rotation rotation(label.angle);
  const float start = anchored(label.anchor, width(label.text, label.role, label.size));
  std::string path;
  for (const Glyph& glyph : impl_->set(label.text, label.role)) {
    if (FT_Load_Glyph(glyph.face, glyph.index, FT_LOAD_NO_SCALE) != 0) continue;
    if (glyph.face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) continue;
    const Point along = rotation.turn(start + glyph.x * label.size, 0);
    PathWriter writer{{},
                      {label.at.x + along.x, label.at.y + along.y},
                      label.size / static_cast<float>(glyph.face->units_per_EM),
                      rotation};
    FT_Outline_Decompose(&glyph.face->glyph->outline, &commands, &writer);
    if (!writer.path.empty()) path += writer.path + 'Z';
  }
  return path;
}

LabelBox label_box(const Label& label, Typesetter& typesetter) {
  const Rotation rotation(label.angle);
  const float length = typesetter.width(label.text, label.role, label.size);
  const float left = anchored(label.anchor, length);
  const float up = -2 * typesetter.half_height(label.role, label.size), down = 0.2f * label.size;
  LabelBox box;
  const Point local[4] = {{left, up}, {left + length, up}, {left + length, down}, {left, down}};
  for (int i = 0; i < 4; ++i) {
    const Point turned = rotation.turn(local[i].x, local[i].y);
    box.corner[i] = {label.at.x + turned.x, label.at.y + turned.y};
  }
  return box;
}

}  // namespace headlight
