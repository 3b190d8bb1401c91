// A document as text for the journal, and back.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "ui/document/document.h"
#include "ui/frame/typing.h"

namespace headlight {

/// JSON of the scenario, its origin, the lesson's progress, the latest undo and redo steps, the view, the text being
/// typed, and the last actions (ui/document/action_text.h).
std::string recovery_text(const Document& document, const std::optional<TypedLine>& typed = {},
                          const std::deque<std::string>& log = {});

struct Recovered {
  Document document;  ///< without its numbers
  std::optional<TypedLine> typed;
};
/// Throws InputError for invalid text; `subject` names it in the message.
Recovered recovered(const std::string& text, const std::string& subject);
/// Whether the document has unsaved work.
bool is_worth_keeping(const Document& document);

}  // namespace headlight
