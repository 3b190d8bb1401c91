// What the pipeline view shows, computed once for a trace, a view and a size; drawing it (ui/pipeline/draw.h) only
// draws.
#pragma once

#include <string>
#include <vector>

#include "core/figure/ticks.h"
#include "ui/document/view.h"
#include "ui/frame/frame.h"
#include "ui/look/measure.h"
#include "ui/matrix/card_notes.h"
#include "ui/matrix/heat.h"
#include "ui/pipeline/layout.h"

namespace headlight {

// Type of a card's subtitle, and of the ends of its colour bar.
inline constexpr float note_points = TypeSize::body;
inline constexpr float subtitle_points = TypeSize::body;
inline constexpr float end_points = TypeSize::note;
inline constexpr float label_points = TypeSize::note;  ///< names of rows and columns, shapes

struct Strip {
  float from = 0, to = 0;  ///< canvas pixels, over the columns that belong to one head
  ImU32 colour = 0;
};

/// One of the stages that share a card: a click brings it forward.
struct ScrubPart {
  Stage stage{};
  Rect rect;
  bool in_front = false;
};

/// One of the measures that the card of the weights can show: a click chooses it.
struct MeasurePart {
  HeadMeasure measure{};
  Rect rect;
  std::string words;
  bool chosen = false;
};

struct CardPicture {
  Stage stage{};
  Rect card;
  ImU32 colour = 0;  ///< of the title: its lane's
  ImU32 border = 0;  ///< 0: a plain card
  int behind = 0;    ///< cards of other heads in the stack behind it
  std::string title, symbol, shape;
  std::string reading;     ///< how more cells than pixels are read, after the shape: "sampled rows"; "" for whole
  std::string shape_hint;  ///< what rows and columns are, in words: "n_q 6: queries · d_head 4: channels of a head"
  std::string subtitle;    ///< "head 2, batch entry 1": of a wide card of heads
  Face title_face = Face::bold;
  float title_size = 13;              ///< points; smaller where a long name meets a narrow card
  std::vector<ScrubPart> scrubber;    ///< under the title, where stages share the card
  std::vector<MeasurePart> measures;  ///< beside the title of the weights, where they fit
  std::vector<HeatPicture> heats;     ///< the matrix; for a weight matrix also its bias
  std::vector<Strip> strips;
  std::vector<Strip> row_strips;  ///< beside the rows: which projection each belongs to, where they are packed
  std::vector<CountNote> counts;  ///< of cells that are no values
  RowStrip strip;                 ///< beside the weights, where there is room
  std::string lo, hi;             ///< ends of the colour bar
  std::vector<BarTick> ticks;     ///< between the ends, where the bar is long
  Rect bar;
  Rect notes;             ///< the line of the shape and of the counts: over the bar, or beside the title
  bool labelled = false;  ///< rows and columns carry names
};

struct ThumbnailPicture {
  Rect card;
  Index head = 0;
  ImU32 border = 0;
  std::string number;  ///< the head's, where there is room for it
  HeatPicture heat;
};

struct PipelinePicture {
  PipelineLayout layout;
  std::vector<CardPicture> cards;
  std::vector<ThumbnailPicture> thumbnails;
  std::vector<std::string> note;  ///< lines in layout.note: that numbers are random
  ImVec2 size;
};

/// Whether W_q, W_k and W_v are shown as one matrix: as the view says, else as the source has them.
bool shows_packed(const Frame& frame);

PipelinePicture make_pipeline_picture(const Frame& frame, ImVec2 size);

/// "n_q 6 × d_head 4", or as much of it as fits into `width` pixels at `pixels` of type; without the axes' names: "6 ×
/// 4".
std::string shape_text(const Frame& frame, Stage stage, float width, float pixels, bool named = true);

/// frame.picture() of what also depends on which of the matrices that share a card it shows.
template <typename T, typename Make, typename... Parts>
T& picture_of_cards(const Frame& frame, Make&& make, const Parts&... also) {
  const View& view = frame.view();
  return frame.picture<T>(std::forward<Make>(make), view.packed, view.measure, view.brought_forward,
                          view.brought_forward_beside == view.selected,
                          view.selected ? std::optional(view.selected->stage) : std::nullopt,
                          view.step ? std::optional(frame.timeline.at(*view.step).stage) : std::nullopt, also...);
}

/// The same, kept.
const PipelinePicture& pipeline_picture(const Frame& frame, ImVec2 size);

}  // namespace headlight
