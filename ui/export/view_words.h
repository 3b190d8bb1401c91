// The current view as command line options.
#pragma once

#include <string>
#include <vector>

#include "ui/document/document.h"

namespace headlight {

/// {"--view", "pipeline", "--level", "sentence", …}: everything except theme, language and window size.
std::vector<std::string> view_words(const Document& document);

}  // namespace headlight
