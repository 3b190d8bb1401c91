// The fields of a View as text, "kind=heads;head=1;zoom=1.5". One table serves `--look`, links, the journal, the action
// log and undo.
#pragma once

#include <string>
#include <string_view>

#include "ui/document/view.h"

namespace headlight {

/// The fields that differ from a new view and have no command line option of their own; "" if none.
std::string look_text(const View& view);
/// `view` with these fields. Throws SettingError for --look.
View with_look(View view, std::string_view text);

/// All fields in which `view` differs from `from`.
std::string view_fields(const View& view, const View& from = {});
/// `view` with these fields. Unknown fields are ignored. Throws SettingError for an invalid value.
View with_view_fields(View view, std::string_view text);

/// `view` with those fields of `other` that a lesson's step or a file may set: not the theme, dialogs or the
/// presentation.
View looking_at(View view, const View& other);

}  // namespace headlight
