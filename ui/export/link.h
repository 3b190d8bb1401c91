// What is open, and how it is looked at, as a link to the page that shows it.
#pragma once

#include <optional>
#include <string>

#include "ui/document/document.h"

namespace headlight {

/// The page's address with a query that opens the same, or, for what no settings say, the scenario itself in its
/// fragment. Unset where what is open comes from a file, which a link cannot hold, or nothing is.
std::optional<std::string> link_to(const Document& document);

}  // namespace headlight
