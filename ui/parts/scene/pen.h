// Pen: adds text, cells and lines to a scene.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "ui/base/look/measure.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

/// A link on a value in a sentence: the action of a click, and the word or cell that it refers to.
struct NamedLink {
  SceneAction action{};
  Index index = 0;
  Cell cell{};
};

/// A value in a sentence: a word or a number.
struct Named {
  std::string text;
  ImU32 colour = 0;
  bool bold = true;
  std::optional<NamedLink> link = {};
};

enum class Align : std::uint8_t { left, middle, right };

/// An option or an action: one of a row of chips or buttons.
struct Chip {
  std::string words;
  SceneAction action{};
  Index index = 0;
  bool lit = false, primary = false;  ///< chosen; the main action
};

class Pen {
 public:
  static constexpr float uncut = 1e6f;  ///< wider than any text

  Pen(const SceneContext& context, Scene& scene) : context_(context), scene_(scene), type(type_sizes(context)) {}
  Pen(const Frame& frame, Scene& scene) : Pen(scene_context(frame), scene) {}

  /// The size of bold type that looks as large as plain type of this size.
  float bold(float pixels) const { return size_not_below(context_.fonts, Face::bold, pixels * 0.96f); }
  /// The size of bold type within plain text; in a presentation never below it.
  float strong(float pixels) const {
    return context_.view.presenting ? size_not_below(context_.fonts, Face::bold, pixels) : pixels;
  }
  ImVec2 measure(Face face, float pixels, std::string_view text) const {
    return text_size(context_.fonts, face, pixels, text);
  }
  /// The width of a digit, in a number's usual size or another.
  float digit(float pixels) const { return measure(Face::mono, pixels, "0").x; }
  float digit() const { return digit(type.number); }
  /// Adds one line of text centred at y, cut to `width`; returns its rectangle.
  Rect text(TextRole role, Face face, float pixels, ImVec2 at, Align align, ImU32 colour, std::string text,
            float width = uncut);
  /// The same in bold type that looks as large, if `lit`.
  Rect label(TextRole role, bool lit, float pixels, ImVec2 at, Align align, ImU32 colour, std::string words,
             float width = uncut) {
    return text(role, lit ? Face::bold : Face::ui, lit ? bold(pixels) : pixels, at, align, colour, std::move(words),
                width);
  }
  /// One line of a caption, grey if no colour is given.
  Rect caption(ImVec2 at, Align align, std::string words, std::optional<ImU32> colour = {}, float width = uncut) {
    return text(TextRole::caption, Face::ui, type.caption, at, align, colour.value_or(look().muted), std::move(words),
                width);
  }
  /// A number in a cell or beside a bar.
  Rect number(float pixels, ImVec2 at, Align align, ImU32 colour, std::string digits) {
    return text(TextRole::number, Face::mono, pixels, at, align, colour, std::move(digits));
  }
  /// Adds a caption whose top is at.y, cut to `width`; returns its rectangle.
  Rect words(Face face, float pixels, ImVec2 at, ImU32 colour, std::string_view text, float width = uncut,
             Align align = Align::left);
  /// Adds a paragraph; returns its height.
  float paragraph(Face face, float pixels, ImVec2 at, ImU32 colour, std::string_view text, float width);
  /// Adds text that ends at `end`, rotated by `degrees`.
  void turned(Face face, float pixels, ImVec2 end, float degrees, ImU32 colour, std::string text);
  /// Adds a sentence with {0}, {1}, … replaced, broken into lines; returns its height.
  float sentence(TextRole role, std::string_view pattern, std::span<const Named> values, Rect room, float pixels,
                 ImU32 colour, Align align = Align::left);
  /// Adds formula markup, vertically centred at at.y. It shrinks to fit `width`, down to `least`, and is left out if
  /// that is not enough. Returns its width.
  float math(float pixels, ImVec2 at, float width, ImU32 colour, bool lanes, std::string_view markup, float least = 0,
             Align align = Align::left);
  void fill(Rect rect, ImU32 colour, float corner = 0) { scene_.items.emplace_back(SceneFill{rect, colour, corner}); }
  void box(Rect rect, ImU32 colour, float thickness, float corner = 0, int lap = 0) {
    scene_.items.emplace_back(SceneBox{rect, colour, thickness, corner, lap});
  }
  /// Adds a frame around a cell or a word, `points` wide and at least as many pixels.
  void frame(Rect rect, ImU32 colour, float points = 2) {
    box(rect, colour, std::max(points, points * u()), Corner::cell * u());
  }
  /// Adds a card; `border` 0: the usual line; `corner` in points.
  void card(const Rect& rect, ImU32 border = 0, float thickness = 1, float corner = Corner::card) {
    fill(rect, look().card, corner * u());
    box(rect, border != 0 ? border : look().line, thickness, corner * u());
  }
  void heat(SceneHeat heat) { scene_.items.emplace_back(std::move(heat)); }
  void colours(Rect rect, const Colormap& map) { scene_.items.emplace_back(SceneColours{rect, &map}); }
  /// Adds the ends of a heatmap's colours in the upper right corner of its card, where they fit beside its title.
  void colour_ends(const HeatPicture& heat, const Rect& card, std::string_view title);
  /// Adds a card with its title, the ends of the matrix's colours, and the matrix with the names of its
  /// rows and columns. `border` and `thickness` as in card().
  void matrix_card(const Rect& card, std::string_view title, SceneHeat heat, ImU32 border = 0, float thickness = 1);
  /// Adds a number as a bar with rounded corners.
  void bar(ImVec2 from, ImVec2 to, float thickness, ImU32 colour, float value) {
    const float length = std::abs(to.x - from.x) + std::abs(to.y - from.y);
    const float corner = std::min({Corner::cell * u(), thickness / 2, length / 2});
    scene_.items.emplace_back(SceneBar{from, to, thickness, colour, corner, value});
  }
  /// Records that the last added fill or bar is this number of a stage.
  void mark(const Cell& cell) { scene_.marks.emplace_back(scene_.items.size() - 1, cell); }
  void hatch(Rect rect);
  /// The track of a bar that shows a probability, centred at y.
  Rect track(float from, float to, float y) const { return {{from, y - half_track * u()}, {to, y + half_track * u()}}; }
  /// Adds a bar that is `length` pixels long, from the left end of a track.
  void meter(const Rect& track, float length, ImU32 colour) {
    fill({track.min, {track.min.x + length, track.max.y}}, colour, std::min(Corner::cell * u(), length / 2));
  }
  void line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness, bool arrow = false) {
    scene_.items.emplace_back(SceneCurve{{from, from, to, to}, colour, thickness, arrow});
  }
  void curve(const std::array<ImVec2, 4>& points, ImU32 colour, float thickness) {
    scene_.items.emplace_back(SceneCurve{points, colour, thickness, false});
  }
  void target(Rect rect, SceneAction action, Index index = 0, Cell cell = {}) {
    scene_.targets.push_back({rect, action, cell, index});
  }
  void hint(Rect rect, std::string words) {
    target(rect, SceneAction::none);
    scene_.targets.back().hint = std::move(words);
  }
  /// Adds tabs at the room's upper left or right corner; target i has index i. Returns their width, 0 if they do not
  /// fit.
  float tabs(Rect room, Align align, std::span<const char* const> keys, std::size_t chosen, SceneAction action);
  /// Adds chips in rows that wrap at the room's width, with round ends if no `corner` is given; returns the y below
  /// them.
  float chips(Rect room, std::span<const Chip> chips, float height, float pad, std::optional<float> corner = {});
  /// The width of a button with these words.
  float button_width(const std::string& words) const {
    return measure(Face::bold, type.caption, words).x + ControlPad::button * u();
  }
  /// Adds a framed button with bold words, its upper right corner at `corner`; returns its rectangle.
  Rect button(ImVec2 corner, const std::string& words, SceneAction action);
  /// Adds a matrix at `rect`.
  void matrix(MatrixQuad quad, const Rect& rect);
  /// Adds a slider, whose track is centred at y, with lines at `marks` and its knob at `knob`.
  void slider(const Rect& track, float y, ImU32 ground, std::initializer_list<float> marks, float knob,
              SceneAction action, Index index = 0);
  /// Extends the scene's content rectangle.
  void add_content(const Rect& rect);

  /// Adds a control, which Tab reaches.
  SceneTarget& control(Rect rect, std::string id, SceneAction action, Index index = 0, Cell cell = {}) {
    return scene_.targets.emplace_back(SceneTarget{rect, action, cell, index, false, 0, std::move(id)});
  }

  const SceneContext& context() const { return context_; }
  const Look& look() const { return context_.look; }
  Scene& scene() { return scene_; }
  float u() const { return context_.u; }

 private:
  const SceneContext context_;
  Scene& scene_;

 public:
  const TypeSizes type;
};

/// Base of structs that put a part of a scene together: the inputs of the scene under short names.
struct ScenePart {
  ScenePart(Pen& by) : pen(by) {}  // implicit: it is the base of aggregates, which begin with the pen
  Pen& pen;
  const SceneContext& context = pen.context();
  const Trace& trace = context.trace;
  const View& view = context.view;
  const Look& look = context.look;
  const Words& say = context.words;
  const float u = context.u;
  const bool presenting = view.presenting;
};

/// A matrix as Pen::matrix() takes it, in a stage's colours; `range` is at their ends.
MatrixQuad matrix_quad(const SceneContext& context, Stage colours, Tensor values, ValueRange range);

/// The token's word, else "query 3".
std::string query_word(const SceneContext& context, Index query);
std::string key_word(const SceneContext& context, Index key);
/// Whether the tokens of this axis have words.
bool has_words(const SceneContext& context, Axis axis);

}  // namespace headlight
