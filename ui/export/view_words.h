// How a document is looked at, in the words of the command line.
#pragma once

#include <string>
#include <vector>

#include "ui/document/document.h"

namespace headlight {

/// {"--view", "pipeline", "--level", "sentence", …}: all but the theme, the language and the window's size.
std::vector<std::string> view_words(const Document& document);

}  // namespace headlight
