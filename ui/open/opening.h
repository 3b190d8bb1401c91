// Opens a file into a document, and asks what the file does not determine.
#pragma once

#include <optional>
#include <string>

#include "core/tensor/message.h"
#include "ui/document/document.h"

namespace headlight {

/// Shows what `path` names (a lesson, a scenario or tensors) in a new view; a mask file becomes file() of the current
/// document (core/scenario/mask_file.h). On failure the document gets an error and stays. Returns whether it is another
/// document now.
bool open_into(Document& document, const std::string& path);
/// Uses the mask of this file as file(), whatever else it contains.
void open_mask_into(Document& document, const std::string& path);

/// After a scenario failed: if only a layer or a number of heads is missing, opens the dialog for it, restores the
/// document without a message, and returns true.
bool ask_for_layer(Document& document);
/// The same where nothing says what true means in its mask, which `error` tells.
bool ask_for_polarity(Document& document, const Message& error);
/// Another recorded call of the model that is watched: looks and settings stay, and undo knows nothing of it.
void show_recorded(Document& document, const std::string& step);
/// The same dialog for the file that is open, to take another of its layers.
View with_layer_dialog(const Document& document);
/// Applies the answer to the waiting scenario. `opened`: where it came from, if it is not the current document.
void answer_layer(Document& document, std::optional<Lesson> opened);

}  // namespace headlight
