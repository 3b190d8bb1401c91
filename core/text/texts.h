// A text in several languages.
#pragma once

#include <map>
#include <string>

namespace headlight {

using Texts = std::map<std::string, std::string>;  ///< by language: {"en": "…", "zh": "…"}

/// The text in that language, else in English; "" if there is none.
const std::string& in_language(const Texts& texts, const std::string& language);

}  // namespace headlight
