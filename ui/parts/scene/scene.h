// Scene: one picture as plain data: matrices, words, bars, curves and click targets. It is computed once for a trace, a
// view and a size; draw_scene() only draws it. Tests read the same data.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <imgui.h>

#include "core/compute/run/trace.h"
#include "core/rules/stage/extent.h"
#include "core/rules/stage/stage.h"
#include "ui/base/document/view.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/look.h"
#include "ui/base/look/words.h"

namespace headlight {

struct Frame;
struct HeatPicture;

/// The inputs of a scene.
struct SceneContext {
  const Trace& trace;
  const View& view;
  const Look& look;
  const Fonts& fonts;
  const Words& words;
  float u = 1;    ///< pixels per point
  ImVec2 window;  ///< size of the whole window, which sets the smallest type of a presentation
  /// The head's weights in the unchanged model, if a setting of the layer was changed: [n_q, n_k]; otherwise without
  /// data.
  MatrixView weights_before{};
};
SceneContext scene_context(const Frame& frame);

enum class TextRole : std::uint8_t { prose, story, word, number, caption };

struct SceneText {
  TextRole role{};
  Face face{};
  float pixels = 0;
  ImU32 colour = 0;
  Rect rect;  ///< of horizontal text; rotated text ends at (max.x, middle)
  std::string text;
  float degrees = 0;
};
struct SceneMath {
  float pixels = 0;
  float least = 0;  ///< smallest size of subscripts; 0: as small as can be read up close
  ImU32 colour = 0;
  bool lanes = false;  ///< symbols have their stage's lane colour
  Rect rect;
  std::string markup;
};
struct SceneFill {
  Rect rect;
  ImU32 colour = 0;
  float corner = 0;
};
struct SceneBox {
  Rect rect;
  ImU32 colour = 0;
  float thickness = 1, corner = 0;
  int lap = 0;  ///< of a head's border, as Look::head_lap(): dashed or dotted
};
/// A number as a bar from zero, or from the previous sum, to its end. A negative one points left or down.
struct SceneBar {
  ImVec2 from, to;
  float thickness = 1;
  ImU32 colour = 0;
  float corner = 0;
  float value = 0;
  Rect rect() const;  ///< at least a pixel long
};
struct SceneHatch {
  Rect rect;
  ImU32 colour = 0, ground = 0;
  float step = 8;
};
struct SceneCurve {
  std::array<ImVec2, 4> points;  ///< a cubic Bézier
  ImU32 colour = 0;
  float thickness = 1;
  bool arrow = false;  ///< with an arrowhead
  float dash = 0;      ///< length of its dashes; 0: a whole line
  bool clear = false;  ///< tests check that it goes through no text
};
/// The point of a cubic Bézier at `t` from 0 to 1.
ImVec2 point_along(const std::array<ImVec2, 4>& curve, float t);
/// How far the tip of an arrowhead is beyond the end of its line.
inline float arrow_tip(float thickness) { return 0.4f * (2.2f * thickness + 3); }
struct SceneMatrix {
  MatrixQuad quad;
  Rect seen;                       ///< nothing is drawn outside
  std::optional<Cell> first = {};  ///< the cell of the upper left number, if the numbers are a stage's
  bool turned = false;             ///< its columns are the stage's rows
};
struct SceneImage {
  Rect rect;
  std::shared_ptr<const Image> image;
};
/// A colour map from its lowest to its highest colour.
struct SceneColours {
  Rect rect;
  const Colormap* map = nullptr;
};
/// A heatmap, as far as the step player has computed it, with what is pointed at and selected.
struct SceneHeat {
  std::shared_ptr<const HeatPicture> heat;  ///< without values: no cells
  float labels = 0;                         ///< size of row and column names, in pixels; 0: none
  bool numbers = false;
  bool whole = false;              ///< wherever the player is
  bool marks = true;               ///< frames the selected cells
  bool every_head = false;         ///< also the same cells in other heads
  bool cells = true;               ///< unset: only numbers and marks, over cells that are drawn by another item
  std::optional<Rect> place = {};  ///< rectangle, if not the heatmap's own
  std::optional<Rect> seen = {};   ///< nothing is drawn outside
  const Rect& rect() const;
};
/// A piece of a legend, drawn like cells of this kind.
struct SceneSwatch {
  Rect rect;
  CellKind kind{};
  ImU32 colour = 0;  ///< of a value
};
struct SceneDot {
  ImVec2 centre;
  float radius = 0;
  ImU32 colour = 0;
  float line = 0;  ///< thickness of a ring; 0: filled
};
using SceneItem = std::variant<SceneText, SceneMath, SceneFill, SceneBox, SceneBar, SceneHatch, SceneCurve, SceneMatrix,
                               SceneImage, SceneColours, SceneHeat, SceneSwatch, SceneDot>;

/// What a click on a target does.
enum class SceneAction : std::uint8_t {
  look_at,
  query_word,
  key_word,
  back,
  how,
  head,
  layer,
  knock_out,
  own_words,
  next_word,
  order,
  pattern,
  together,
  facet,
  rival,      ///< a second key beside the followed one
  explained,  ///< the token whose logit is explained
  looked_at,  ///< a key: which head looks there
  temperature,
  guess,
  write_word,
  draw_word,
  sampling,
  score,       ///< of a key: it can be dragged
  drop_trial,  ///< resets the scores
  opacity,     ///< of the colours over a picture: dragged along its track
  measure,     ///< of a head: the index of HeadMeasure
  than,        ///< the token whose logit is subtracted; −1: none
  lens,        ///< the layer (cell.batch) and the position (index)
  patched,     ///< the index of PatchedState
  task_stop,   ///< the long computation
  task_again,
  study_head,    ///< the layer (cell.batch) and the head
  study_line,    ///< a sentence: which of the study's
  study_sort,    ///< the index of study_columns()
  study_filter,  ///< the index of StudyFilter
  study_mean,    ///< 1: the effect also with the heads' means
  study_page,    ///< its row becomes the first visible one
  unfold,
  bring_forward,  ///< the stage of cell, among those that share a card
  own,            ///< of one view alone, whose own list the index is in; cell and step are as it says
  none,           ///< only has a hint
  stage,          ///< of cell
  slice,          ///< the batch entry and head of cell
  convention,     ///< index of the compared convention
  block,          ///< block side
  kv_heads,       ///< their number
  masks,          ///< offers patterns for the mask
  mask,           ///< the index of the pattern
  window_edge     ///< of the visible words: it can be dragged
};

struct SceneTarget {
  Rect rect;
  SceneAction action{};
  Cell cell;           ///< for look_at
  Index index = 0;     ///< of the word, head, layer or facet
  bool link = false;   ///< a word in a sentence that refers to it: while pointed at, it highlights what it refers to
  float step = 0;      ///< for scores: the change per pixel upwards
  std::string id{};    ///< of a control, which Tab reaches; "": a place on the canvas
  Rect framed{};       ///< of a control: framed while the pointer is over it
  std::string hint{};  ///< shown beside the pointer
};

/// A word that did not fit, and the room it had.
struct SceneWord {
  std::string text;
  float width = 0, height = 0;
};

struct Scene {
  std::vector<SceneItem> items;  ///< in drawing order
  std::vector<SceneTarget> targets;
  std::size_t ground = 0;           ///< number of items that an overlay's ground is drawn above
  Rect content;                     ///< bounds of operands and result, without titles and labels
  std::vector<SceneWord> left_out;  ///< words that were left out
  std::vector<Rect> boxes;          ///< text in one of them must not leave it
  /// Fills and bars that are numbers of a stage: index of the item, and its cell.
  std::vector<std::pair<std::size_t, Cell>> marks;
};

/// What is drawn over a scene that does not know it: what the pointer is on, and what belongs to it.
struct SceneOverlay {
  Scene ground;  ///< above the scene's ground, beneath everything else
  Scene above;
};

void draw_scene(const Frame& frame, ImDrawList& list, const Scene& scene);
void draw_scene(const Frame& frame, ImDrawList& list, const Scene& scene, const SceneOverlay& overlay);
/// The pressed control of a scene, and the one under the pointer; null if there is none.
struct SceneControls {
  const SceneTarget *pressed = nullptr, *under = nullptr;
};
/// Creates controls for the targets with an id.
SceneControls controls_of(const Frame& frame, const Scene& scene);
/// The frame of the control under the pointer; call after draw_scene().
void frame_control(const Frame& frame, const SceneTarget* under);
/// Both, for a scene without a surface; call after draw_scene(). Returns the pressed control.
const SceneTarget* press_controls(const Frame& frame, const Scene& scene);

/// The topmost target at a point; null if there is none.
const SceneTarget* target_at(const Scene& scene, ImVec2 point);
/// Scenes on top of each other, the lowest first.
using SceneLayers = std::initializer_list<const Scene*>;
const SceneTarget* target_at(SceneLayers layers, ImVec2 point);
/// The topmost heatmap at a point and its cell; null if there is none.
const SceneHeat* heat_at(const Scene& scene, ImVec2 point);
std::optional<Cell> cell_at(const Scene& scene, ImVec2 point);
/// A tooltip for the last item: the target's hint, otherwise the full text of a label under the pointer, which may be
/// cut.
void tell_hint(const Frame& frame, const Scene& scene, const SceneTarget* target);
/// The rectangles that a link refers to: the cell itself, otherwise its word.
std::vector<Rect> lit_by(const Scene& scene, const SceneTarget& link);
/// Highlights what the link under the pointer refers to; draws nothing for other targets.
void draw_lit(ImDrawList& list, const Scene& scene, const SceneTarget* target, const Look& look, float u);

/// Scale of type and strokes in a presentation, times `scale` pixels per point: as large as the window allows.
float presentation_scale(ImVec2 window, float scale);

/// Font sizes in pixels, all of them unscaled sizes: larger in a presentation, and never below `least`.
struct TypeSizes {
  float title = 0, story = 0, word = 0, number = 0, caption = 0, formula = 0, great = 0;
  float least = 0;
};
TypeSizes type_sizes(const SceneContext& context);

}  // namespace headlight
