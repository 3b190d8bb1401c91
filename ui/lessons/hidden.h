// What a question hides until it is answered stays hidden everywhere.
#pragma once

#include "ui/document/action.h"

namespace headlight {

/// Whether a stage's numbers are hidden.
bool is_hidden(const View& view, Stage stage);
/// Whether the view, at its level, would show what is hidden in its own way: it is veiled then. The pipeline itself
/// hides single cards.
bool hides_view(const View& view);
/// Whether the action would carry hidden numbers out of the window.
bool hides_what_is_taken(const Document& document, const Action& action);

}  // namespace headlight
