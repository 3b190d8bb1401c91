// What a window would lose, as text, and back again.
#pragma once

#include <string>

#include "ui/document/document.h"

namespace headlight {

/// Scenario, what it began as, the steps of undo and redo that are not too many, and what is looked at; JSON.
std::string recovery_text(const Document& document);
/// The document as it was, without its numbers. Throws InputError where the text is no such thing; `subject` stands for
/// it in the sentence.
Document recovered_document(const std::string& text, const std::string& subject);
/// Whether there is anything to lose.
bool is_worth_keeping(const Document& document);

}  // namespace headlight
