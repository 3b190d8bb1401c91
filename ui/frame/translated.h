// Error sentences of core in the window's language.
#pragma once

#include <string>

#include "ui/frame/frame.h"

namespace headlight {

/// The translated sentence, cached at least until the frame ends. Untranslated parts stay English.
const std::string& translated(const Frame& frame, const std::string& sentence);

}  // namespace headlight
