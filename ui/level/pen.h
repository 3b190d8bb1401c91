// Pen: puts text, cells and lines into a scene, measured as they will be drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "ui/level/scene.h"
#include "ui/look/measure.h"

namespace headlight {

/// A link from a value in a sentence: what a click on it does, and which word or cell of the scene it stands for.
struct NamedLink {
  SceneAction action{};
  Index index = 0;
  Cell cell{};
};

/// A value that is put into a sentence: a word, a number.
struct Named {
  std::string text;
  ImU32 colour = 0;
  bool bold = true;
  std::optional<NamedLink> link = {};
};

enum class Align : std::uint8_t { left, middle, right };

class Pen {
 public:
  Pen(const SceneContext& context, Scene& scene) : context_(context), scene_(scene), type(type_sizes(context)) {}

  /// Bold type as large as plain type of this size: their sizes differ.
  float bold(float pixels) const { return size_not_below(context_.fonts, Face::bold, pixels * 0.96f); }
  /// Bold type among plain type of this size: in a presentation never smaller than it.
  float strong(float pixels) const {
    return context_.view.presenting ? size_not_below(context_.fonts, Face::bold, pixels) : pixels;
  }
  ImVec2 measure(Face face, float pixels, std::string_view text) const {
    return text_size(context_.fonts, face, pixels, text);
  }
  /// In one line whose middle is at y; gives its rectangle.
  Rect text(TextRole role, Face face, float pixels, ImVec2 at, Align align, ImU32 colour, std::string text);
  /// A name that ends at `end`, turned by so many degrees.
  void turned(Face face, float pixels, ImVec2 end, float degrees, ImU32 colour, std::string text);
  /// A sentence of the table of words with {0}, {1}, … as named values, broken into lines; gives its height.
  float sentence(TextRole role, std::string_view pattern, std::span<const Named> values, Rect room, float pixels,
                 ImU32 colour, Align align = Align::left);
  /// Formula markup with its left end at `at`, its middle at at.y; smaller where it is wider than `width`, down to
  /// `least`, else left out. Gives its width.
  float math(float pixels, ImVec2 at, float width, ImU32 colour, bool lanes, std::string_view markup, float least = 0,
             Align align = Align::left);
  void fill(Rect rect, ImU32 colour, float corner = 0) { scene_.items.emplace_back(SceneFill{rect, colour, corner}); }
  void box(Rect rect, ImU32 colour, float thickness, float corner = 0) {
    scene_.items.emplace_back(SceneBox{rect, colour, thickness, corner});
  }
  /// A number as a bar along a line, with soft corners.
  void bar(ImVec2 from, ImVec2 to, float thickness, ImU32 colour, float value) {
    const float length = std::abs(to.x - from.x) + std::abs(to.y - from.y);
    const float corner = std::min({Corner::cell * u(), thickness / 2, length / 2});
    scene_.items.emplace_back(SceneBar{from, to, thickness, colour, corner, value});
  }
  /// The fill or bar that was put last is this number of a stage.
  void mark(const Cell& cell) { scene_.marks.emplace_back(scene_.items.size() - 1, cell); }
  void hatch(Rect rect);
  void line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness, bool arrow = false) {
    scene_.items.emplace_back(SceneCurve{{from, from, to, to}, colour, thickness, arrow});
  }
  void curve(const std::array<ImVec2, 4>& points, ImU32 colour, float thickness) {
    scene_.items.emplace_back(SceneCurve{points, colour, thickness, false});
  }
  void target(Rect rect, SceneAction action, Index index = 0, Cell cell = {}) {
    scene_.targets.push_back({rect, action, cell, index});
  }
  /// A choice of one of several, its left or right end at the room's upper corner: the index of `action`'s targets.
  /// Gives the width that it takes, 0 where it does not fit.
  float tabs(Rect room, Align align, std::span<const char* const> keys, std::size_t chosen, SceneAction action);
  /// Takes this into the scene's content.
  void add_content(const Rect& rect);

  const SceneContext& context() const { return context_; }
  const Look& look() const { return context_.look; }
  Scene& scene() { return scene_; }
  float u() const { return context_.u; }

 private:
  const SceneContext& context_;
  Scene& scene_;

 public:
  const TypeSizes type;
};

/// The word of a token, else its index: "query 3".
std::string query_word(const SceneContext& context, Index query);
std::string key_word(const SceneContext& context, Index key);
/// Whether there are words along this axis.
bool has_words(const SceneContext& context, Axis axis);

}  // namespace headlight
