// The state of single views and dialogs; View is made of these structs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/compute/network/head_patterns.h"
#include "core/compute/network/sampling.h"
#include "core/rules/mask/painting.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/inputs/layer_list.h"
#include "core/scenario/settings/scenario_view.h"

namespace headlight {

/// What can be copied or saved of a matrix: the first three go to the clipboard, `figure` opens the export dialog, the
/// others write a file.
enum class MatrixTake : std::uint8_t { value, row, matrix, figure, png, svg, csv, npy };

/// The context menu of a matrix.
struct MatrixMenu {
  Cell cell;           ///< the clicked cell
  float x = 0, y = 0;  ///< where it was clicked, window pixels
  bool operator==(const MatrixMenu&) const = default;
};

/// The open dialog.
struct OpenChoice {
  std::string typed;   ///< a folder and the beginning of a file name
  int marked = -1;     ///< selected entry among those that match `typed`; −1: none
  int visit = 0;       ///< number of times the dialog was opened; the folder is read again each time
  bool focus = false;  ///< the text field should take the keyboard
  bool masks = false;  ///< open a mask for the current document; only files that can hold one are listed
  bool operator==(const OpenChoice&) const = default;
};

/// The dialog that asks which attention layer of a file to open.
struct LayerChoice {
  std::shared_ptr<const LayerQuestion> question;
  std::string search;          ///< lists the layers whose name contains this
  std::string layer;           ///< the selected layer
  std::optional<Index> heads;  ///< number of heads, where the file does not say
  bool focus = false;
  bool operator==(const LayerChoice&) const = default;
};

/// How a pasted matrix is used.
enum class PasteUse : std::uint8_t { input, mask, bias };

/// Visible queries [q0, q1) × keys [k0, k1), in fractions of cells.
struct MapRegion {
  double q0 = 0, q1 = 0, k0 = 0, k1 = 0;
  bool operator==(const MapRegion&) const = default;
};

/// What the map shows.
struct MapChoice {
  Stage stage = Stage::weights;     ///< a stage with queries and keys
  std::optional<MapRegion> region;  ///< unset: the whole matrix
  bool typing = false;              ///< the "go to" field should take the keyboard
  bool operator==(const MapChoice&) const = default;
};

/// The brush of the mask view.
enum class PaintTool : std::uint8_t { look, brush, row, column, rectangle };

/// How a clicked pattern changes the expression: replaces it; and; or; removed from it.
enum class Combine : std::uint8_t { replace, both, either, without };

struct MaskPainting {
  PaintTool tool = PaintTool::look;
  Paint paint = Paint::forbid;
  bool one_head = false, one_entry = false,
       by_blocks = false;        ///< paint in the current head or batch entry only (else in all); paint whole blocks
  std::optional<Cell> from, to;  ///< ends of the stroke while it is dragged
  int strokes = 0;               ///< number of strokes; each is one undo step
  Combine combine = Combine::replace;
  float zoom = 1;           ///< of the mask in its card; 1 shows all of it
  float left = 0, top = 0;  ///< top left corner of the visible part, as a fraction of the mask
  bool operator==(const MaskPainting&) const = default;
};

/// State of the mask view.
struct MaskLab {
  MaskTab tab = MaskTab::patterns;
  int layers = 3;                    ///< number of layers for the reach picture
  bool residual = true;              ///< residual connections: a token also keeps its own information
  std::optional<int> block;          ///< block side for the block picture; unset: usual_block()
  std::optional<std::string> other;  ///< expression of the second mask, B; unset: second_mask()
  bool operator==(const MaskLab&) const = default;
};

/// What is under the pointer. Pictures are made without it, and what it changes in them is drawn over them.
struct Pointed {
  std::optional<Cell> cell;      ///< of a matrix
  std::optional<Stage> card;     ///< the card, where no cell of it is
  std::optional<Cell> source;    ///< the source whose link it is; it lights up on the canvas
  std::optional<Stage> term;     ///< the stage whose symbol in the formula it is
  std::optional<Stage> in_text;  ///< the stage whose term in the lesson's text it is
  std::optional<Index> word;     ///< in the sentence, the operations and the network
  bool operator==(const Pointed&) const = default;
};

/// Maximum temperature of LevelChoice::sampling.
inline constexpr float hottest_sampling = 2;

/// A number that is hidden until the user has guessed it.
struct Guessing {
  bool active = false;
  std::optional<float> guess;  ///< once set, the number is shown beside it
  bool operator==(const Guessing&) const = default;
};

/// Scores of one row changed for trial in its softmax; the document's numbers do not change.
struct ScoreTrial {
  Index batch = 0, head = 0, query = 0;
  /// Added to unscaled scores, by key; index n_k is the sink.
  std::vector<std::pair<Index, float>> added;
  bool operator==(const ScoreTrial&) const = default;
};

/// Two words of the text that were swapped.
struct SwappedWords {
  Index first = 0, second = 0;  ///< their positions
  std::string text;             ///< the text with the swapped words; any other text is not compared
  bool operator==(const SwappedWords&) const = default;
};

/// Whether the facet explains the next word.
constexpr bool is_of_next_word(Facet facet) { return facet == Facet::next || facet == Facet::why; }

/// What each level (core/scenario/settings/scenario_view.h) shows: the followed words, the stage, the next word.
struct LevelChoice {
  Level level = Level::pipeline;
  Stage stage = Stage::scores;  ///< stage of the operation level
  Facet facet = Facet::step;
  std::optional<Index> rival;      ///< a second key to compare the first with
  std::optional<Index> explained;  ///< for next words, the token whose logit is explained
  std::optional<Index> than;       ///< the token whose logit is subtracted from that of `explained`
  Guessing guessing;
  std::optional<Index> query, key;  ///< the followed words; unset: the selection, else a pair with a large weight
  std::optional<Index> feature;     ///< index within the head
  std::optional<Index> at;          ///< in the sentence: the word for which each head's card says how much looks there
  bool masks = false;               ///< the sentence offers patterns for the mask
  bool by_look = false;             ///< the cards of the heads are in the order of what they give to a word
  std::optional<float> progress;    ///< progress within the stage, if the player goes stage by stage
  std::optional<float> arrival;     ///< progress of the transition from the previous scene; unset: by time
  bool knocked = false;             ///< also show the prediction without the head
  std::optional<SwappedWords> swapped;
  Sampling sampling;  ///< of the next word
  Index draws = 0;    ///< number of next words drawn so far
  std::optional<ScoreTrial> trial;
  float opacity = 0.6F;   ///< of the colours over a picture
  bool held = false;      ///< a patch was clicked: it stays selected, and the pointer shows numbers
  bool unfolded = false;  ///< the collapsed part of a picture is expanded
  bool operator==(const LevelChoice&) const = default;
};

/// The order and the mark of heads.
enum class HeadOrder : std::uint8_t { layer, pattern, entropy, effect };
/// Shown in place of the heads: one matrix made of all layers up to one (core/compute/network/attention_flow.h), the
/// predictions after each layer, the effect of another sentence's states (core/compute/network/logit_parts.h), what
/// each head does over many sentences (core/compute/network/head_study.h), the experts that words chose, or what is
/// read and what is new as the text is written word by word (core/compute/network/key_cache.h).
enum class LayersTogether : std::uint8_t { none, mean, rollout, flow, lens, patch, study, experts, writing };
inline constexpr const char* layer_words[] = {"none",  "mean",  "rollout", "flow",   "lens",
                                              "patch", "study", "experts", "writing"};
/// The same choices as Patch::What.
enum class PatchedState : std::uint8_t { residual, heads, mlp };
/// Which heads the table of a study lists: all, those of the current layer, those with at least half of the largest
/// value.
enum class StudyFilter : std::uint8_t { all, layer, strong };

/// What the network view shows: heads, their order, or one picture of all layers.
struct NetworkShown {
  HeadOrder order = HeadOrder::layer;
  std::optional<HeadPattern> pattern;  ///< the pattern that heads are marked with; unset: each head's strongest one
  LayersTogether together = LayersTogether::none;
  std::string patch_from;  ///< the sentence whose states are patched in
  std::string patch_word;  ///< the word whose logit is measured; "": the most probable
  PatchedState patched = PatchedState::residual;
  std::string texts;      ///< file of sentences for the study; "": the model's own
  Index study_sort = 5;   ///< index into study_columns(); 5 is the effect
  bool study_up = false;  ///< ascending order
  StudyFilter study_of = StudyFilter::all;
  bool study_mean = false;  ///< show also the effect of replacing each head by its mean
  Index study_from = 0;     ///< number of scrolled rows of the table
  bool operator==(const NetworkShown&) const = default;
};
struct NetworkChoice : NetworkShown {
  std::optional<Index> layer, head;  ///< the current head; unset: the document's
  bool operator==(const NetworkChoice&) const = default;
};

/// How fast a run learns before one's eyes: the whole of it in about half a minute, in eight seconds, or at once.
enum class TrainPace : std::uint8_t { slow, watched, at_once };

/// What the view Train shows of the document's run (core/compute/training), and of the one that it is compared with.
struct TrainChoice {
  Index until = 0;  ///< it learns up to this step; 0: it does not learn
  int round = 0;    ///< counts how often runs were begun again
  TrainPace pace = TrainPace::watched;
  std::string beside;          ///< the run that the document's differs from in one choice; "": none
  std::optional<float> guess;  ///< how far it will come: the guessed share of right answers
  bool operator==(const TrainChoice&) const = default;
};

/// What was shown before something else was opened: Esc goes back to it.
struct Visited {
  ViewKind kind = ViewKind::pipeline;
  Level level = Level::pipeline;
  Facet facet = Facet::step;
  LayersTogether together = LayersTogether::none;
  Stage stage = Stage::scores;
  std::optional<int> step;
  std::optional<float> share;
  std::optional<Cell> selected;
  bool operator==(const Visited&) const = default;
};

}  // namespace headlight
