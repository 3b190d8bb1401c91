// The parts of one row's softmax as plain numbers, with the document's scores or with scores that the user tries.
#pragma once

#include <vector>

#include "ui/parts/scene/focus.h"

namespace headlight {

/// A word of the row, or all words without a part of their own, or the sink.
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
  /// Whether the mask leaves it no part in the sum.
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
  bool empty = false;                        ///< every word is masked, so there is no sum
  const SoftmaxPart* find(Index key) const;  ///< null if it is among the others
};

/// For the followed query, in at most `most_parts` parts: if there are more words, those with the largest scores and
/// the followed key have parts of their own. `before`: SceneContext::weights_before.
SoftmaxRow softmax_row(const Trace& trace, const View& view, const Focus& focus, Index most_parts,
                       const MatrixView& before = {});

/// The tried scores of this row; null if there are none.
const ScoreTrial* trial_of(const Trace& trace, const View& view, Index query);
/// What the trial adds to a score, in units of what goes into the softmax.
float tried_part(const Trace& trace, const ScoreTrial* trial, Index key);
/// The view in which `added` is added to the score of `key`.
View with_tried_score(View view, const Trace& trace, Index query, Index key, float added);

}  // namespace headlight
