// What core says in English, as the window shows it.
#pragma once

#include <string>

#include "ui/frame/frame.h"

namespace headlight {

/// The sentence in the window's language, found once and kept until the frame ends at least. Parts that the language's
/// file does not know stay English.
const std::string& said(const Frame& frame, const std::string& sentence);

}  // namespace headlight
