// What is wrong about a mask's text, in the window's language: core says it in English, the tables of words have each of its
// sentences as a template, "'{0}' is not an operator".
#pragma once

#include <string>

#include "ui/look/words.h"

namespace headlight {

/// An ExpressionError's sentence in the language of `words`; a part that no template fits stays as it is.
std::string in_words(const Words& words, const std::string& sentence);

}  // namespace headlight
