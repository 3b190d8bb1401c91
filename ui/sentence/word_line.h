// Inside ui/sentence: words in a line, what one of them looks at as arcs over them, and its shares as bars under them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ui/level/measured.h"
#include "ui/level/pen.h"

namespace headlight::sentence {

/// One row of a head and what the mask says of it.
struct Row {
  std::vector<float> shares;          ///< of the weights, or of what is brought
  std::optional<BroughtRow> brought;  ///< where the view measures that
  bool lengths = false;               ///< the bars are what is brought, not its shares
  std::vector<float> weights;         ///< beside the bars, hollow; empty where they are the shares themselves
  std::vector<bool> hidden;
  Index most = 0;
  bool dead = false;

  /// How high the bar stands, 0 … 1.
  float bar(std::size_t k) const {
    if (!lengths) return shares[k];
    return brought->most > 0 ? brought->lengths[k] / brought->most : 0;
  }
  /// Under it.
  std::string number(std::size_t k) const;
};

/// Of the weights.
Row row_of(const SceneContext& context, Index query);
/// Of what the view measures.
Row measured_row(const SceneContext& context, Index query);
/// Shares of one row, in digits that fit each other.
std::string share_text(float share);

struct WordPlace {
  Rect box;
  Index index = 0;
  int line = 0;
};

/// A line of words, or several: as large as they can be, down to the smallest that can be read. Pieces of one word (##)
/// touch.
struct WordLine {
  std::vector<WordPlace> places;
  float pixels = 0, height = 0;
  float over = 0;  ///< room for arcs over each line
  int lines = 1;
  const WordPlace* find(Index index) const {
    const auto found = std::ranges::find(places, index, &WordPlace::index);
    return found == places.end() ? nullptr : &*found;
  }
};

/// Of a long text those around the word `around`. Lines stand `line_pitch` apart.
WordLine lay_out_words(Pen& pen, Axis axis, Index all, Index around, Rect room, float line_pitch);
void put_word(Pen& pen, const WordLine& line, const WordPlace& place, std::string word, bool lit, bool quiet,
              ImU32 colour, SceneAction action);
/// How high an arc between words so far apart is, where it has the room.
float arc_peak(const Pen& pen, float apart);
/// From the word that asks to the ones it looks at: as thick as their share. Over the words, not above `top`; between
/// two lines of words where these are two.
void put_arcs(Pen& pen, const WordLine& from_line, const WordLine& to_line, Index query, const Row& row, ImU32 colour,
              float top, bool two_lines);
/// Under the words, `depth` deep, with their numbers, which are kept back while they are `guessed`; what the mask hides
/// is hatched.
void put_shares(Pen& pen, const WordLine& line, const Row& row, float depth, Index lit, ImU32 colour, bool guessed);

}  // namespace headlight::sentence
