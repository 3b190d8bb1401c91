// Sets text letter by letter, with advances and the font's own kerning table, without shaping. Letters that a font
// lacks come from the fonts for numbers or for Chinese.
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include "core/base/text/unicode.h"
#include "core/figures/figure/canvas.h"
#include "core/figures/figure/typesetter.h"

namespace headlight {
namespace {

struct Done {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using Library = std::unique_ptr<FT_LibraryRec_, Done>;
using Face = std::unique_ptr<FT_FaceRec_, Done>;

struct Glyph {
  FT_Face face;
  FT_UInt index;
};

/// One design unit of a font, as a part of the em.
double unit_of(FT_Face face) { return 1.0 / (face->units_per_EM > 0 ? face->units_per_EM : 1000); }

/// Converts contours from the font's units to the label's position.
class Collector {
 public:
  Collector(std::vector<std::vector<PathStep>>& out, double scale, Point pen, double angle, Point at)
      : out_(out), scale_(scale), pen_(pen), cosine_(std::cos(angle)), sine_(std::sin(angle)), at_(at) {}

  Point place(const FT_Vector& v) const {
    const double x = static_cast<double>(pen_.x) + static_cast<double>(v.x) * scale_,
                 y = static_cast<double>(pen_.y) - static_cast<double>(v.y) * scale_;
    return {static_cast<float>(static_cast<double>(at_.x) + x * cosine_ - y * sine_),
            static_cast<float>(static_cast<double>(at_.y) + x * sine_ + y * cosine_)};
  }
  void move(const FT_Vector& to) { out_.push_back({PathStep{place(to)}}); }
  void line(const FT_Vector& to) { out_.back().push_back(PathStep{place(to)}); }
  void conic(const FT_Vector& control, const FT_Vector& to) {
    const Point from = out_.back().back().to, c = place(control), end = place(to);
    const auto two_thirds = [](Point a, Point b) {
      return Point{a.x + (b.x - a.x) * 2 / 3, a.y + (b.y - a.y) * 2 / 3};
    };
    out_.back().push_back({end, true, {two_thirds(from, c), two_thirds(end, c)}});
  }
  void cubic(const FT_Vector& a, const FT_Vector& b, const FT_Vector& to) {
    out_.back().push_back({place(to), true, {place(a), place(b)}});
  }

 private:
  std::vector<std::vector<PathStep>>& out_;
  double scale_;
  Point pen_;
  double cosine_, sine_;
  Point at_;
};

void collect(FT_Outline& outline, Collector& into) {
  FT_Outline_Funcs steps{};
  steps.move_to = [](const FT_Vector* to, void* user) { return static_cast<Collector*>(user)->move(*to), 0; };
  steps.line_to = [](const FT_Vector* to, void* user) { return static_cast<Collector*>(user)->line(*to), 0; };
  steps.conic_to = [](const FT_Vector* c, const FT_Vector* to, void* user) {
    return static_cast<Collector*>(user)->conic(*c, *to), 0;
  };
  steps.cubic_to = [](const FT_Vector* a, const FT_Vector* b, const FT_Vector* to, void* user) {
    return static_cast<Collector*>(user)->cubic(*a, *b, *to), 0;
  };
  FT_Outline_Decompose(&outline, &steps, &into);
}

std::string point(Point p) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f %.2f ", static_cast<double>(p.x), static_cast<double>(p.y));
  return text;
}

}  // namespace

struct Typesetter::Impl {
  Library library;
  std::map<std::string, Face> faces;  // index: the file
  std::map<FontRole, float> capitals;
  std::unordered_map<std::string, float> widths[5];

  Impl() {
    FT_Library made = nullptr;
    if (FT_Init_FreeType(&made) != 0) throw std::runtime_error("FreeType does not start");
    library.reset(made);
  }

  FT_Face face_of(FontRole role) {
    const FontFile file = find_font(role);
    Face& face = faces[file.path];
    if (!face) {
      FT_Face opened = nullptr;
      if (FT_New_Face(library.get(), file.path.c_str(), file.face_index, &opened) != 0)
        throw std::runtime_error(file.path + " is no font");
      face.reset(opened);
    }
    return face.get();
  }

