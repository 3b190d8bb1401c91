#include "core/base/text/text_template.h"

#include <algorithm>

namespace headlight {

std::string fill_template(std::string_view text,
                          std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const value = std::ranges::find_if(
        values, [&](const auto& each) { return text.compare(at, each.first.size(), each.first) == 0; });
    if (value != values.end()) {
      out += value->second;
      at += value->first.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace headlight
