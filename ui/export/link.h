// A link to the browser page that shows the same document and view.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/document/document.h"

namespace headlight {

/// The page's address with a query, or with the scenario in the fragment if options cannot express it. Unset if the
/// document depends on a file, or if nothing is open.
std::optional<std::string> link_to(const Document& document);

/// {"--view", "pipeline", "--level", "sentence", …}: everything except theme, language and window size.
std::vector<std::string> view_words(const Document& document);

}  // namespace headlight
