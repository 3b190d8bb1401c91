// What a window would lose, as text, and back again.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "ui/document/document.h"
#include "ui/frame/typing.h"

namespace headlight {

/// Scenario, what it began as, how far one is in its lesson, the steps of undo and redo that are not too many, what is
/// looked at, what is being typed and what was done last (ui/document/action_text.h); JSON.
std::string recovery_text(const Document& document, const std::optional<TypedLine>& typed = {},
                          const std::deque<std::string>& log = {});

struct Recovered {
  Document document;  ///< as it was, without its numbers
  std::optional<TypedLine> typed;
};
/// Throws InputError where the text is no such thing; `subject` stands for it in the sentence.
Recovered recovered(const std::string& text, const std::string& subject);
/// Whether there is anything to lose.
bool is_worth_keeping(const Document& document);

}  // namespace headlight
