// Text for figures, set without hinting, so that a layout is the same at every scale and in every format. By Pango it
// is kerned and shaped, in fallback fonts for what the role's own lacks (Chinese, emoji); a program that has no Pango
// sets letter by letter with FreeType, in the faces that ship.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/fonts.h"
#include "core/image/theme.h"

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
/// Where a line of this width begins, seen from its anchor.
float anchored(Anchor anchor, float width);

/// Begin and end of what is set as an index in a label's text, small and low.
inline constexpr char index_begins = '\x1E', index_ends = '\x1F';
/// Whether it has emoji, whose fonts may hold pictures, which have no outlines.
bool has_pictures(std::string_view text);
/// "Q_h K_hᵀ [n_q 5]" with the names of mathematics marked: one letter, "_", letters. Words such as scaled_scores stay.
std::string as_mathematics(std::string_view text);
inline constexpr float index_size = 0.72f, index_drop = 0.18f;  ///< of the em

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

/// Keeps its fonts and what it measured; not for two threads at once.
class Typesetter {
 public:
  /// `family` sets labels and titles in place of the roles' own; throws SettingError ("--font") where no font of that
  /// name is installed. Generic names (serif, sans-serif, monospace) are taken.
  explicit Typesetter(const std::string& family = {});
  ~Typesetter();
  Typesetter(const Typesetter&) = delete;
  Typesetter& operator=(const Typesetter&) = delete;

  float width(std::string_view text, FontRole role, float size);
  /// Half the height of capitals: how far below a centre line the baseline lies.
  float half_height(FontRole role, float size);
  /// The text itself where it fits, else cut at a character with an ellipsis; empty where not even that fits.
  std::string elide(std::string_view text, FontRole role, float size, float max_width);
  /// The same, with the ellipsis in the middle: of a word, both ends tell more.
  std::string shorten(std::string_view text, FontRole role, float size, float max_width);

  // With Pango:
  /// As outlines, filled: letters stand where they were measured to stand, at any resolution.
  void draw_outlines(cairo_t* cairo, const Label& label);
  /// As text that a reader of the file can select and search.
  void draw_text(cairo_t* cairo, const Label& label);
  // With FreeType:
  /// The letters' closed contours, rotated and in place.
  std::vector<std::vector<PathStep>> contours(const Label& label);

  /// The outlines as an SVG path in units, rotated and in place; empty for blanks.
  std::string outline(const Label& label);
  /// Of a role's letters, as CSS and Pango count it: 400 regular, 600 semi-bold. Labels in a font file have its own.
  int weight(FontRole role) const;
  bool italic(FontRole role) const;
  /// The families of a role, most wanted first, as CSS and fontconfig write them.
  std::string families(FontRole role) const;

 private:
  static std::string checked_family(const std::string& family);

  struct Impl;
  std::string family_;  ///< that is installed; "" for the roles' own
  FontStyle style_;     ///< a font file's; regular for a family
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
