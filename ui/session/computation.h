// Computation: sends the document's scenario to the engine and takes over its results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/engine/engine.h"
#include "core/files/file_watch.h"
#include "core/tensor/message.h"
#include "ui/document/document.h"
#include "ui/look/words.h"
#include "ui/open/opener.h"

namespace headlight {

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
  /// Computes the same anew where the file of its tensors has changed on disk. Of a running model the next call is
  /// shown, where the newest was.
  void reload_changed(Document& document);

  /// Whether the newest scenario has been computed or has failed.
  bool is_settled(const Document& document) const { return settled_ >= ticket_ && document.scenario == submitted_; }
  /// The error of the newest scenario; "" if it did not fail.
  const Message& failure() const { return failure_; }
  Progress progress() const { return engine_.progress(); }

 private:
  void submit(const Document& document);
  void follow_run(Document& document);
  void take(Outcome outcome, Document& document, Opener& opener, const Words& words);

  Engine engine_;
  FileWatch watch_;
  Scenario submitted_;
  std::shared_ptr<const Trace> submitted_against_;
  std::uint64_t ticket_ = 0, settled_ = 0;
  std::uint64_t reloading_ = 0;  ///< ticket of the computation for a changed file; 0: none
  Message failure_;
  std::string followed_;  ///< the file on disk that is watched
  std::string newest_;    ///< call of the running model that is shown
};

}  // namespace headlight
