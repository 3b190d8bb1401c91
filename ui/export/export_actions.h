// Performs the actions of the export and save dialogs.
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

}  // namespace headlight
