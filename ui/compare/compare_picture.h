// The compare view, computed once for two traces, a view and a size: A, B and B − A of one stage, and small pictures of
// B − A for the others.
#pragma once

#include "ui/level/scene.h"

namespace headlight {

struct ComparePicture {
  /// The large stage, below its name; a row of its batch entries and heads, if there are several (changed ones come
  /// first if not all fit); the stages that differ. Its targets: SceneAction::slice and SceneAction::stage.
  Scene scene;
  Stage stage{};
  Rect large;  ///< A, B, B − A, which can be pointed at
};

/// The same, cached. The heading ends at `right`, before the buttons.
const ComparePicture& compare_picture(const Frame& frame, Rect inside, Rect area, float right);

void draw_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