  Glyph glyph_of(char32_t character, FontRole role) {
    for (const FontRole each : {role, FontRole::mono, FontRole::cjk}) {
      FT_Face face = face_of(each);
      if (const FT_UInt index = FT_Get_Char_Index(face, character)) return {face, index};
    }
    return {face_of(role), 0};
  }

  /// Calls each(glyph, x, y, scale) for the letters of a line at an em of 1 and a baseline at 0; indices are low and
  /// small. Returns the line's length.
  template <typename Each>
  double set(std::string_view text, FontRole role, Each each) {
    double x = 0, scale = 1, drop = 0;
    std::optional<Glyph> before;
    for (std::size_t at = 0; at < text.size();) {
      const char32_t c = next_character(text, at);
      if (c == static_cast<char32_t>(index_begins) || c == static_cast<char32_t>(index_ends)) {
        const bool begins = c == static_cast<char32_t>(index_begins);
        scale = begins ? static_cast<double>(index_size) : 1;
        drop = begins ? static_cast<double>(index_drop) : 0;
        before.reset();
        continue;
      }
      const Glyph glyph = glyph_of(shown_character(c), role);
      const double unit = unit_of(glyph.face) * scale;
      FT_Vector kerning{};
      if (before && before->face == glyph.face && FT_HAS_KERNING(glyph.face))
        FT_Get_Kerning(glyph.face, before->index, glyph.index, FT_KERNING_UNSCALED, &kerning);
      x += static_cast<double>(kerning.x) * unit;
      if (FT_Load_Glyph(glyph.face, glyph.index, FT_LOAD_NO_SCALE | FT_LOAD_NO_BITMAP) != 0) continue;
      each(glyph, x, drop, unit);
      x += static_cast<double>(glyph.face->glyph->metrics.horiAdvance) * unit;
      before = glyph;
    }
    return x;
  }
};

Typesetter::Typesetter(const std::string& family)
    : family_(checked_family(family)), style_(font_style(family)), impl_(std::make_unique<Impl>()) {}

Typesetter::~Typesetter() = default;

float Typesetter::width(std::string_view text, FontRole role, float size) {
  if (text.empty()) return 0;
  const auto [found, fresh] = impl_->widths[static_cast<int>(role)].try_emplace(std::string(text), 0.0f);
  if (fresh) found->second = static_cast<float>(impl_->set(text, role, [](const Glyph&, double, double, double) {}));
  return found->second * size;
}

float Typesetter::half_height(FontRole role, float size) {
  const auto [found, fresh] = impl_->capitals.try_emplace(role, 0.36f);
  if (fresh) {
    const Glyph glyph = impl_->glyph_of(U'H', role);
    if (FT_Load_Glyph(glyph.face, glyph.index, FT_LOAD_NO_SCALE | FT_LOAD_NO_BITMAP) == 0 &&
        glyph.face->glyph->metrics.height > 0) {
      found->second =
          static_cast<float>(static_cast<double>(glyph.face->glyph->metrics.height) * unit_of(glyph.face)) / 2;
    }
  }
  return found->second * size;
}

std::vector<std::vector<PathStep>> Typesetter::contours(const Label& label) {
  std::vector<std::vector<PathStep>> out;
  const double size = static_cast<double>(label.size),
               angle = static_cast<double>(label.angle) * std::numbers::pi / 180;
  const float begin = anchored(label.anchor, width(label.text, label.role, label.size));
  impl_->set(label.text, label.role, [&](const Glyph& glyph, double x, double drop, double unit) {
    const Point pen{begin + static_cast<float>(x * size), static_cast<float>(drop * size)};
    Collector collector(out, unit * size, pen, angle, label.at);
    collect(glyph.face->glyph->outline, collector);
  });
  return out;
}

std::string Typesetter::outline(const Label& label) {
  std::string path;
  for (const std::vector<PathStep>& contour : contours(label)) {
    path += "M" + point(contour.front().to);
    for (std::size_t i = 1; i < contour.size(); ++i) {
      const PathStep& step = contour[i];
      path +=
          step.curved ? "C" + point(step.control[0]) + point(step.control[1]) + point(step.to) : "L" + point(step.to);
    }
    path += "Z";
  }
  return path;
}

}  // namespace headlight
