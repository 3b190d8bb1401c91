// Computation: the document's scenario on its way through the engine, and what comes back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/engine/engine.h"
#include "core/files/file_watch.h"
#include "ui/document/document.h"
#include "ui/look/words.h"
#include "ui/open/opener.h"

namespace headlight {

class Computation {
 public:
  /// `wake` is called from any thread when there is something to take.
  explicit Computation(const std::function<void()>& wake) : engine_(wake), watch_(wake) {}

  /// Begins to compute what the document asks for, where that is not under way or done.
  void follow(const Document& document);
  /// What has been computed goes into the document; failures are its error, or bring back what was open before.
  void take(Document& document, Opener& opener, const Words& words);
  /// The same, once the newest scenario is computed.
  void wait(Document& document, Opener& opener, const Words& words);
  /// Computes the same anew where the file of its tensors has changed on disk. Of a running model the next call is
  /// shown, where the newest was.
  void reload_changed(Document& document);

  /// Whether the newest scenario is computed, or failed.
  bool is_settled(const Document& document) const { return settled_ >= ticket_ && document.scenario == submitted_; }
  /// Of the newest scenario; "" where it did not fail.
  const std::string& failure() const { return failure_; }
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
  std::uint64_t reloading_ = 0;  ///< the ticket of a file that changed on disk; 0: none
  std::string failure_;
  std::string followed_;  ///< the file on disk that is watched
  std::string newest_;    ///< call of the running model that is shown
};

}  // namespace headlight
