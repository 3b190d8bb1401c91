// Somebody's own stages beside those of the document.
#pragma once

#include <memory>

#include "ui/document/document.h"

namespace headlight {

/// The document shows them: at first the stage that differs first, where it differs most.
void show_beside(Document& document, std::shared_ptr<const Beside> beside);
/// The stage of them that is shown.
Stage beside_shown(const Beside& beside, const View& view);
/// The stage, where its difference is largest.
View with_beside_stage(View view, const Beside& beside, Stage stage);

}  // namespace headlight
