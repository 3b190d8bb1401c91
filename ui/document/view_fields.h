// The fields of a View as text, "kind=heads;head=1;zoom=1.5": one table for `--look`, links, the journal, the log of
// actions, and what undo brings back with a lesson or a file.
#pragma once

#include <string>
#include <string_view>

#include "ui/document/view.h"

namespace headlight {

/// The fields that differ from a new view and have no option of their own on the command line; "" where none does.
std::string look_text(const View& view);
/// The same chosen in `view`. Throws SettingError on --look.
View with_look(View view, std::string_view text);

/// Every field in which `view` differs from `from`.
std::string view_fields(const View& view, const View& from = {});
/// `view` with these fields. A field that this version does not have is left out. Throws SettingError for a value that
/// is none.
View with_view_fields(View view, std::string_view text);

/// What a lesson's step or a file chooses to be looked at (not the theme, a dialog, the presentation), of `other`.
View looking_at(View view, const View& other);

}  // namespace headlight
