// Performs the actions that export, save and copy.
#pragma once

#include "ui/document/action.h"
#include "ui/export/recorder.h"
#include "ui/look/fonts.h"
#include "ui/look/words.h"

namespace headlight {

/// Handles Export, CopyCommand, AskToSave and Save, and ignores other actions. Returns what to do next, once everything
/// is saved.
Next perform_export(Document& document, Recorder& recorder, const Words& words, const Fonts& fonts,
                    const Action& action);

/// Copies a matrix, or saves it to a file. Numbers have as few digits as reproduce the float32; figures have the
/// window's colours. The result is shown as a notice or an error.
void take_matrix(Document& document, const TakeMatrix& take, const Words& words);

/// Saves the mask to a file, or copies it as code. The result is shown as a notice or an error.
void take_mask(Document& document, MaskFormat format, const Words& words);

}  // namespace headlight
