// The timeline: a run as numbered moments, stage by stage and, where a stage is a product or a softmax, row by row.
//
// Moment 0 shows the inputs alone. At moment m everything up to it is computed, nothing after it is shown.
#pragma once

#include <optional>
#include <vector>

#include "core/attention/trace.h"
#include "ui/document/view.h"

namespace headlight {

struct Moment {
  Stage stage{};
  Index first_row = 0, last_row = 0;  ///< computed at this moment: [first_row, last_row)
};

class Timeline {
 public:
  Timeline() = default;
  explicit Timeline(const Trace& trace);

  int count() const { return static_cast<int>(moments_.size()); }
  /// Moments outside are taken for the first or the last.
  const Moment& at(int moment) const;
  /// How many rows of a stage are computed at a moment; all of an input or parameter.
  Index rows_shown(Stage stage, int moment) const;
  bool shows(const Cell& cell, int moment) const { return cell.row < rows_shown(cell.stage, moment); }
  /// The stages in the order they are computed, each with its first moment.
  struct Chapter {
    Stage stage;
    int first = 0, count = 0;
  };
  const std::vector<Chapter>& chapters() const { return chapters_; }

 private:
  std::vector<Moment> moments_;
  std::vector<Chapter> chapters_;
};

/// The view at a moment: what is being computed is looked at, in the batch entry and head that were.
View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment);
/// Everything shown, as it was before the player was used.
View without_moment(View view);

}  // namespace headlight
