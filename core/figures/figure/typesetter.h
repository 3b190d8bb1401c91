// Text for figures, set without hinting, so that the layout is the same at every scale and in every format. With Pango,
// text is kerned and shaped, with fallback fonts for missing characters (Chinese, emoji). Without Pango, the program
// sets letter by letter with FreeType, in the shipped faces.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/image/theme.h"
#include "core/figures/figure/fonts.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier, modernize-use-using): as cairo.h has it
typedef struct _cairo cairo_t;

namespace headlight {

/// Objects of C libraries, destroyed by the library's own function: std::unique_ptr<cairo_t, Destroy<cairo_destroy>>.
template <auto destroy>
struct Destroy {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};

struct PathStep;

struct Point {
  float x = 0, y = 0;  ///< y grows downwards
};

enum class Anchor : std::uint8_t { start, middle, end };
/// The left end of a line of this width, relative to its anchor.
float anchored(Anchor anchor, float width);

/// The character that a label shows: a blank for a tab or the end of a line, U+FFFD for other control characters.
char32_t shown_character(char32_t character);

/// Mark the beginning and end of a subscript in a label's text.
inline constexpr char index_begins = '\x1E', index_ends = '\x1F';
/// Whether the text has emoji, whose fonts may contain pictures without outlines.
bool has_pictures(std::string_view text);
/// "Q_h K_hᵀ [n_q 5]" with subscripts marked: one letter, "_", letters. Words such as scaled_scores are unchanged.
std::string as_mathematics(std::string_view text);
inline constexpr float index_size = 0.72f, index_drop = 0.18f;  ///< of the em

/// One line of text, in UTF-8, with its position.
struct Label {
  std::string text;
  FontRole role = FontRole::text;
  float size = 12;  ///< of the em, in units
  Rgba colour{};
  Point at{};  ///< on the baseline, at the anchor
  Anchor anchor = Anchor::start;
  float angle = 0;  ///< degrees about `at`, clockwise
};

/// Caches fonts and measurements; not thread-safe.
class Typesetter {
 public:
  /// `family` replaces the roles' fonts for labels and titles. Throws SettingError ("--font") if no font of that name
  /// is installed. Generic names (serif, sans-serif, monospace) are accepted.
  explicit Typesetter(const std::string& family = {});
  ~Typesetter();
  Typesetter(const Typesetter&) = delete;
  Typesetter& operator=(const Typesetter&) = delete;

  float width(std::string_view text, FontRole role, float size);
  /// Half the height of capitals: the distance from a centre line down to the baseline.
  float half_height(FontRole role, float size);
  /// The text if it fits, otherwise cut at a character with an ellipsis; empty if not even that fits.
  std::string elide(std::string_view text, FontRole role, float size, float max_width);
  /// The same with the ellipsis in the middle: both ends of a word are more informative.
  std::string shorten(std::string_view text, FontRole role, float size, float max_width);

  // With Pango:
  /// As filled outlines: letters are exactly where they were measured, at any resolution.
  void draw_outlines(cairo_t* cairo, const Label& label);
  /// As text that a reader of the file can select and search.
  void draw_text(cairo_t* cairo, const Label& label);
  // With FreeType:
  /// The closed contours of the letters, rotated and positioned.
  std::vector<std::vector<PathStep>> contours(const Label& label);

  /// The outlines as an SVG path in units, rotated and positioned; empty for spaces.
  std::string outline(const Label& label);
  /// The weight of a role's font as in CSS and Pango: 400 regular, 600 semi-bold. Labels in a font file have its
  /// weight.
  int weight(FontRole role) const;
  bool italic(FontRole role) const;
  /// The families of a role, preferred ones first, in the syntax of CSS and fontconfig.
  std::string families(FontRole role) const;

 private:
  static std::string checked_family(const std::string& family);

  struct Impl;
  std::string family_;  ///< an installed family; "" for the roles' own
  FontStyle style_;     ///< a font file's; regular for a family
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
