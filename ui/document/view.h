// View: what is looked at and how. Never changes a number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/range.h"
#include "core/image/theme.h"
#include "core/scenario/scenario_view.h"
#include "core/stage/cell.h"
#include "ui/document/export_choice.h"
#include "ui/document/lesson_progress.h"
#include "ui/document/level_choice.h"
#include "ui/document/network_choice.h"
#include "ui/document/view_choices.h"
#include "ui/timeline/way.h"

namespace headlight {

/// What stands over the window until Esc, a click beside it or its own buttons send it away; one at a time.
enum class Dialog : std::uint8_t { none, help, open, layers, paste, exporting, save, leave, welcome };

/// What the heads view shows.
struct HeadsChoice {
  Stage stage = Stage::weights;   ///< one with a head axis
  std::vector<Index> heads;       ///< chosen, in ascending order; none: all
  std::optional<Index> isolated;  ///< shown alone
  float mass = 0.9f;              ///< arcs for each row's largest weights up to this part of its sum
  bool operator==(const HeadsChoice&) const = default;
};

struct View {
  ViewKind kind = ViewKind::pipeline;
  Theme theme = Theme::light;
  std::string language = "en";
  std::string colormap;                  ///< "" = the theme's own for the stage's kind
  RangeSetting range{RangeMode::stage};  ///< what the ends of the colours stand for, as `render --range`
  std::optional<Norm>
      norm;  ///< how weights are spread over the colours; unset: evenly up to 32 keys, by magnitude beyond
  HeadMeasure measure = HeadMeasure::weight;  ///< of a head's row or matrix, where the run has what it brings
  Index batch = 0, head = 0;
  std::optional<Cell> selected;        ///< pinned by a click or --select
  std::vector<Cell> path;              ///< how one came to `selected`, through its dependants (ui/document/path.h)
  bool looked = false;                 ///< something was selected, by hand or to begin with
  std::optional<Cell> hovered;         ///< under the pointer
  bool reaches = false;                ///< marked are the cells that the looked-at one reaches, not those it came from
  std::optional<Stage> pointed_stage;  ///< whose card, but none of its cells, is under the pointer
  std::optional<Stage> pointed_term;   ///< whose symbol in the formula is under the pointer
  std::optional<Cell> pointed;         ///< a source whose link the pointer is on: lights up on the canvas
  std::optional<bool> packed;          ///< W_q, W_k, W_v as one matrix; unset: as the source has them
  std::vector<Stage> brought_forward;  ///< of stages that share a card, the ones that were asked for, the last one last
  std::optional<Cell> brought_forward_beside;  ///< what was selected then: another selection has its own stage in front
  std::optional<std::string> mask_draft;       ///< what is typed as the mask while it does not parse
  std::optional<int> step;  ///< moment of the step player (ui/player/timeline.h); unset: all is shown
  Way way = Way::rows;      ///< how its products advance
  bool playing = false;     ///< the moments pass by themselves
  bool looping = false;     ///< over the present stage's moments
  float speed = 1;          ///< times the usual pace
  bool calm = false;        ///< reduced motion: one picture follows another without a way between them
  bool presenting = false;  ///< for a projector: large type, no controls
  bool fullscreen = false;  ///< of the window: a presentation that F11 began, which takes it along when it ends
  bool alone = false;       ///< the view has the whole window, for a picture of it
  bool blank = false;       ///< the screen is black while the teacher talks
  bool frozen = false;      ///< a presentation's picture stays as it is, whatever is changed behind it
  Dialog dialog = Dialog::none;
  std::optional<MatrixMenu> menu;  ///< open on a matrix; unset: closed
  ExportChoice exporting;
  SaveChoice saving;
  std::optional<std::string>
      saving_step;  ///< the lesson file that what is on screen is to join; set while that is asked
  std::optional<std::string>
      saving_answers;     ///< the file that the answers to lessons are to go into; set while that is asked
  LessonProgress lesson;  ///< of the lesson with steps that is open
  LevelChoice looking;    ///< how near, and at what
  HeadsChoice heads;
  NetworkChoice network;
  MapChoice map;
  MaskPainting mask_painting;
  MaskLab mask_lab;
  std::optional<Stage> compared;  ///< the stage that the compare view shows large; unset: one that has changed
  std::optional<Stage> beside;    ///< of one's own stages, the one that is shown; unset: the first that differs
  OpenChoice open;
  LayerChoice layers;
  std::optional<GivenMatrix> pasted;  ///< which the paste dialog asks about
  std::optional<float> cell_reach;    ///< half the range of the cell editor's slider, while that is held
  CanvasCamera camera;                ///< of the pipeline
  bool operator==(const View&) const = default;
};

/// The level that is shown: a presentation of the pipeline is one of its steps.
inline Level level_shown(const View& view) {
  if (view.kind != ViewKind::pipeline) return Level::pipeline;
  return view.presenting && view.looking.level == Level::pipeline ? Level::operation : view.looking.level;
}

}  // namespace headlight
