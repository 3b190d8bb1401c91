// A program without threads (the web page) has only copies of files, which nobody else changes.
#include "core/base/arrays/file_watch.h"

namespace headlight {

void FileWatch::watch(const std::string& path) { path_ = path; }

}  // namespace headlight
