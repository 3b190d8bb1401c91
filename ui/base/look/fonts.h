// Fonts: the window's faces and sizes; measuring and drawing text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "core/figures/figure/fonts.h"

namespace headlight {

enum class Face { ui, bold, mono, math };
/// The corresponding face in figures.
FontRole role_of(Face face);

class Fonts {
 public:
  /// Fills the current context's atlas for `scale` pixels per point: the usual characters, all of `words`, and as many
  /// characters of `text` as fit, the most frequent first.
  void load(float scale, const std::string& words, const std::string& text = {});
  /// Whether nothing needs loading: the scale is the same, all characters were in the texts of the last load, and none
  /// in sight was left out by it. Call once a frame, before drawing.
  bool covers(float scale, const std::string& words, const std::string& text);
  /// `text` is in sight: if not all characters fit, those in sight come first in the next load.
  void note(std::string_view text) const;
  /// Whether a character in sight was left out, and another load might have room for it.
  bool lacks_in_sight() const { return !left_out_.empty() && in_sight_.lacking; }
  /// From the next load on, also large sizes are made, for large windows. A change makes a load necessary.
  void make_large(bool large) { large_ = large; }
  /// The largest texture that the graphics driver takes.
  void set_texture_limit(int pixels) { texture_limit_ = pixels; }
  float scale() const { return scale_; }
  /// Whether the last load met Chinese characters that no installed face has.
  bool lacks_letters() const { return lacks_; }
  /// Forces the next load, because another face was installed.
  void forget() {
    scale_ = 0;
    faces_.clear();
  }

  /// The font with the smallest baked size that is at least `pixels`.
  ImFont* pick(Face face, float pixels) const;
  /// The size at which text requested at `pixels` is drawn: a baked size, unless it is larger than all of them. Glyphs
  /// are never shrunk, because a shrunk minus sign can vanish between two pixel rows. With dynamic fonts: whole pixels.
  float crisp(Face face, float pixels) const;

 private:
  struct Baked {
    Face face;
    float pixels;
    ImFont* font;
  };
  /// The bytes of a font file. Some thirty fonts of the atlas are made of one file.
  struct FaceBytes {
    std::string bytes;
    int face_index = 0;
  };
  ImFont* add(FontRole role, float pixels, const ImWchar* ranges, bool merge);
  std::vector<char32_t> chosen(const std::string& text, std::size_t room);

  std::map<FontRole, FaceBytes> faces_;  ///< read once; the atlas refers to the bytes
  std::vector<Baked> baked_;
  std::string words_, text_;    ///< of the last load
  std::vector<bool> seen_;      ///< by code point: characters of the last load
  std::vector<bool> left_out_;  ///< by code point: those that did not fit; empty if all did
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

/// Draws text with its top left corner at `at`; `pixels` is the font size on screen.
void draw_text(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
               std::string_view text);
ImVec2 text_size(const Fonts& fonts, Face face, float pixels, std::string_view text);
/// The same, cut to `width` and ended by "…". Allocates nothing.
void draw_elided(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
                 std::string_view text, float width);
/// The same, rotated about the middle of its right end, which stays at `end`; positive degrees are clockwise.
void draw_turned(ImDrawList& list, const Fonts& fonts, Face face, float pixels, ImVec2 end, float degrees, ImU32 colour,
                 std::string_view text, float width);
/// `text`, cut to `width` and ended by "…" if necessary.
std::string elide(const Fonts& fonts, Face face, float pixels, std::string_view text, float width);

/// The smallest unscaled size of this face that is at least `pixels`.
inline float size_not_below(const Fonts& fonts, Face face, float pixels) {
  float size = pixels;
  for (int i = 0; i < 40 && fonts.crisp(face, size) < pixels - 0.01f; ++i) size *= 1.03f;
  return fonts.crisp(face, size);
}

struct RecordedText {
  std::string text;
  ImVec2 min, max;            ///< on screen
  ImVec2 clip_min, clip_max;  ///< clip rectangle
  Face face{};
  float pixels = 0;  ///< font size
  ImU32 colour = 0;
  bool turned = false;  ///< `min` and `max` are those before the rotation
  float degrees = 0;    ///< about `pivot`, clockwise
  ImVec2 pivot{};
  const ImDrawList* list = nullptr;  ///< its glyphs are the indices [first, last) of this list
  int first = 0, last = 0;
};

/// What was drawn, as plain data, for tests and for pictures in files. It is attached to ImGui's context
/// (ImGuiIO::UserData, otherwise unused); without one nothing is recorded.
struct Record {
  std::vector<RecordedText> texts;
  std::vector<std::vector<ImVec2>> lines;  ///< arrows, as polylines
};

/// The record of the current context; null if there is none.
inline Record* recording() { return static_cast<Record*>(ImGui::GetIO().UserData); }

}  // namespace headlight
