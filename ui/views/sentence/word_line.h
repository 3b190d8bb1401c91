// Inside ui/views/sentence: words in a line, arcs above them and bars below.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ui/parts/scene/pen.h"
#include "ui/parts/scene/row_prose.h"

namespace headlight::sentence_parts {

/// One row of a head's weights, with its mask.
struct Row {
  std::vector<float> shares;               ///< weights, or shares of the contribution norms
  std::optional<ContributionRow> brought;  ///< if the view shows contribution norms
  bool lengths = false;                    ///< bars show lengths, not shares
  std::vector<float> weights;              ///< drawn hollow beside the bars; empty if the bars are the weights
  std::vector<bool> hidden;
  Index most = 0;
  bool dead = false;
  bool all_masked = false;  ///< by the mask; a rule or a finite fill may give such a row shares

  /// Height of the bar, 0…1.
  float bar(std::size_t k) const {
    if (!lengths) return shares[k];
    return brought->most > 0 ? brought->lengths[k] / brought->most : 0;
  }
  /// The number below it.
  std::string number(std::size_t k) const;
};

/// The row of the weights.
Row row_of(const SceneContext& context, Index query);
/// The row of the view's measure.
Row measured_row(const SceneContext& context, Index query);
/// A share as text.
std::string share_text(float share);

struct WordPlace {
  Rect box;
  Index index = 0;
  int line = 0;
};

/// One or more lines of words in the largest type that fits. Pieces of one word (##) touch.
struct WordLine {
  std::vector<WordPlace> places;
  float pixels = 0, height = 0;
  float over = 0;  ///< space for arcs above each line
  int lines = 1;
  const WordPlace* find(Index index) const {
    const auto found = std::ranges::find(places, index, &WordPlace::index);
    return found == places.end() ? nullptr : &*found;
  }
};

/// For a long text, the words around `around`. Lines are `line_pitch` apart.
WordLine lay_out_words(Pen& pen, Axis axis, Index all, Index around, Rect room, float line_pitch);
void put_word(Pen& pen, const WordLine& line, const WordPlace& place, std::string word, bool lit, bool quiet,
              ImU32 colour, SceneAction action);
/// Height of an arc between words this far apart.
float arc_peak(const Pen& pen, float apart);
/// Arcs from the query to its keys, as thick as their shares, below `top`; between the two lines if queries and keys
/// have lines of their own.
void put_arcs(Pen& pen, const WordLine& from_line, const WordLine& to_line, Index query, const Row& row, ImU32 colour,
              float top, bool two_lines);
/// Bars below the words, `depth` high, with numbers, which are hidden while they are `guessed`. Masked keys are
/// hatched. A click on a bar asks which head looks there.
void put_shares(Pen& pen, const WordLine& line, const Row& row, float depth, Index lit, ImU32 colour, bool guessed);

/// Chips at the right of the room: the mask and, once opened, patterns to replace it; `mask` is the scenario's.
void put_masks(Pen& pen, const std::string& mask, Rect room);
/// The expression of a pattern, by the index of SceneAction::mask.
std::string mask_offered(const Trace& trace, Index which);
/// Under a causal mask, a grip between the last hidden word and the first visible one; dragging it sets a window.
void put_window_edge(Pen& pen, const WordLine& line, const Row& row, Index query, float depth);
void drag_window_edge(const Frame& frame, const Scene& scene);

}  // namespace headlight::sentence_parts
