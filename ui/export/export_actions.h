// What the export and save dialogs ask for, done.
#pragma once

#include "ui/document/action.h"
#include "ui/export/recorder.h"
#include "ui/look/fonts.h"
#include "ui/look/words.h"

namespace headlight {

/// Export, CopyCommand, AskToSave and Save; other actions are none of its business. What comes next, once all is saved.
Next perform_export(Document& document, Recorder& recorder, const Words& words, const Fonts& fonts,
                    const Action& action);

}  // namespace headlight
