// A notice says for some seconds what was done, then goes; an error stays until it is sent away.
#pragma once

#include <chrono>
#include <limits>
#include <string>

#include "ui/document/document.h"

namespace headlight {

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
