// The network view as a Scene: every head of every layer as a small picture, and details of the current head.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/network/head_overview.h"
#include "core/compute/network/head_study.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/logit_parts.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/parts/scene/pen.h"

namespace headlight {

/// Item `i` of a list.
template <typename List>
decltype(auto) item(List&& list, Index i) {
  return list[static_cast<std::size_t>(i)];
}

struct HeadPlace {
  Index layer = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};

/// The effect of patching in another sentence's states, as far as it is computed.
struct PatchShown {
  std::vector<std::string> words, from;  ///< of both sentences
  std::string word;                      ///< the word whose logit is measured
  PatchGrid grid;
  bool whole = false;
};
/// Heads over many sentences.
struct StudyShown {
  std::vector<std::string> lines;
  std::vector<HeadMeans> heads;
  bool whole = false;
  bool needs_file = false;  ///< no file is named, and the network has none
};
/// The progress of the long computation.
struct TaskShown {
  bool running = false, stopped = false;
  double share = 0;
  std::optional<double> seconds_left;
  std::string error;
};

/// Everything besides the overview, as far as it is computed.
struct NetworkFacts {
  std::string likeliest;  ///< the most probable token after the asked word; "" if nothing is predicted
  double probability = 0;
  /// [layer][head]: its probability without this head; unset if not computed or if the network is too large.
  std::vector<std::vector<std::optional<double>>> without;
  std::vector<std::optional<double>> without_layer;
  /// The same with the head's output replaced by its mean over the network's sentences; empty if not available.
  std::vector<std::vector<std::optional<double>>> with_mean;
  struct Prediction {
    std::string after, word;
    double probability = 0;
    bool asked = false;  ///< `likeliest` and `without` are of this position
  };
  std::vector<Prediction> predictions;  ///< the most likely token at every position
  Tensor together;          ///< [n, n], the matrix that LayersTogether selects; rows that are not computed yet are 0
  Index rows_together = 0;  ///< number of computed rows
  std::string together_missing;                  ///< translation key of the reason why it is missing; "" if it is there
  std::vector<std::vector<LensCell>> lens;       ///< for LayersTogether::lens, the rows computed so far
  std::vector<std::string> lens_words;           ///< words of its columns
  std::vector<Index> lens_layers;                ///< layers of its rows, as indices of the overview
  PatchShown patch;                              ///< for LayersTogether::patch
  StudyShown study;                              ///< for LayersTogether::study
  TaskShown task;                                ///< for the two above
  std::vector<Tensor> experts;                   ///< one per layer: LayerRun::experts; empty if no layer has experts
  std::vector<DecodeLayer> decode;               ///< the generating layers; empty if there are none
  std::vector<std::string> text;                 ///< their input
  std::string file;                              ///< the network's, as the user named it
  std::vector<std::vector<std::string>> claims;  ///< [layer][head]: what a shipped model's head does; "" if unknown
  std::vector<std::vector<std::string>> briefs;  ///< the same in few words; "" if there are none
  std::vector<Tensor> brought;                   ///< pictures of the view's measure, for the layers computed so far
  float most_brought = 0;                        ///< the largest contribution norm in them
  bool can_measure = false, random_weights = false, can_knock = false;
  std::string changed;  ///< the layer with changed settings; "" for none

  std::string claim(HeadPlace at, bool brief = false) const {
    const auto& of = brief ? briefs : claims;
    return of.empty() ? std::string() : item(item(of, at.layer), at.head);
  }
};

/// Whether each row of a weights picture of this width has its own colour range: with many keys, weights are small.
inline bool has_row_ranges(Index cols) { return cols > 32; }
/// The translation key for patches if the network reads pictures: "network.title_picture"; otherwise `key`.
std::string key_for(const Trace& trace, const std::string& key);
/// Translation key of a pattern: "network.habit_previous".
std::string pattern_key(const Trace& trace, HeadPattern pattern);
/// The current head.
HeadPlace looked_at_head(const HeadOverview& overview, const View& view);
/// All heads in the chosen order.
std::vector<HeadPlace> heads_in_order(const HeadOverview& overview, const NetworkFacts& facts,
                                      const NetworkChoice& choice);
/// The head this many steps across and down; clamped.
HeadPlace neighbour(const HeadOverview& overview, const NetworkFacts& facts, const View& view, int across, int down);
/// The share 0…1 that a head is marked with, and its pattern; unset if nothing was measured.
struct HeadMark {
  double share = 0;
  std::optional<HeadPattern> pattern;
};
std::optional<HeadMark> mark_of(const HeadOverview& overview, const NetworkFacts& facts, const NetworkChoice& choice,
                                HeadPlace at);

struct NetworkScene {
  Scene scene;
  bool follows = false;  ///< it depends on the current head or on the word under the pointer
};
/// Without what belongs to the current head.
NetworkScene make_network(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts,
                          Rect place);
/// Over it: the frame of the current head's card, and the details of that head beside the cards.
Scene make_network_overlay(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts,
                           const Scene& scene, Rect place);

/// Short names for the inputs of the picture's parts.
struct NetworkPart : ScenePart {
  NetworkPart(Pen& by, const HeadOverview& heads, const NetworkFacts& known)
      : ScenePart(by), overview(heads), facts(known) {}
  const HeadOverview& overview;
  const NetworkFacts& facts;
  const HeadPlace looked = looked_at_head(overview, view);
  const float caption = pen.type.caption;

