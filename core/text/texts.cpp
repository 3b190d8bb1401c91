#include "core/text/texts.h"

namespace headlight {

const std::string& in_language(const Texts& texts, const std::string& language) {
  static const std::string none;
  auto found = texts.find(language);
  if (found == texts.end()) found = texts.find("en");
  return found != texts.end() ? found->second : none;
}

}  // namespace headlight
