// A text in several languages.
#pragma once

#include <map>
#include <string>

namespace headlight {

using Texts = std::map<std::string, std::string>;  ///< by language: {"en": "…", "zh": "…"}

/// The text of that language, else the English one; "" where there is none.
const std::string& in_language(const Texts& texts, const std::string& language);

}  // namespace headlight
