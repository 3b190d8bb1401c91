// Pictures: what was computed to be drawn, kept from frame to frame while what it was computed from stays the same.
#pragma once

#include <memory>

#include "ui/compare/compare_picture.h"
#include "ui/export/export_preview.h"
#include "ui/heads/average.h"
#include "ui/heads/heads_picture.h"
#include "ui/masklab/conventions_picture.h"
#include "ui/masklab/cost_picture.h"
#include "ui/masklab/mask_picture.h"
#include "ui/masklab/reach_picture.h"
#include "ui/masklab/sides_picture.h"
#include "ui/open/open_dialog.h"
#include "ui/panels/controls_picture.h"
#include "ui/panels/inspector_picture.h"
#include "ui/pipeline/picture.h"
#include "ui/pipeline/provenance.h"
#include "ui/player/moment_picture.h"
#include "ui/views/lesson_picture.h"

namespace headlight {

struct Pictures {
  ControlsKey controls_key;
  ControlsPicture controls;
  std::size_t mask_text_columns = 0;
  MaskTextPicture mask_text;
  /// What is painted over the expression, in words.
  struct PaintedWords {
    std::vector<PaintedCells> painted;
    Dims dims;
    Index batch = 0, head = 0;
    std::string language, words;
  };
  PaintedWords painted_words;
  MaskKey mask_key;
  MaskPicture mask;
  std::vector<PatternTile> palette;  ///< made when it is first shown
  std::vector<Lesson> lessons;  ///< by shown_lessons
  std::vector<LessonTile> lesson_tiles;  ///< made when they are first shown
  SheetKey conventions_key, reach_key, cost_key, sides_key;
  ConventionBoard conventions_board;  ///< what the conventions sheet still lacks, while it is busy
  ConventionsPicture conventions;
  ReachNumbers reach_numbers;
  Index reach_query = -1;
  ReachPicture reach;
  CostPicture cost;
  SidesPicture sides;
  MomentKey moment_key;
  MomentPicture moment;
  std::shared_ptr<const Trace> timeline_of;
  Way timeline_way{};
  Timeline timeline;
  /// What the pipeline's picture depends on.
  struct PipelineKey {
    std::shared_ptr<const Trace> trace;
    Index batch = 0, head = 0;
    std::optional<bool> packed;
    Theme theme = Theme::light;
    std::string colormap;
    RangeSetting range;
    std::string language;
    bool presenting = false;
    ImVec2 size;
    float u = 0;
  };
  PipelineKey pipeline_key;
  PipelinePicture pipeline;
  std::optional<Cell> provenance_of;  ///< in `pipeline` as it is now
  bool provenance_reaches = false;
  Provenance provenance;
  HeadsKey heads_key;
  HeadsPicture heads;
  HeadsAverage average;  ///< what the heads' picture still lacks, while it is busy
  CompareKey compare_key;
  ComparePicture compare;
  InspectorKey inspector_key;
  InspectorPicture inspector;
  OpenPicture open;
  ExportKey export_key;
  ExportPreview export_preview;
};

/// The lessons that ship with the program, read when they are first shown.
const std::vector<Lesson>& shown_lessons(Pictures& pictures);
/// And what each looks like.
const std::vector<LessonTile>& lesson_tiles(Pictures& pictures);

/// The pipeline's picture for this frame and size, made anew only where something it shows has changed.
const PipelinePicture& pipeline_picture(const Frame& frame, ImVec2 size);

/// The same for the heads view, its average a part further with each frame: cards in `grid`, lines between the columns of tokens at the sides of `arcs`.
const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs);

/// The same for the compare view, in `area` of the screen. There are a pinned trace and its difference.
const ComparePicture& compare_picture(const Frame& frame, Rect area);

/// The same for the inspector.
const InspectorPicture& inspector_picture(const Frame& frame, const Cell& cell, float width);
/// The same for the export dialog, its picture in `room` at most.
const ExportPreview& export_preview(const Frame& frame, ImVec2 room);
/// Sources of the looked-at cell, or what it reaches, in the pipeline's picture as it was last made; empty where nothing is looked at.
const Provenance& provenance_picture(const Frame& frame);
/// The same for the left panel.
const ControlsPicture& controls_picture(const Frame& frame);
/// The mask as it stands or, while that does not parse, as it is typed; `columns` as for make_mask_text_picture().
const MaskTextPicture& mask_text_picture(const Frame& frame, std::size_t columns);
/// What the mask view's other sheets show, in `area` of the screen; the conventions some further with each frame.
const ConventionsPicture& conventions_picture(const Frame& frame, Rect area);
const ReachPicture& reach_picture(const Frame& frame, Rect area);
const CostPicture& cost_picture(const Frame& frame, Rect area);
const SidesPicture& sides_picture(const Frame& frame, Rect area);
/// What the moment of the step player shows besides, in the pipeline's picture as it was last made.
const MomentPicture& moment_picture(const Frame& frame);
/// The same for the mask view, in `area` of the screen, and its palette.
const MaskPicture& mask_picture(const Frame& frame, Rect area);
const std::vector<PatternTile>& palette_picture(const Frame& frame);
/// "+ painted(): 3 allowed, 2 forbidden", in the matrix that is looked at.
const std::string& painted_words(const Frame& frame);

}  // namespace headlight
