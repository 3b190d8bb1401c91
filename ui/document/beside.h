// The user's own stages beside those of the document.
#pragma once

#include <memory>

#include "ui/document/document.h"

namespace headlight {

/// Shows the comparison, beginning with the first stage that differs, at its largest difference.
void show_beside(Document& document, std::shared_ptr<const Beside> beside);
/// The compared stage that is shown.
Stage beside_shown(const Beside& beside, const View& view);
/// The view on `stage`, at its largest difference.
View with_beside_stage(View view, const Beside& beside, Stage stage);

}  // namespace headlight
