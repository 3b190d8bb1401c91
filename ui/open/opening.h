// Opening a file into a document, and asking what the file leaves open.
#pragma once

#include <optional>
#include <string>

#include "ui/document/document.h"

namespace headlight {

/// The document shows what `path` names (a lesson, a scenario or tensors), seen afresh; a mask becomes the file() of
/// what is shown already (core/scenario/mask_file.h). Where that cannot be, it says why and stays. Whether the document
/// is now another one.
bool open_into(Document& document, const std::string& path);
/// The file's mask becomes the file() of what is shown, whatever else is in it.
void open_mask_into(Document& document, const std::string& path);

/// A scenario came to nothing. Where only its layer or heads are to be chosen, the dialog asks, and the document goes
/// back without a message. Whether it does.
bool ask_for_layer(Document& document);
/// The same where nothing says what true means in its mask, which `error` tells.
bool ask_for_polarity(Document& document, const std::string& error);
/// Another recorded call of the model that is watched: looks and settings stay, and undo knows nothing of it.
void show_recorded(Document& document, const std::string& step);
/// The same dialog for the file that is open, to take another of its layers.
View with_layer_dialog(const Document& document);
/// The answer: the scenario that waited, with the layer and heads that are chosen. `opened`: what it was, where it is
/// not what is open already.
void answer_layer(Document& document, std::optional<Lesson> opened);

}  // namespace headlight
