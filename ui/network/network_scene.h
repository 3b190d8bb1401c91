// A whole network at a glance: every head of every layer as a small picture with what it does, and beside it what is
// known of the head that is looked at. Plain data, a Scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/network/decode_step.h"
#include "core/network/head_overview.h"
#include "core/network/head_study.h"
#include "core/network/logit_parts.h"
#include "ui/level/pen.h"

namespace headlight {

struct HeadPlace {
  Index layer = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};

/// The effect of another sentence's states, as far as it is computed.
struct PatchShown {
  std::vector<std::string> words, from;  ///< of both sentences
  std::string word;                      ///< whose logit it is
  PatchGrid grid;
  bool whole = false;
};
/// Heads over many sentences.
struct StudyShown {
  std::vector<std::string> lines;
  std::vector<HeadMeans> heads;
  bool whole = false;
};
/// How far the long computation is.
struct TaskShown {
  bool running = false, stopped = false;
  double share = 0;
  std::optional<double> seconds_left;
  std::string error;
};

/// What was computed besides the overview, as far as it is.
struct NetworkFacts {
  std::string likeliest;  ///< the token that is said next; "" where nothing is predicted
  double probability = 0;
  /// [layer][head]: its probability without this head; unset: not computed, or a network too large for it.
  std::vector<std::vector<std::optional<double>>> without;
  std::vector<std::optional<double>> without_layer;
  struct Said {
    std::string after, word;
    double probability = 0;
    bool last = false;
  };
  std::vector<Said> said;        ///< the most likely token at every position
  Tensor together;               ///< [n, n], what LayersTogether asks for; rows that are not computed yet are 0
  Index rows_together = 0;       ///< so many of it are there
  std::string together_missing;  ///< key of the words that say why it is not there; "" where it is
  std::vector<std::vector<LensCell>> lens;  ///< of LayersTogether::lens, the lines that are computed so far
  std::vector<std::string> lens_words;      ///< along it
  std::vector<Index> lens_layers;           ///< of the overview, one a line
  PatchShown patch;                         ///< of LayersTogether::patch
  StudyShown study;                         ///< of LayersTogether::study
  TaskShown task;                           ///< of the two
  std::vector<Tensor> experts;              ///< a layer each: LayerRun::experts; empty where no layer has any
  std::vector<DecodeLayer> decode;          ///< of the step that says the next word; empty where there is none
  Index words = 0;                          ///< that this step has read, with its own
  std::string file;                         ///< the network's, as the person named it
  std::vector<std::vector<std::string>>
      claims;                   ///< [layer][head]: what a shipped model's head was found to do; "" where nothing was
  std::vector<Tensor> brought;  ///< pictures as the overview's, of what the view measures; as many layers as are there
  float most_brought = 0;       ///< the largest length in any of them
  bool can_measure = false, random_weights = false, can_knock = false;
  std::string changed;  ///< the layer that is computed with settings of the person's own; "" for none

  std::string claim(HeadPlace at) const {
    return claims.empty() ? std::string()
                          : claims[static_cast<std::size_t>(at.layer)][static_cast<std::size_t>(at.head)];
  }
};

/// Key of a habit's words: "network.habit_previous".
std::string habit_key_of(HeadPattern habit);
/// The head that is looked at.
HeadPlace looked_at_head(const HeadOverview& overview, const View& view);
/// All heads in the order that the view asks for.
std::vector<HeadPlace> heads_in_order(const HeadOverview& overview, const NetworkFacts& facts,
                                      const NetworkChoice& choice);
/// From a head, so many steps across and down; stays within.
HeadPlace neighbour(const HeadOverview& overview, const NetworkFacts& facts, const View& view, int across, int down);
/// What the head is marked by, 0…1, and which habit that is; unset where nothing was measured.
struct HeadMark {
  double share = 0;
  std::optional<HeadPattern> habit;
};
std::optional<HeadMark> mark_of(const HeadOverview& overview, const NetworkFacts& facts, const NetworkChoice& choice,
                                HeadPlace at);

Scene make_network(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts, Rect place);
/// The panel of the head that is looked at, its residual and the predictions.
void put_head_panel(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room);
/// The choice between every head and what the layers give together; gives its height.
float put_ways(Pen& pen, Rect room);
/// What the layers give together, up to the one that is looked at.
void put_together(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room, HeadPlace at);

/// The shares that words gave to the experts of a layer: a line a word, the last ones where there are too many; of
/// height 0 where it has none.
float experts_height(const Pen& pen, const NetworkFacts& facts, Index layer);
void put_experts(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Index layer, Rect room);
/// What the step for the next word reads and adds in a layer: null where there is no such step.
const DecodeLayer* decoded(const HeadOverview& overview, const NetworkFacts& facts, Index layer);
std::string decode_words(const Pen& pen, const DecodeLayer& layer, Index words);
void put_decode(Pen& pen, const DecodeLayer& layer, Index words, Rect room);

/// What the network would say if it ended after each layer.
void put_lens(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room);

/// The effect of another sentence's states on the logit of a word.
void put_patch(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room);
/// What each head does over many sentences.
void put_study(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room);
/// First and number of those of `count` that have `least` pixels each in the room, around `at`.
std::pair<Index, Index> part_around(Index at, Index count, float room, float least);

/// As many as stand beside each other where heads are in an order of their own.
Index columns_in_order(Index heads, float width, float height);

}  // namespace headlight
