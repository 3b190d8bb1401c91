// View: what is shown and how. Never changes a number.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/image/theme.h"
#include "core/compute/run/trace.h"
#include "core/figures/figure/colormap.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/settings/scenario_view.h"
#include "ui/base/document/export_choice.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/view_choices.h"
#include "ui/base/timeline/timeline.h"

namespace headlight {

/// The dialog over the window, at most one. Esc, a click beside it or its buttons close it.
enum class Dialog : std::uint8_t { none, help, open, layers, paste, exporting, save, leave, welcome };

/// What the heads view shows.
struct HeadsChoice {
  Stage stage = Stage::weights;   ///< a stage with a head axis
  std::vector<Index> heads;       ///< chosen heads in ascending order; empty: all
  std::optional<Index> isolated;  ///< the only head shown
  float mass = 0.9f;              ///< arcs show each row's largest weights up to this share of its sum
  bool operator==(const HeadsChoice&) const = default;
};

struct View {
  ViewKind kind = ViewKind::pipeline;
  Theme theme = Theme::light;
  std::string language = "en";
  std::string colormap;                  ///< "" = the theme's default for the stage's kind
  RangeSetting range{RangeMode::stage};  ///< what the colours span, as `render --range`
  std::optional<Norm> norm;  ///< how weights map to colours; unset: linear up to 32 keys, logarithmic beyond
  HeadMeasure measure = HeadMeasure::weight;  ///< of a head's row or matrix, where contribution norms are known
  Index batch = 0, head = 0;
  std::optional<Cell> selected;  ///< pinned by a click or --select
  std::vector<Cell> path;        ///< the cells through which `selected` was reached
  bool looked = false;           ///< a cell has been selected, by the user or by default
  bool reaches = false;          ///< mark the cells that depend on the current one, not its sources
  Pointed pointed;
  std::optional<bool> packed;          ///< W_q, W_k, W_v as one matrix; unset: as the source has them
  std::vector<Stage> brought_forward;  ///< of stages that share a card, those brought to the front, in order
  std::optional<Cell>
      brought_forward_beside;  ///< the selection at that time: after another selection, its own stage is in front
  std::optional<std::string> mask_draft;  ///< what is typed as the mask while it does not parse
  std::optional<int> step;  ///< moment of the step player (ui/base/timeline/timeline.h); unset: all is shown
  ProductOrder way = ProductOrder::rows;  ///< the order in which products advance
  bool playing = false;                   ///< playback is running
  bool looping = false;                   ///< repeats the moments of the current stage
  float speed = 1;                        ///< factor of the usual speed
  bool calm = false;                      ///< reduced motion: no transitions between pictures
  bool presenting = false;                ///< for a projector: large type, no controls
  bool fullscreen = false;  ///< a presentation started with F11; the window leaves full screen when it ends
  bool alone = false;       ///< the view fills the whole window, for a picture of it
  bool blank = false;       ///< the screen is black while the teacher talks
  bool frozen = false;      ///< a presentation's picture stays the same, whatever is changed in the document
  Dialog dialog = Dialog::none;
  std::optional<MatrixMenu> menu;  ///< open on a matrix; unset: closed
  ExportChoice exporting;
  SaveChoice saving;
  std::optional<std::string>
      saving_step;  ///< the lesson file to append the current screen to; set while the dialog asks
  std::optional<std::string> saving_answers;  ///< the file to write the answers to; set while the dialog asks
  LessonProgress lesson;                      ///< of the open lesson
  LevelChoice levels;                         ///< level and selection
  HeadsChoice heads;
  NetworkChoice network;
  MapChoice map;
  MaskPainting mask_painting;
  MaskLab mask_lab;
  TrainChoice train;
  /// In the pipeline and its operations, the gradients of this loss in place of the numbers: a word's, as `--loss`, or
  /// with "" that of the task that the network has learned. Unset: the numbers.
  std::optional<std::string> loss;
  std::optional<Stage> compared;  ///< the stage that the compare view shows large; unset: a changed one
  std::optional<Stage> beside;    ///< the shown stage of the user's own; unset: the first that differs
  OpenChoice open;
  LayerChoice layers;
  std::optional<GivenMatrix> pasted;  ///< the matrix in the paste dialog
  std::optional<float> cell_reach;    ///< half of the range of the cell editor's slider while it is dragged
  CanvasCamera camera;                ///< for the pipeline
  std::vector<Visited> trail;         ///< where one came from, the first place first
  bool operator==(const View&) const = default;
};

/// The number of query heads per head of this stage: 1, except for grouped keys and values.
Index heads_per(const Trace& trace, Stage stage);
/// The level that is shown.
inline Level level_shown(const View& view) {
  return view.kind == ViewKind::pipeline ? view.levels.level : Level::pipeline;
}

/// Whether gradients are shown, as far as the view decides.
bool shows_gradients(const View& view);

/// The view at a moment: selects the stage being computed, in the current batch entry and head.
View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment);
/// The view with everything computed, as before the player was used.
View without_moment(View view);

/// Selects a cell of the trace, with its batch entry and head.
View look_at(View view, const Trace& trace, const Cell& cell);
/// The path that leads to the selected cell; empty if it was selected directly or the trace has changed.
std::span<const Cell> path_of(const View& view, const Trace& trace);
/// Selects `source` and appends it to the path. `from` is the current selection.
View follow(View view, const Trace& trace, const Cell& from, const Cell& source);
/// Returns to cell number `step` of the path.
View go_back(View view, const Trace& trace, std::size_t step);

/// The query that a story begins with unless somebody chooses one: asked_word() (core/models/tokenizer/asked_word.h) of
/// the entry's words; without words, the last one.
Index asked_query(const Trace& trace, Index batch);
/// The query that is asked about: the chosen one, the selected cell's, or asked_query().
Index query_asked(const Trace& trace, const View& view);
/// The view without followed words, which belonged to another text. The chosen head stays.
View without_words(View view);
/// The view with the words that `other` follows.
View with_words_of(View view, const View& other);

/// The view with `before` on its trail if it shows another place now. A place that is on the trail already is gone back
/// to: the trail ends before it. The sentence is the top, except for a moment of a training run, to which one returns.
View with_trail(View view, const Visited& before);
Visited place_shown(const View& view);
/// Back by one: to the selection that the place was entered with, to where one came from, else one level up. At the top
/// nothing changes.
View gone_back(View view);

/// "operation:scores", as --level takes it, and "mask:reach", "map:weights:4096:8192,0:4096", as --view does.
std::string level_address(const View& view);
std::string view_address(const View& view);
/// The visible part of the map in whole cells; unset: all.
std::optional<MapRegion> whole_region(const View& view);

/// What a scenario file says of a view, and the view that it opens with.
ViewFields saved_view(const View& view);
View with_saved_view(View view, const ViewFields& saved);

// The fields of a View as text, "kind=heads;head=1;zoom=1.5": for `--look`, links, the journal, the action log and
// undo.
/// The fields that differ from a new view and have no command line option of their own; "" if none.
std::string look_text(const View& view);
/// `view` with these fields. Throws SettingError for --look.
View with_look(View view, std::string_view text);
/// The fields of these names.
ViewFields fields_named(const View& view, std::initializer_list<std::string_view> names);

/// All fields in which `view` differs from `from`.
std::string view_fields(const View& view, const View& from = {});
/// `view` with these fields. Unknown fields are ignored. Throws SettingError for an invalid value.
View with_view_fields(View view, std::string_view text);

/// `view` with those fields of `other` that a lesson's step or a file may set: not the theme, dialogs or the
/// presentation.
View looking_at(View view, const View& other);

}  // namespace headlight
