// The timeline of the trace that is shown, made anew for another trace or another way of multiplying.
#pragma once

#include <memory>

#include "ui/document/document.h"
#include "ui/timeline/timeline.h"

namespace headlight {

class KeptTimeline {
 public:
  /// The player's step stays within it; another way of multiplying begins its stage again.
  void follow(Document& document);
  const Timeline& now() const { return timeline_; }

 private:
  Timeline timeline_;
  std::shared_ptr<const Trace> of_;
  Way way_{};
};

}  // namespace headlight
