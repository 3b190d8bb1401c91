// The training run that the document shows: learns as far as the document says, and tells it what has come of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/compute/engine/learning.h"
#include "ui/base/document/document.h"

namespace headlight {

class RunFollower {
 public:
  /// `wake` is called from any thread when more is known.
  explicit RunFollower(std::function<void()> wake) : learning_(std::move(wake)) {}

  /// Lets the document's runs learn, and takes over what they have come to. At the end the scenario is at its last
  /// step.
  void follow(Document& document);
  /// The same, after waiting for all that is wanted.
  void wait(Document& document);
  bool is_finished(const Document& document) const { return learning_.idle() && document.view.train.until == 0; }
  /// Whether the next frame lets it learn on.
  bool paces(const Document& document) const {
    return document.view.train.until > 0 && document.view.train.pace != TrainPace::at_once;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// A run's name, read once.
  struct Named {
    std::string name;
    std::optional<NamedRun> run;  ///< unset: it is none
    void read(const std::string& of);
  };

  Index paced(const Document& document, Index until);
  void end_learning(Document& document, Index step);

  Learning learning_;
  Named run_, beside_;
  Index until_ = 0;         ///< as last followed
  double allowed_ = 0;      ///< steps that the pace allows
  Clock::time_point last_;  ///< when it was followed
};

}  // namespace headlight
