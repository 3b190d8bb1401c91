// A document as text for the journal, and back.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "ui/document/document.h"
#include "ui/frame/frame.h"

namespace headlight {

/// JSON of the scenario, its origin, the lesson's progress, the latest undo and redo steps, the view, the text being
/// typed, and the last actions (ui/document/action.h).
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

enum class RecoveryAnswer : std::uint8_t { none, take, discard };

/// Draws it at the top of the window. `name`: the document's name, "" for random input.
RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when);

}  // namespace headlight
