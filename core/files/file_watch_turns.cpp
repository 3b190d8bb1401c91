// A program without threads has no files but copies of its own, which nobody else changes.
#include "core/files/file_watch.h"

namespace headlight {

void FileWatch::watch(const std::string& path) { path_ = path; }

}  // namespace headlight
