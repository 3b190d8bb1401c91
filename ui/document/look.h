// What of a view only a hand chooses (how far it is zoomed, which heads, which sheet's numbers), as one text, so that a
// command line can show it again: "zoom=1.5;pan=12,3;heads=0,2".
#pragma once

#include <string>
#include <string_view>

#include "ui/document/view.h"

namespace headlight {

/// What differs from a new view and has no option of its own; "" where nothing does.
std::string look_text(const View& view);
/// The same chosen in `view`. Throws SettingError on --look.
View with_look(View view, std::string_view text);

}  // namespace headlight
