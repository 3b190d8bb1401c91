#include "ui/session/notices.h"

#include <algorithm>
#include <cmath>

namespace headlight {

void Notices::follow(Document& document) {
  if (document.notice != said_) {
    said_ = document.notice;
    since_ = Clock::now();
  } else if (!said_.empty() && seconds_left(document) <= 0) {
    document.notice.clear();
  }
}

double Notices::seconds_left(const Document& document) const {
  if (document.notice.empty()) return 0;
  if (!std::isfinite(stands_)) return stands_;
  if (document.notice != said_) return 0;
  return std::max(stands_ - std::chrono::duration<double>(Clock::now() - since_).count(), 0.0);
}

}  // namespace headlight
