// Fonts: the faces and sizes that the window draws with, and measuring and drawing text in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "core/figure/fonts.h"

namespace headlight {

enum class Face { ui, bold, mono, math };
/// What serves for the face in figures.
FontRole role_of(Face face);

class Fonts {
 public:
  /// Fills the current context's atlas for `scale` pixels per point, with the usual characters, all of `words`, and of
  /// `text` those that there is room for, the most frequent first.
  void load(float scale, const std::string& words, const std::string& text = {});
  /// Whether a load would change anything: another scale, characters that were in neither text of the last one, or one
  /// in sight that it left out. Other sentences of the same characters do not. Once a frame, before it is drawn.
  bool covers(float scale, const std::string& words, const std::string& text);
  /// `text` is in sight: where there was no room for all letters, its own come first in the next load.
  void note(std::string_view text) const;
  /// Whether one that was left out is in sight, and a load might have room for it.
  bool lacks_in_sight() const { return !left_out_.empty() && in_sight_.lacking; }
  /// Larger sizes are made too from the next load on, which is due where that changes: for windows with room for large
  /// type.
  void make_large(bool large) { large_ = large; }
  /// Of the atlas, each way: what the graphics driver takes.
  void set_texture_limit(int pixels) { texture_limit_ = pixels; }
  float scale() const { return scale_; }
  /// Whether the last load asked for Chinese letters that no face here has.
  bool lacks_letters() const { return lacks_; }
  /// The next load is due, whatever it covers: there is another face.
  void forget() { scale_ = 0; }

  /// The font whose baked size is the nearest one not below `pixels`.
  ImFont* pick(Face face, float pixels) const;
  /// The size that text asked for at `pixels` is drawn at: a baked one, unless it is larger than all of them. A glyph
  /// is never shrunk, because a shrunk minus sign can fall between two pixel rows and be gone. Where fonts are dynamic,
  /// whole pixels.
  float crisp(Face face, float pixels) const;

 private:
  struct Baked {
    Face face;
    float pixels;
    ImFont* font;
  };
  std::vector<char32_t> chosen(const std::string& text, std::size_t room);

  std::vector<Baked> baked_;
  std::string words_, text_;    ///< as last asked for
  std::vector<bool> seen_;      ///< by code point: in the texts of the last load
  std::vector<bool> left_out_;  ///< by code point: of these, what there was no room for; empty where there was
  struct InSight {
    std::vector<char32_t> letters;  ///< each once
    std::vector<bool> known;        ///< by code point: in `letters`
    bool lacking = false;           ///< one of them was left out, and was not in sight before the last load
  };
  mutable InSight in_sight_;          ///< since the last frame
  std::vector<char32_t> came_first_;  ///< in the last load, sorted
  int texture_limit_ = 16384;
  float scale_ = 0;
  bool lacks_ = false;
  bool large_ = false, made_large_ = false;
};

/// Text with its top left corner at `at`; `pixels` is the font's size on screen.
void draw_text(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
               std::string_view text);
ImVec2 text_size(const Fonts& fonts, Face face, float pixels, std::string_view text);
/// The same, ended by "…" where it is wider than `width`. Allocates nothing.
void draw_elided(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
                 std::string_view text, float width);
/// The same, turned about its right end at half its height, which stays at `end`; positive degrees are clockwise.
void draw_turned(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 end, float degrees, ImU32 colour,
                 std::string_view text, float width);
/// As much of `text` as fits into `width`, ended by "…" where it was cut.
std::string elide(const Fonts& fonts, Face face, float pixels, std::string_view text, float width);

}  // namespace headlight
