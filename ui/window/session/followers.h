// Parts of the session that follow the document from frame to frame: the timeline of the shown trace, the comparison
// with the user's own stages, the notice that disappears by itself, and the frozen picture of a presentation.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "core/base/arrays/file_watch.h"
#include "core/base/tensor/message.h"
#include "core/compute/engine/engine.h"
#include "ui/base/document/document.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/words.h"
#include "ui/base/timeline/timeline.h"
#include "ui/dialogs/open/opener.h"

namespace headlight {

/// A frozen presentation: the picture stays while the document behind it changes.
struct FrozenPresentation {
  Document document;  ///< at the time of freezing
  Timeline timeline;
  Words words;
};

/// Draws the note in the corner that says that the picture is frozen, and how to end it.
void draw_frozen_note(const Frame& frame, ImVec2 window);
/// The same on a black screen: how the picture comes back.
void draw_blank_note(const Frame& frame, ImVec2 window);

/// The timeline of the shown trace, rebuilt when the trace or the order of products changes.
class KeptTimeline {
 public:
  /// Clamps the player's step; another order of products restarts its stage.
  void follow(Document& document);
  const Timeline& now() const { return timeline_; }

 private:
  Timeline timeline_;
  std::shared_ptr<const Trace> of_;
  ProductOrder way_{};
};

/// Compares the user's own stages with the document's on a worker, and takes over the result.
class OwnComparison {
 public:
  /// `wake` is called from any thread when a result is ready.
  explicit OwnComparison(std::function<void()> wake) : comparer_(std::move(wake)) {}

  /// Starts a comparison if either side changed; takes over a finished one.
  void follow(Document& document);
  /// The same, after waiting for it.
  void wait(Document& document);
  /// Ends the search for the mistake with what is known so far.
  void stop() { comparer_.stop(); }
  bool is_finished(const Document& document) const;

 private:
  Comparer comparer_;
  std::optional<OwnSource> own_;  ///< inputs of the last comparison
  std::shared_ptr<const Trace> trace_;
  bool given_ = false;  ///< its result was taken over
};

/// Notices disappear after some seconds; errors stay until dismissed.
class Notices {
 public:
  /// Without this call notices stay.
  void fade_after(double seconds) { stands_ = seconds; }
  void follow(Document& document);
  /// Seconds until the notice disappears: 0 if there is none or it is new; infinite if it stays.
  double seconds_left(const Document& document) const;

 private:
  using Clock = std::chrono::steady_clock;
  double stands_ = std::numeric_limits<double>::infinity();
  std::string said_;
  Clock::time_point since_{};
};

class Computation {
 public:
  /// `wake` is called from any thread when a result is ready.
  explicit Computation(const std::function<void()>& wake) : engine_(wake), watch_(wake) {}

  /// Starts computing the document's scenario unless that is running or done.
  void follow(const Document& document);
  /// Takes over results. A failure becomes the document's error, or restores what was open before.
  void take(Document& document, Opener& opener, const Words& words);
  /// The same, after waiting for the newest scenario.
  void wait(Document& document, Opener& opener, const Words& words);
  /// Recomputes the scenario if the file of its tensors has changed on disk. For a running model, shows the next call
  /// if the newest one was shown.
  void reload_changed(Document& document);

  /// Whether the newest scenario has been computed or has failed.
  bool is_finished(const Document& document) const {
    return finished_ >= ticket_ && document.scenario == submitted_ && loss_of(document) == submitted_loss_;
  }
  /// The error of the newest scenario; "" if it did not fail.
  const Message& failure() const { return failure_; }
  Progress progress() const { return engine_.progress(); }

 private:
  /// The loss whose gradients are shown.
  static std::optional<std::string> loss_of(const Document& document);
  void submit(const Document& document);
  void follow_run(Document& document);
  void take(Outcome outcome, Document& document, Opener& opener, const Words& words);

  Engine engine_;
  FileWatch watch_;
  Scenario submitted_;
  std::shared_ptr<const Trace> submitted_against_;
  std::optional<std::string> submitted_loss_;
  std::uint64_t ticket_ = 0, finished_ = 0;
  std::uint64_t reloading_ = 0;  ///< ticket of the computation for a changed file; 0: none
  Message failure_;
  std::string followed_;  ///< the file on disk that is watched
  std::string newest_;    ///< call of the running model that is shown
};

}  // namespace headlight
