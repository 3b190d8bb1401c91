// LaidOver: somebody's own stages on their way through the comparer, and what comes back into the document.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "ui/document/document.h"

namespace headlight {

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

}  // namespace headlight
