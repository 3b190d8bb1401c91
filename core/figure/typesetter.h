// Text for figures: measured and drawn from font outlines, without hinting, so that a layout is the same at every scale
// and in every format. Characters that the role's font lacks come from another font, one by one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/figure/fonts.h"
#include "core/image/png_image.h"

namespace headlight {

struct Point {
  float x = 0, y = 0;  ///< y grows downwards
};

enum class Anchor : std::uint8_t { start, middle, end };

/// One line of text, in UTF-8, wherever it stands.
struct Label {
  std::string text;
  FontRole role = FontRole::text;
  float size = 12;  ///< of the em, in units
  Rgba colour{};
  Point at{};  ///< on the baseline, at the anchor
  Anchor anchor = Anchor::start;
  float angle = 0;  ///< degrees about `at`, clockwise
};

/// Keeps its faces open; not for two threads at once.
class Typesetter {
 public:
  Typesetter();
  ~Typesetter();
  Typesetter(const Typesetter&) = delete;
  Typesetter& operator=(const Typesetter&) = delete;

  float width(std::string_view text, FontRole role, float size);
  /// Half the height of capitals: how far below a centre line the baseline lies.
  float half_height(FontRole role, float size);
  /// The text itself where it fits, else cut at a character with an ellipsis; empty where not even that fits.
  std::string elide(std::string_view text, FontRole role, float size, float max_width);

  /// Draws into an image whose pixels are 1 / scale units.
  void draw(Image& image, const Label& label, float scale);
  /// The outlines as an SVG path in units, rotated and in place; empty for blanks.
  std::string outline(const Label& label);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The label's box: the baseline's start and end, then the same at the height of capitals with their descent; in order
/// around the box, rotated with it.
struct LabelBox {
  Point corner[4];
};
LabelBox label_box(const Label& label, Typesetter& typesetter);

}  // namespace headlight
