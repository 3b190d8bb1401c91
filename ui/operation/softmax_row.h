// One row's softmax taken apart, as the stage has it or as it is with scores that are tried: plain numbers.
#pragma once

#include <vector>

#include "ui/level/focus.h"

namespace headlight {

/// A word in the row; or all words that have no part of their own, or the sink.
struct SoftmaxPart {
  enum class Kind : std::uint8_t { word, others, sink };
  Kind kind{};
  Index key = 0;      ///< of a word; n_k: of the sink
  Index words = 1;    ///< that it stands for
  float score = 0;    ///< of others: their largest
  float shifted = 0;  ///< score − largest
  double power = 0;   ///< e to that; of others: their sum
  double share = 0;   ///< power / sum
  double before = 0;  ///< the share without what is tried or changed
  bool masked = false;
  /// It has no part in the sum, as a mask left it none.
  bool is_out() const { return masked && !(power > 0); }
};

struct SoftmaxRow {
  std::vector<SoftmaxPart> parts;  ///< in the order of the keys; then the others, then the sink
  float largest = 0;
  double sum = 0;        ///< of the powers
  Index visible = 0;     ///< words that are not out
  bool tried = false;    ///< with scores that are not the document's
  bool changed = false;  ///< by a setting of the layer: SoftmaxPart::before is the unchanged model's
  /// Whether the shares before are others than those of now.
  bool compares() const { return tried || changed; }
  bool empty = false;  ///< there is nothing to share out: every word is masked, and no sum is made
  const SoftmaxPart* find(Index key) const;  ///< null where it is among the others
};

/// Of the query that is followed, in at most so many parts: beyond that the words with the largest scores and the key
/// that is followed have parts of their own. `before`: SceneContext::weights_before.
SoftmaxRow softmax_row(const Trace& trace, const View& view, const Focus& focus, Index most_parts,
                       const MatrixView& before = {});

/// What is tried of this row; null where nothing is.
const ScoreTrial* trial_of(const Trace& trace, const View& view, Index query);
/// What the trial adds to a score, in units of what goes into the softmax.
float tried_part(const Trace& trace, const ScoreTrial* trial, Index key);
/// The view with the score of `key` so much off what it is.
View with_tried_score(View view, const Trace& trace, Index query, Index key, float added);

}  // namespace headlight
