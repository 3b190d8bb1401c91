// The journal in a program without threads: files are in memory, so it is written at once.
#include "core/base/files/own_files.h"
#include "ui/window/session/journal.h"

namespace headlight {

void Journal::begin() {}
void Journal::end() {}

void Journal::keep(std::string text) {
  if (lock_ >= 0) trouble_ = write_own_file(file_, text);
}

void Journal::wait() {}

}  // namespace headlight
