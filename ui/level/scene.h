// Scene: what a level of looking shows, as plain data: matrices, words, bars, arcs, and what can be pointed at.
//
// It is made once for a trace, a view and a size; drawing it (draw_scene) only draws. A test reads the same data: where
// text stands, how small it is, how much of the width the operands take.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <imgui.h>

#include "core/run/trace.h"
#include "core/stage/cell.h"
#include "ui/document/view.h"
#include "ui/frame/matrix_painter.h"
#include "ui/geometry/rect.h"
#include "ui/look/crisp.h"
#include "ui/look/fonts.h"
#include "ui/look/look.h"
#include "ui/look/words.h"

namespace headlight {

/// What a scene is made from: the numbers, the view, and what text is measured and coloured with.
struct SceneContext {
  const Trace& trace;
  const View& view;
  const Look& look;
  const Fonts& fonts;
  const Words& words;
  float u = 1;    ///< pixels per point
  ImVec2 window;  ///< the whole window's size, which the smallest type of a presentation follows
};

enum class TextRole : std::uint8_t { prose, story, word, number, caption };

struct SceneText {
  TextRole role{};
  Face face{};
  float pixels = 0;
  ImU32 colour = 0;
  Rect rect;  ///< of upright text; a turned one's right end is at its (max.x, middle)
  std::string text;
  float degrees = 0;
};
struct SceneMath {
  float pixels = 0;
  float least = 0;  ///< no script in it is smaller; 0: as small as can be read from near
  ImU32 colour = 0;
  bool lanes = false;  ///< a stage's symbols wear its lane's colour
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
};
/// A number as a bar: from zero, or from the sum before it, to where it leads. A negative one points left, or down.
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
  bool arrow = false;  ///< with a head at its end
};
struct SceneMatrix {
  MatrixQuad quad;
  Rect seen;                       ///< nothing is drawn outside
  std::optional<Cell> first = {};  ///< whose number its upper left one is, where they are a stage's
  bool turned = false;             ///< its columns are the stage's rows
};
struct SceneImage {
  Rect rect;
  std::shared_ptr<const Image> image;
};
using SceneItem =
    std::variant<SceneText, SceneMath, SceneFill, SceneBox, SceneBar, SceneHatch, SceneCurve, SceneMatrix, SceneImage>;

/// What a click on a part of a scene does.
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
  habit,
  together,
  facet,
  rival,
  temperature,
  guess,
  write_word,
  draw_word,
  sampling,
  score,       ///< of a key: it can be dragged
  drop_trial,  ///< the scores are again as they are
  opacity,     ///< of the colours over a picture: dragged along its track
  measure,     ///< of a head: the index of HeadMeasure
  than,        ///< the token whose logit is taken away; −1: none
  lens,        ///< the layer (cell.batch) and the position (index)
  patched,     ///< the index of PatchedState
  task_stop,   ///< the long computation
  task_again,
  study_head,    ///< the layer (cell.batch) and the head
  study_line,    ///< a sentence: which of the study's
  study_sort,    ///< the index of study_columns()
  study_filter,  ///< the index of StudyFilter
  study_mean,    ///< 1: the effect also with the heads' means
  study_page,    ///< its row becomes the first one that is seen
  unfold
};

struct SceneTarget {
  Rect rect;
  SceneAction action{};
  Cell cell;          ///< of look_at
  Index index = 0;    ///< of a word, head, layer or facet
  bool link = false;  ///< words of a sentence that name it: the pointer on them lights up what they name
  float step = 0;     ///< of a score: what one pixel upwards adds to it
};

/// A word that was left out, and the room that there was for it.
struct SceneWord {
  std::string text;
  float width = 0, height = 0;
};

struct Scene {
  std::vector<SceneItem> items;  ///< in the order in which they are drawn
  std::vector<SceneTarget> targets;
  Rect content;                     ///< around operands and result, without titles and labels
  std::vector<SceneWord> left_out;  ///< words that were left out
  std::vector<Rect> boxes;          ///< text in one of them must not leave it
  /// Fills and bars that are numbers of a stage: which item, which number.
  std::vector<std::pair<std::size_t, Cell>> marks;
};

/// Where a scene is drawn, how large and how opaque: for a level that comes or goes.
struct SceneCamera {
  ImVec2 origin{0, 0};
  float zoom = 1;
  float presence = 1;  ///< 0: nothing of it is there yet
};

void draw_scene(ImDrawList& list, const Scene& scene, const Look& look, const Fonts& fonts, MatrixPainter& painter,
                const SceneCamera& camera = {});

/// The topmost target at a point; null where there is none.
const SceneTarget* target_at(const Scene& scene, ImVec2 point);
/// What a sentence's link names, where that stands in the scene: the cell itself, else its word.
std::vector<Rect> lit_by(const Scene& scene, const SceneTarget& link);
/// What a link under the pointer names is lit; nothing for other targets, or none.
void draw_lit(ImDrawList& list, const Scene& scene, const SceneTarget* target, const Look& look, float u);

/// Of type and strokes in a presentation, times `scale` pixels a point: as large as the window has room for, for the
/// last row.
float presentation_scale(ImVec2 window, float scale);

/// Sizes of type in pixels, all drawn as they say: larger in a presentation, and never below `least`.
struct TypeSizes {
  float title = 0, story = 0, word = 0, number = 0, caption = 0, formula = 0, great = 0;
  float least = 0;
};
TypeSizes type_sizes(const SceneContext& context);

}  // namespace headlight