  const OverviewLayer& layer_at(Index layer) const { return item(overview.layers, layer); }
  /// "layer 3"
  std::string layer_title(Index layer) const { return say.fill("network.layer", {layer_at(layer).layer}); }
  /// The width of a caption.
  float width_of(std::string_view words) const { return pen.measure(Face::ui, caption, words).x; }
  /// "1.0"
  std::string head_name(HeadPlace at) const { return layer_at(at.layer).layer + "." + std::to_string(at.head); }
  /// The selected batch entry, clamped for tensors with `count` entries.
  Index batch_of(Index count) const { return std::min(view.batch, count - 1); }
};
/// All heads as cards. Returns whether they are those around the current layer, for want of room.
bool put_heads(const NetworkPart& part, Rect room);
/// The frame of the current head's card, whose target is in `scene`.
void put_looked_frame(const NetworkPart& part, const Scene& scene);
/// Details of the current head, the residual stream and the predictions.
void put_head_panel(const NetworkPart& part, Rect room);
/// The choice between all heads and the pictures of all layers; returns its height.
float put_ways(const NetworkPart& part, Rect room);
/// The matrix of all layers up to the current one.
void put_together(const NetworkPart& part, Rect room);
/// The shares that words gave to the experts, one panel per layer.
void put_experts(const NetworkPart& part, Rect room);
/// The numbers of earlier words that generating a word reads, and those that it adds, one row per layer.
void put_writing(const NetworkPart& part, Rect room);
/// The index of that word.
Index written_word(const NetworkFacts& facts, const View& view);
/// The network's prediction if it ended after each layer.
void put_lens(const NetworkPart& part, Rect room);
/// The effect of another sentence's states on the logit of a word.
void put_patch(const NetworkPart& part, Rect room);
/// Statistics of each head over many sentences.
void put_study(const NetworkPart& part, Rect room);
/// The rows or the columns of a table: their number, the one that stays visible, and their least and greatest size.
struct GridSide {
  Index at = 0, count = 0;
  float least = 0, most = 0;
};
/// A table with a row per layer and a column per position or head: its place, and the visible part.
struct LayerGrid {
  Rect room;
  float names = 0, head = 0;  ///< room for the names of the rows, and above the columns
  Index first = 0, columns = 0, top = 0, lines = 0;
  float column = 0, line = 0;  ///< width of a column, height of a row
  float x_of(Index at) const { return room.min.x + names + static_cast<float>(at - first) * column; }
  float y_of(Index at) const { return room.min.y + head + static_cast<float>(at - top) * line; }
  float middle_of(Index at) const { return room.min.x + names + (static_cast<float>(at - first) + 0.5f) * column; }
  ImVec2 end() const { return {x_of(first + columns), y_of(top + lines)}; }
  /// The place of a cell, with `gap` pixels on each side.
  Rect cell(Index row, Index col, float gap) const {
    return Rect{{x_of(col), y_of(row)}, {x_of(col) + column, y_of(row) + line}}.grown(-gap);
  }
  /// Chooses the visible part, leaving `foot` pixels below it.
  void lay_out(const GridSide& across, const GridSide& down, float foot);
};
/// First and number of those of `count` items that fit with `least` pixels each, around `at`.
std::pair<Index, Index> part_around(Index at, Index count, float room, float least);

void draw_network_view(const Frame& frame, Rect place);

/// The facts computed so far, and a version that changes with them; computed in parts and kept while the trace stays.
struct FactsSoFar {
  NetworkFacts facts;
  int version = 0;
};
const FactsSoFar& network_facts(const Frame& frame, const HeadOverview& overview);

struct NetworkRun;

/// Empty if there is no second sentence.
PatchShown patch_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
/// The means of heads over the network's sentences, or over those that the view names; null until they are computed,
/// and if there are none.
std::shared_ptr<const MeanHeads> means_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
StudyShown study_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);

}  // namespace headlight
