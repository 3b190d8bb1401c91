// What follows the document from frame to frame: the timeline of the trace that is shown, the comparison with
// somebody's own stages, the notice that goes by itself; and the picture that a presentation holds while the document
// changes.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "ui/document/document.h"
#include "ui/frame/frame.h"
#include "ui/look/words.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// A presentation's picture while the document behind it changes.
struct HeldPicture {
  Document document;  ///< as it was
  Timeline timeline;
  Words words;
};

/// In the corner: what its stillness is, and what ends it.
void draw_held_mark(const Frame& frame, ImVec2 window);

/// Made anew for another trace or another way of multiplying.
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

/// Somebody's own stages on their way through the comparer, and what comes back into the document.
class LaidOver {
 public:
  /// `wake` is called from any thread when there is something to take.
  explicit LaidOver(std::function<void()> wake) : comparer_(std::move(wake)) {}

  /// Compares them anew where they, or the numbers beside them, are others; takes what has been found.
  void follow(Document& document);
  /// The same, once nothing is under way.
  void wait(Document& document);
  /// The search ends with what is known so far.
  void stop() { comparer_.stop(); }
  bool is_settled(const Document& document) const;

 private:
  Comparer comparer_;
  std::optional<OwnSource> own_;  ///< what the comparer was last given, and with what
  std::shared_ptr<const Trace> trace_;
};

/// A notice says for some seconds what was done, then goes; an error stays until it is sent away.
class Notices {
 public:
  /// Unless this is said they stand for good.
  void fade_after(double seconds) { stands_ = seconds; }
  void follow(Document& document);
  /// Until the document's notice goes: 0 where there is none, or one that was not followed yet; infinite where it
  /// stays.
  double seconds_left(const Document& document) const;

 private:
  using Clock = std::chrono::steady_clock;
  double stands_ = std::numeric_limits<double>::infinity();
  std::string said_;
  Clock::time_point since_{};
};

}  // namespace headlight
